"""The archive in which 10x Genomics publishes its counts: genes x cells, without classes."""

from __future__ import annotations

import io
import tarfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from scipy import sparse

from manifact.datasets.dataset import Dataset
from manifact.datasets.problems import refusal, shape, unreadable
from manifact.datasets.sources import Entry
from manifact.io.readers import matrix_market_lines as matrixmarket

MEMBERS = ("matrix.mtx", "genes.tsv")
#: A gene is kept if at least so many cells have it, as in the usual preparation of this set.
FEWEST_CELLS = 3


def read(entry: Entry, files: Sequence[Path]) -> Dataset:
    """Cells x genes seen in at least `FEWEST_CELLS` cells; every class is −1, the archive has none."""
    (file,) = files
    members = _members(file)
    counts = _counts(file, members["matrix.mtx"])
    genes = np.array([line.split("\t")[1] for line in members["genes.tsv"].decode().splitlines() if "\t" in line])
    if len(genes) != counts.shape[1]:
        raise refusal(file, f"names {len(genes)} genes for {counts.shape[1]} rows of counts", "a name for each")
    known = np.bincount(counts.indices, minlength=counts.shape[1]) >= FEWEST_CELLS
    seen = sparse.csr_array(counts[:, known])
    X = seen.astype(entry.dtype)
    if (X.data != seen.data).any():
        raise refusal(file, f"holds numbers from {seen.data.min()} to {seen.data.max()}", f"counts in {entry.dtype}")
    if X.shape != (entry.n_samples, entry.n_features):
        raise refusal(file, f"holds {shape(*X.shape)} counts", shape(entry.n_samples, entry.n_features))
    return Dataset(entry.name, X, np.full(X.shape[0], -1, dtype=np.int64), feature_names=genes[known])


def _members(file: Path) -> dict[str, bytes]:
    """The parts that we need, read without unpacking anything to disk."""
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                part = archive.extractfile(member) if PurePosixPath(member.name).name in MEMBERS else None
                if part is not None:
                    found[PurePosixPath(member.name).name] = part.read()
    except (tarfile.TarError, EOFError, zlib.error) as problem:
        raise unreadable(file, "an archive", problem) from problem
    for name in MEMBERS:
        if name not in found:
            raise refusal(file, f"has no {name}", f"an archive with {' and '.join(MEMBERS)}")
    return found


def _counts(file: Path, matrix: bytes) -> Any:
    """Cells x genes."""
    from scipy.io import mmread

    try:
        matrixmarket.check(io.BytesIO(matrix), "matrix.mtx")
        counts = sparse.csr_array(mmread(matrixmarket.ended(matrix)).T)
    except Exception as problem:  # SciPy's reader has no error class of its own
        raise unreadable(file, "Matrix Market counts", problem) from problem
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return counts
