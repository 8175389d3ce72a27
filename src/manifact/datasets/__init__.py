"""Data sets: those that install with us, those of the papers from a data home, and the papers' preprocessing."""

from manifact.datasets.bundled import load_digits, load_stdlib_docs
from manifact.datasets.dataset import Dataset
from manifact.datasets.fetching import DownloadError, fetch
from manifact.datasets.from_scikit_learn import load_newsgroups, load_olivetti, load_rcv1
from manifact.datasets.home import NAMES, data_home, load
from manifact.datasets.preprocessing import tfidf, unit_length
from manifact.datasets.synthetic import synthetic_documents
from manifact.datasets.toy import crossing_lines, three_gaussians, two_rings

__all__ = [
    "NAMES",
    "Dataset",
    "DownloadError",
    "crossing_lines",
    "data_home",
    "fetch",
    "load",
    "load_digits",
    "load_newsgroups",
    "load_olivetti",
    "load_rcv1",
    "load_stdlib_docs",
    "synthetic_documents",
    "tfidf",
    "three_gaussians",
    "two_rings",
    "unit_length",
]
