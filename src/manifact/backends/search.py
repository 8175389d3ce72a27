"""Exact nearest rows, in blocks that keep to a memory budget.

The budget is scikit-learn's: ``sklearn.config_context(working_memory=256)`` (MiB). Squared distances are those of
float64 arithmetic; ties go to the smaller index, and the answer does not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config

from manifact.backends import Array
from manifact.backends.kernels.neighbors import dense_nearest, select_nearest, sparse_nearest
from manifact.backends.numpy import sorted_csr, sparse_times
from manifact.backends.threads import count, over_rows

#: Larger blocks of the dense search gain nothing.
MOST_ROWS = 1024
#: About what all cores share.
SHARED_CACHE = 1 << 23
#: Entries whose squares are safe; others are scaled first.
SAFE = (1e-100, 1e100)


def nearest(X: Any, n_neighbors: int, queries: Any = None, farthest: bool = False) -> tuple[Array, Array]:
    """Indices and squared distances (n_queries x n_neighbors, best first) of the rows of X nearest to each query.

    Without ``queries`` the rows of X look for each other, and none finds itself.
    """
    own = queries is None
    queries = X if own else queries
    q, n = queries.shape[0], X.shape[0]
    k = min(n_neighbors, n - own)
    keys = np.full((q, k), np.inf)
    index = np.full((q, k), n, dtype=np.int64)
    if k == 0:
        return index, keys
    largest = max(_largest(X), _largest(queries)) or 1.0
    scale = 1.0 if SAFE[0] < largest < SAFE[1] else largest
    if scale != 1.0:
        X, queries = X / scale, queries / scale
    sign = -1.0 if farthest else 1.0
    skip = np.arange(q) if own else np.full(q, -1)
    if sparse.issparse(X):
        _sparse(X, sparse.csr_array(queries), sign, skip, keys, index)
    elif sparse.issparse(queries):
        _mixed(X, queries, sign, keys, index)
    else:
        _dense(X, queries, largest / scale, sign, skip, keys, index)
    with np.errstate(over="ignore", under="ignore"):
        return index, sign * keys * scale * scale


def _largest(X: Any) -> float:
    return max(float(X.max()), -float(X.min())) if min(X.shape) else 0.0


def _squares(X: Any) -> Array:
    if sparse.issparse(X):
        X = X.astype(np.float64)
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def _sparse(X: Any, Q: Any, sign: float, skip: Array, keys: Array, index: Array) -> None:
    """One pass over the inverted index per query: Σ_f df_f² multiply-adds in all, n doubles per thread."""
    X, XT, Q = sorted_csr(X), sorted_csr(X.T), sorted_csr(Q)
    # Each query touches every sample that shares one of its features.
    reach = np.concatenate([[0], np.cumsum(np.diff(XT.indptr)[Q.indices], dtype=np.float64)])[Q.indptr]
    cost = reach + np.arange(len(reach), dtype=np.float64) * X.shape[0]
    longest = int(np.diff(Q.indptr).max(initial=0)) + int(np.diff(X.indptr).max(initial=0))
    error = (longest + 8) * float(np.finfo(np.float64).eps)
    over_rows(
        sparse_nearest, Q.shape[0], cost[-1], Q.indptr, Q.indices, Q.data, _squares(Q), X.indptr, X.indices, X.data,
        _squares(X), XT.indptr, XT.indices, XT.data, error, sign, skip, keys, index, costs=cost,
    )  # fmt: skip


def _mixed(X: Array, Q: Any, sign: float, keys: Array, index: Array) -> None:
    """Sparse queries among dense rows, such as documents among cluster centres: a block of inner products at a time."""
    Q = sorted_csr(Q)
    squares, q_squares = _squares(X), _squares(Q)
    # As many rows of X at a time as stay in cache: every non-zero of Q gathers from all of them.
    at_once = int(np.clip(SHARED_CACHE // max(1, X.shape[1] * Q.dtype.itemsize), 16, len(X)))
    slabs = [np.ascontiguousarray(X[i : i + at_once].T, dtype=Q.dtype) for i in range(0, len(X), at_once)]
    rows_at_once = _rows_per_block(X.shape[0], most=1 << 14)
    for start in range(0, Q.shape[0], rows_at_once):
        rows = slice(start, start + rows_at_once)
        part = Q[rows]
        dots = np.hstack([sparse_times(part, slab) for slab in slabs])
        over_rows(
            select_nearest, dots.shape[0], dots.size, dots, q_squares[rows], squares, sign, keys[rows], index[rows]
        )


def _dense(X: Array, Q: Array, largest: float, sign: float, skip: Array, keys: Array, index: Array) -> None:
    """Matrix products in float32 rule out most pairs; what they cannot rule out is computed in float64."""
    n, m = X.shape
    centre = X.mean(axis=0, dtype=np.float64)
    X32 = _rough(X, centre, largest)
    X, Q = np.ascontiguousarray(X), np.ascontiguousarray(Q)
    squares = _squares(X32)
    # Rounding of a float32 inner product of m terms, of its inputs and of the norms.
    error = 2 * (m + 8) * float(np.finfo(np.float32).eps)
    unit = 1 / largest**2
    rows_at_once = _rows_per_block(n)
    for start in range(0, Q.shape[0], rows_at_once):
        rows = slice(start, start + rows_at_once)
        Q32 = _rough(Q[rows], centre, largest)
        q_squares = _squares(Q32)
        rough = Q32 @ X32.T
        rough *= np.float32(-2 * sign)
        rough += (sign * squares).astype(np.float32)
        rough += (sign * q_squares).astype(np.float32)[:, None]
        over_rows(
            dense_nearest, rough.shape[0], rough.size, rough, np.sqrt(q_squares), np.sqrt(squares), error, unit,
            Q[rows], X, sign, skip[rows], keys[rows], index[rows],
        )  # fmt: skip


def _rough(X: Array, centre: Array, largest: float) -> Array:
    """X in float32: centred, so that a common offset does not eat its digits; scaled, so that squares fit."""
    rough = np.empty(X.shape, dtype=np.float32)
    for start in range(0, X.shape[0], MOST_ROWS):
        rows = slice(start, start + MOST_ROWS)
        rough[rows] = (X[rows] - centre) / largest
    return rough


def _rows_per_block(n: int, most: int = MOST_ROWS) -> int:
    budget = get_config()["working_memory"] * 2**20
    return int(np.clip(budget // max(1, 8 * n), min(count(), most), most))
