"""Samples that are copies of others: equal rows of a dense or sparse matrix, in one pass over its values."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.utils.sparse_matrices import sorted_csr

#: Values that are looked at together.
BLOCK = 1 << 20


def first_equal_rows(X: Any) -> Any:
    """For each row the number of the first row that equals it, entry by entry: its own number if none before it does.

    ``X`` is a 2-D NumPy array or a SciPy sparse matrix of any format; it is not changed. −0 equals 0, a stored zero is
    a zero, and NaN equals NaN. Rows are put beside each other by a hash of 64 bits and then compared in full, so a
    collision makes no copy. Time and memory beyond a block are those of one pass and of one sort of n hashes.

    >>> first_equal_rows(np.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0], [1.0, 2.0]]))
    array([0, 1, 0, 0])
    """
    X = sorted_csr(X) if sparse.issparse(X) else np.asarray(X)
    hashes = _sparse_hashes(X) if sparse.issparse(X) else _dense_hashes(X)
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    first = first[group.ravel()]
    later = np.flatnonzero(first != np.arange(len(first)))
    wrong = later[~_equal(X, later, first[later])]
    if len(wrong):  # a collision: rare enough for a comparison of the rows themselves
        _settle(X, first, wrong)
    return first


def number_of_copies(first: Any) -> int:
    """Rows that equal one before them, from what `first_equal_rows` returned.

    >>> number_of_copies(np.array([0, 1, 0, 0]))
    2
    """
    return int((first != np.arange(len(first))).sum())


def _dense_hashes(X: Any) -> Any:
    n, m = X.shape
    factors = _factors(np.arange(m, dtype=np.uint64))
    hashes = np.empty(n, dtype=np.uint64)
    rows = max(1, BLOCK // max(m, 1))
    for start in range(0, n, rows):
        bits = _mixed(X[start : start + rows])
        bits *= factors
        hashes[start : start + rows] = bits.sum(axis=1, dtype=np.uint64)
    return hashes


def _sparse_hashes(X: Any) -> Any:
    """Sums over the entries of each row; a running sum gives them for empty rows as well, and may wrap."""
    hashes = np.zeros(X.shape[0], dtype=np.uint64)
    start = 0
    while start < len(hashes):
        begin = X.indptr[start]
        stop = int(np.searchsorted(X.indptr, begin + BLOCK, side="right")) - 1
        stop = min(max(stop, start + 1), len(hashes))
        places = slice(begin, X.indptr[stop])
        sums = np.zeros(int(X.indptr[stop] - begin) + 1, dtype=np.uint64)
        bits = _mixed(X.data[places])
        bits *= _factors(X.indices[places].astype(np.uint64))
        np.cumsum(bits, out=sums[1:])
        ends = sums[X.indptr[start : stop + 1] - begin]
        hashes[start:stop] = ends[1:] - ends[:-1]
        start = stop
    return hashes


def _factors(columns: Any) -> Any:
    """An odd number of 64 bits for each column, the same in dense and sparse data."""
    return _finalized(columns + np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)


def _mixed(values: Any) -> Any:
    """Bits of values, stirred; those of 0 stay 0."""
    if values.dtype.kind == "f":
        values = values.astype(np.float64) + 0.0  # makes −0 a 0
        values[np.isnan(values)] = np.nan
        return _finalized(values.view(np.uint64))
    return _finalized(values.astype(np.uint64))


def _finalized(bits: Any) -> Any:
    """SplitMix64's last steps: each bit of the argument moves half of the bits."""
    bits = bits ^ (bits >> np.uint64(30))
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return bits


def _equal(X: Any, rows: Any, others: Any) -> Any:
    """Whether each of these rows equals the other one beside it."""
    equal = np.empty(len(rows), dtype=bool)
    width = max(1, X.shape[1] if not sparse.issparse(X) else X.nnz // max(X.shape[0], 1))
    step = max(1, BLOCK // width)
    for start in range(0, len(rows), step):
        piece = slice(start, start + step)
        equal[piece] = _pairs_equal(X[rows[piece]], X[others[piece]])
    return equal


def _pairs_equal(A: Any, B: Any) -> Any:
    if not sparse.issparse(A):
        same = A == B
        if A.dtype.kind == "f":
            same |= np.isnan(A) & np.isnan(B)
        return same.all(axis=1)
    differing = sparse.csr_array(A != B)
    if A.dtype.kind == "f" and np.isnan(A.data).any():
        both = sparse.csr_array(_nans(A).multiply(_nans(B)))
        differing = sparse.csr_array(differing.astype(np.int8) - both)
        differing.eliminate_zeros()
    return np.diff(differing.indptr) == 0


def _nans(A: Any) -> Any:
    return sparse.csr_array((np.isnan(A.data).astype(np.int8), A.indices, A.indptr), shape=A.shape)


def _settle(X: Any, first: Any, wrong: Any) -> None:
    """The first equal rows of those that only share a hash with another, by comparing them among each other."""
    for at, row in enumerate(wrong):
        first[row] = row
        for other in wrong[:at]:
            if first[other] == other and _equal(X, np.array([row]), np.array([other]))[0]:
                first[row] = other
                break
