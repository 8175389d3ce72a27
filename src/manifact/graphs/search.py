"""Exact nearest rows, in blocks that keep to a memory budget.

The budget is scikit-learn's: ``sklearn.config_context(working_memory=256)`` (MiB). Keys are squared distances, or
minus twice the cosine; ties go to the smaller index, and the answer does not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.preprocessing import normalize

from manifact.backends import Array
from manifact.backends.kernels.neighbors import dense_nearest, sparse_nearest
from manifact.backends.numpy import sorted_csr
from manifact.backends.threads import count, over_rows

METRICS = ("euclidean", "cosine")
#: Larger blocks of the dense search gain nothing.
MOST_ROWS = 1024


def nearest(
    X: Any, n_neighbors: int, metric: str = "euclidean", queries: Any = None, farthest: bool = False
) -> tuple[Array, Array]:
    """Indices and keys (n_queries x n_neighbors, best first) of the rows of X nearest to each query.

    Without ``queries`` the rows of X look for each other, and none finds itself.
    """
    own = queries is None
    if metric == "cosine":
        X = normalize(X)
        queries = X if own else normalize(queries)
    elif own:
        queries = X
    q, n = queries.shape[0], X.shape[0]
    k = min(n_neighbors, n - own)
    keys = np.full((q, k), np.inf)
    index = np.full((q, k), n, dtype=np.int64)
    if k == 0:
        return index, keys
    sign = -1.0 if farthest else 1.0
    norms = _squares if metric == "euclidean" else _zeros
    h, q_h = sign * norms(X), sign * norms(queries)
    skip = np.arange(q) if own else np.full(q, -1)
    search = _sparse if sparse.issparse(X) else _dense
    search(X, h, queries, q_h, -2.0 * sign, skip, keys, index)
    return index, sign * keys


def _squares(X: Any) -> Array:
    if sparse.issparse(X):
        X = X.astype(np.float64)
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def _zeros(X: Any) -> Array:
    return np.zeros(X.shape[0])


def _sparse(X: Any, h: Array, Q: Any, q_h: Array, c: float, skip: Array, keys: Array, index: Array) -> None:
    """One pass over the inverted index per query: Σ_f df_f² multiply-adds in all, n doubles per thread."""
    XT, Q = sorted_csr(X.T), sorted_csr(Q)
    # Each query touches every sample that shares one of its features.
    reach = np.concatenate([[0], np.cumsum(np.diff(XT.indptr)[Q.indices], dtype=np.float64)])[Q.indptr]
    cost = reach + np.arange(len(reach), dtype=np.float64) * X.shape[0]
    over_rows(
        sparse_nearest, Q.shape[0], cost[-1], Q.indptr, Q.indices, Q.data, q_h, XT.indptr, XT.indices, XT.data,
        h, c, skip, keys, index, costs=cost,
    )  # fmt: skip


def _dense(X: Array, h: Array, Q: Array, q_h: Array, c: float, skip: Array, keys: Array, index: Array) -> None:
    """Matrix products in float32 rule out most pairs; what they cannot rule out is computed in float64."""
    n, m = X.shape
    centre = X.mean(axis=0, dtype=np.float64) if h.any() else np.zeros(m)
    scale = max(float(np.abs(X).max(initial=0.0)), float(np.abs(Q).max(initial=0.0))) or 1.0
    X32, half_X = _rough(X, centre, scale)
    q_rows = _rows_per_block(n)
    X, Q = np.ascontiguousarray(X), np.ascontiguousarray(Q)
    longest = float(np.sqrt(np.einsum("ij,ij->i", X32, X32, dtype=np.float64).max(initial=0.0)))
    sign = np.float32(-c / 2)
    for start in range(0, Q.shape[0], q_rows):
        rows = slice(start, start + q_rows)
        Q32, half_Q = _rough(Q[rows], centre, scale)
        rough = Q32 @ X32.T
        rough *= np.float32(-2) * sign
        if h.any():
            rough += sign * half_X
            rough += sign * half_Q[:, None]
        length = np.sqrt(np.einsum("ij,ij->i", Q32, Q32, dtype=np.float64))
        # Rounding of a float32 inner product of m terms, of its inputs and of the two norms, and of float64 keys.
        slack = 2 * (m + 8) * float(np.finfo(np.float32).eps) * (length + longest) ** 2
        slack += (m + 8) * float(np.finfo(np.float64).eps) * (np.abs(q_h[rows]) + np.abs(h).max()) / scale**2
        unit = 1 / scale**2
        over_rows(
            dense_nearest, rough.shape[0], rough.size, rough, slack, Q[rows], q_h[rows], X, h, c, unit,
            skip[rows], keys[rows], index[rows],
        )  # fmt: skip


def _rough(X: Array, centre: Array, scale: float) -> tuple[Array, Array]:
    """X in float32: centred, so that a common offset does not eat its digits; scaled, so that squares fit."""
    rough = np.empty(X.shape, dtype=np.float32)
    for start in range(0, X.shape[0], MOST_ROWS):
        rows = slice(start, start + MOST_ROWS)
        rough[rows] = (X[rows] - centre) / scale
    return rough, np.einsum("ij,ij->i", rough, rough)


def _rows_per_block(n: int) -> int:
    budget = get_config()["working_memory"] * 2**20
    return int(np.clip(budget // max(1, 4 * n), min(count(), MOST_ROWS), MOST_ROWS))
