"""SciPy's sparse matrices in the one form that compiled code reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse


def sorted_csr(X: Any) -> Any:
    """X as CSR with sorted, unique, narrow indices; the user's own matrix is never changed."""
    if isinstance(X, sparse.csr_array) and X.has_canonical_format and X.indices.dtype == np.int32:
        # As it is: SciPy would copy rows of a larger matrix.
        return X
    csr_form = sparse.csr_array(X)
    if not csr_form.has_canonical_format:
        csr_form = csr_form.copy()
        csr_form.sum_duplicates()
    widest = np.iinfo(np.int32).max
    if csr_form.indices.dtype != np.int32 and max(csr_form.nnz, *csr_form.shape) < widest:
        parts = (csr_form.data, csr_form.indices.astype(np.int32), csr_form.indptr.astype(np.int32))
        csr_form = sparse.csr_array(parts, shape=csr_form.shape)
    return csr_form


def checked_parts(data: Any, indices: Any, indptr: Any, shape: Sequence[int], by_rows: bool = True) -> tuple[Any, ...]:
    """data, indices and indptr of a CSR matrix (of a CSC one without ``by_rows``), if compiled code can follow them.

    Otherwise ValueError, with what is wrong and without the file's name. SciPy's own check takes differences of
    ``indptr``, which overflow, and looks at nothing where the last entry is 0. Entries behind the last are cut off.

    >>> checked_parts(np.ones(2), np.array([0, 5]), np.array([0, 1, 2]), (2, 3))
    Traceback (most recent call last):
    ValueError: an index is 5 in a matrix with 3 columns
    """
    data, indices, indptr = np.asarray(data), np.asarray(indices), np.asarray(indptr)
    n, m = _checked_shape(shape)
    n, m, across = (n, m, "columns") if by_rows else (m, n, "rows")
    if data.ndim not in (1, 3) or indices.ndim != 1 or indptr.ndim != 1:  # of three axes: blocks
        raise ValueError("data, indices and indptr are not one-dimensional")
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise ValueError(f"indices are {indices.dtype} and indptr is {indptr.dtype}, where whole numbers should be")
    if len(indptr) != n + 1:
        raise ValueError(f"indptr has {len(indptr)} numbers for {n} {'rows' if by_rows else 'columns'}")
    if len(indices) != len(data):
        raise ValueError(f"there are {len(indices)} indices for {len(data)} values")
    # Comparisons alone: a difference of two integers may not be one.
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any() or indptr[-1] > len(indices):
        raise ValueError(f"indptr does not rise from 0 to at most {len(indices)}")
    last = int(indptr[-1])
    _check_places(indices[:last], m, across)
    return data[:last], indices[:last], indptr


def checked_structure(X: Any) -> Any:
    """A sparse matrix that SciPy made from the parts in a file, in any of its formats, or ValueError.

    Only parts that have been checked are followed; ``X`` is returned with them.
    """
    if X.format in ("csr", "csc"):
        X.data, X.indices, X.indptr = checked_parts(X.data, X.indices, X.indptr, X.shape, X.format == "csr")
    elif X.format == "bsr":
        height, width = X.data.shape[1:]
        rows, columns = _checked_shape(X.shape)
        if not height or not width or rows % height or columns % width:
            raise ValueError(f"blocks of {height} x {width} do not fill {rows} x {columns}")
        parts = checked_parts(X.data, X.indices, X.indptr, (rows // height, columns // width))
        X.data, X.indices, X.indptr = parts
    elif X.format == "coo":
        for places, n, across in zip((X.row, X.col), _checked_shape(X.shape), ("rows", "columns"), strict=True):
            if places.shape != X.data.shape or places.ndim != 1 or places.dtype.kind not in "iu":
                raise ValueError("places and values do not belong together")
            _check_places(places, n, across)
    elif X.format == "dia":
        rows, columns = _checked_shape(X.shape)
        if X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1] or X.offsets.dtype.kind not in "iu":
            raise ValueError("diagonals and values do not belong together")
        if X.offsets.size and (X.offsets.min() <= -rows or X.offsets.max() >= columns):
            raise ValueError(f"a diagonal is outside {rows} x {columns} values")
    else:
        raise ValueError(f"a sparse matrix of format {X.format!r} is not known")
    return X


def _checked_shape(shape: Sequence[int]) -> tuple[int, int]:
    lengths = tuple(int(length) for length in shape)
    if len(lengths) != 2 or min(lengths) < 0 or max(lengths) > np.iinfo(np.int64).max - 1:
        raise ValueError(f"{' x '.join(map(str, lengths)) or 'nothing'} is no shape of a matrix")
    return lengths[0], lengths[1]


def _check_places(places: Any, n: int, across: str) -> None:
    for place in (int(places.min()), int(places.max())) if len(places) else ():
        if not 0 <= place < n:
            raise ValueError(f"an index is {place} in a matrix with {n} {across}")


def split_by_sign(X: Any) -> tuple[Any, Any]:
    """X⁺ and X⁻ ≥ 0 with X = X⁺ − X⁻, dense or sparse as X is."""
    if sparse.issparse(X):
        return sparse.csr_array(X.maximum(0)), sparse.csr_array((-X).maximum(0))
    return np.maximum(X, 0), np.maximum(-X, 0)


def empty_rows(X: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which rows of X, dense or sparse, hold nothing but zeros.

    >>> empty_rows(np.array([[0.0, 2.0], [0.0, 0.0]])).tolist()
    [False, True]
    """
    if sparse.issparse(X):
        if X.format == "csr" and X.data.all():
            # No zero is stored, as is usual: rows say themselves where they end.
            return np.asarray(X.indptr[1:] == X.indptr[:-1])
        return np.asarray((X != 0).sum(axis=1)).ravel() == 0
    return np.asarray(~np.any(X, axis=1))


def present_columns(X: Any) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Numbers of the columns of a CSR matrix that have entries, rising."""
    present = np.zeros(X.shape[1], dtype=bool)
    present[X.indices] = True
    return np.flatnonzero(present)


def only_columns(X: Any, columns: np.ndarray[Any, np.dtype[np.intp]]) -> Any:
    """A CSR matrix whose entries all lie in these columns, without the others; its values are not copied."""
    place = np.empty(X.shape[1], dtype=X.indices.dtype)
    place[columns] = np.arange(len(columns))
    return sparse.csr_array((X.data, place[X.indices], X.indptr), shape=(X.shape[0], len(columns)))
