"""Data sets from the MATLAB files in which the papers' data circulate."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manifact.datasets.dataset import Dataset
from manifact.datasets.sources import Entry
from manifact.io.file_errors import refusal, unreadable
from manifact.io.readers.matlab_files import read_variables
from manifact.io.readers.named_arrays import CLASSES, SAMPLES
from manifact.utils.sparse_matrices import checked_structure

#: Cells of images, a row per class (binaryalphadigs) and a stack per class (umist_cropped).
CELLS = ("dat", "facedat")


def read(entry: Entry, files: Sequence[Path]) -> Dataset:
    """The samples and classes of a MATLAB file, images turned from MATLAB's column-major pixels to row-major ones."""
    (file,) = files
    fields = read_variables(file, (*SAMPLES, *CLASSES, *CELLS))
    X, y = _from_cells(file, fields) if any(name in fields for name in CELLS) else _from_table(entry, file, fields)
    if entry.largest and len(np.unique(y)) > entry.n_classes:
        kept = np.isin(y, _largest(y, entry.n_classes))
        X, y = X[kept], y[kept]
    classes, y = np.unique(y, return_inverse=True)
    if X.shape[0] != entry.n_samples or X.shape[1] not in entry.widths or len(classes) != entry.n_classes:
        found = f"holds {X.shape[0]} x {X.shape[1]} values in {len(classes)} classes"
        wanted = " or ".join(f"{entry.n_samples} x {width}" for width in entry.widths)
        raise refusal(file, found, f"expected the {entry.name} of the papers, {wanted} in {entry.n_classes} classes")
    image_shape = next((s for s in entry.image_shapes if prod(s) == X.shape[1]), None)
    if image_shape:
        X = _row_major(X, image_shape)
    return Dataset(entry.name, _narrow(X, entry.dtype), y.astype(np.int64), image_shape)


def _from_table(entry: Entry, file: Path, fields: dict[str, Any]) -> tuple[Any, Any]:
    """X and y of a file that holds a matrix and a vector."""
    X = next((fields[name] for name in SAMPLES if name in fields), None)
    y = next((fields[name] for name in CLASSES if name in fields), None)
    if X is None or y is None:
        found = sorted(name for name in fields if not name.startswith("__"))
        names = f"the fields {', '.join(found)}" if found else "no field that we know"
        raise refusal(file, f"has {names}", "expected fea and gnd, or X and Y")
    X = _rows(file, X) if sparse.issparse(X) else _numbers(file, X)
    if X.shape[0] in entry.widths and X.shape[1] == entry.n_samples:  # kept with a column per sample
        X = X.T.tocsr() if sparse.issparse(X) else X.T
    y = _numbers(file, _rows(file, y).toarray() if sparse.issparse(y) else y).ravel()
    if len(y) != X.shape[0]:
        raise refusal(file, f"holds {X.shape[0]} samples and {len(y)} classes", "expected one class for each sample")
    if not np.isfinite(y).all() or (y != np.rint(y)).any():
        raise refusal(file, "has classes that are not whole numbers", "expected one whole number for each sample")
    return X, y


def _rows(file: Path, X: Any) -> Any:
    """A sparse matrix by rows."""
    try:
        return sparse.csr_array(checked_structure(X))  # SciPy trusts a file's indices, and writes wherever they point
    except ValueError as problem:
        raise unreadable(file, "a sparse matrix", problem) from problem


def _numbers(file: Path, values: Any) -> Any:
    values = np.asarray(values)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise refusal(file, f"holds {values.dtype} of shape {values.shape} as data", "expected a matrix of numbers")
    return values


def _from_cells(file: Path, fields: dict[str, Any]) -> tuple[Any, Any]:
    """X, still column-major as in MATLAB, and y of a file that holds images in cells."""
    rows: list[Any] = []
    y: list[int] = []
    try:
        if "dat" in fields:
            stacks = [np.stack(list(row), axis=-1) for row in fields["dat"]]
        else:
            stacks = list(fields["facedat"].ravel())
        for number, stack in enumerate(stacks):
            height, width, count = stack.shape
            rows.append(stack.reshape(height * width, count, order="F").T)
            y += [number] * count
        return np.concatenate(rows), np.array(y)
    except (ValueError, TypeError, AttributeError) as problem:
        raise refusal(
            file, "has cells that are not images of one size", "expected a cell of images for each class"
        ) from problem


def _row_major(X: Any, image_shape: tuple[int, int]) -> Any:
    """Columns permuted so that ``X[i].reshape(image_shape)`` is upright."""
    X = X.toarray() if sparse.issparse(X) else X
    return np.ascontiguousarray(X[:, np.arange(X.shape[1]).reshape(image_shape, order="F").ravel()])


def _largest(y: Any, n_classes: int) -> Any:
    """The classes with most samples, the smaller number first where they tie."""
    classes, sizes = np.unique(y, return_counts=True)
    return classes[np.argsort(-sizes, kind="stable")[:n_classes]]


def _narrow(X: Any, dtype: str) -> Any:
    """X in the number type of our layout if that holds its values, otherwise X as it is."""
    with np.errstate(invalid="ignore"):
        narrow = X.astype(dtype)
    same = (narrow.data == X.data).all() if sparse.issparse(X) else np.array_equal(narrow, X)
    return narrow if same else X
