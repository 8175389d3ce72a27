"""Data that are on every machine: scikit-learn's digits, and the docstrings of Python's standard library."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from manifact.datasets.dataset import Dataset

#: Subjects that the standard library writes about, and where.
SUBJECTS = {
    "asynchronous": ("asyncio",),
    "email": ("email", "smtplib", "imaplib", "poplib", "mailbox"),
    "testing": ("unittest", "doctest"),
    "numbers": ("_pydecimal", "fractions", "statistics", "random", "numbers"),
    "xml": ("xml",),
    "web": ("urllib", "http", "wsgiref", "xmlrpc"),
    "files": ("pathlib", "shutil", "zipfile", "tarfile", "tempfile", "os", "gzip", "posixpath"),
    "logging": ("logging",),
    "processes": ("multiprocessing", "concurrent", "subprocess", "threading", "queue"),
    "dates": ("datetime", "_pydatetime", "calendar", "zoneinfo", "_strptime"),
}
FEWEST_WORDS = 8


def load_digits() -> Dataset:
    """1797 images of handwritten digits, 8 x 8."""
    from sklearn.datasets import load_digits as load

    X, y = load(return_X_y=True)
    return Dataset("digits", X, y, (8, 8), target_names=np.array([str(digit) for digit in range(10)]))


def load_stdlib_docs() -> Dataset:
    """Docstrings of Python's standard library as term counts; classes are the subjects of their modules.

    Sources are parsed, not imported. How many documents there are depends on the Python version.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    library = Path(sysconfig.get_paths()["stdlib"])
    documents: list[str] = []
    classes: list[int] = []
    for number, places in enumerate(SUBJECTS.values()):
        texts = dict.fromkeys(text for place in places for text in _docstrings(library, place))
        documents += texts
        classes += [number] * len(texts)
    if not documents:
        raise FileNotFoundError(f"the sources of the standard library are not in {library}: use load_digits instead")
    counter = CountVectorizer(stop_words="english", min_df=3, max_df=0.3, token_pattern=r"[A-Za-z]{3,}")
    X = sparse.csr_array(counter.fit_transform(documents))
    known = np.asarray(X.sum(axis=1)).ravel() >= FEWEST_WORDS
    return Dataset(
        "stdlib-docs",
        X[known],
        np.array(classes)[known],
        feature_names=counter.get_feature_names_out(),
        target_names=np.array(list(SUBJECTS)),
    )


def _docstrings(library: Path, module: str) -> Iterator[str]:
    """The docstrings of a module or, below a folder, of a package without its tests."""
    file = library / f"{module}.py"
    for source in [file] if file.exists() else sorted((library / module).rglob("*.py")):
        if "test" in source.relative_to(library).parts:
            continue
        try:
            tree = ast.parse(source.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError, OSError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text:
                    yield text
