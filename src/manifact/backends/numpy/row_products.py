"""Inner products of all rows with each other, and the nearest rows by them: for rows that are compared in many ways."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends.blas_threads import ONE_BLAS_THREAD
from manifact.backends.numpy.kernels import neighbors
from manifact.backends.numpy.numpy_operations import sparse_times
from manifact.backends.protocol import Array
from manifact.backends.threads import over_rows
from manifact.utils.sparse_matrices import sorted_csr

#: Sparse rows that are multiplied together, as an array that stays in cache.
SLAB = 64


def row_products(X: Any) -> Array:
    """X Xᵀ as an array of X's type."""
    if not sparse.issparse(X):
        with ONE_BLAS_THREAD:
            return np.asarray(X @ X.T)
    X = sorted_csr(X)
    out = np.empty((X.shape[0], X.shape[0]), dtype=X.dtype)
    for start in range(0, X.shape[0], SLAB):
        some = slice(start, start + SLAB)
        out[start:, some] = sparse_times(X[start:], X[some].T.tocsr().toarray())
        out[some, start:] = out[start:, some].T
    return out


def nearest_by_products(G: Array, n_neighbors: int) -> tuple[Array, Array]:
    """As ``nearest`` of rows whose inner products G are known: g_ii + g_jj − 2 g_ij, with the digits that G leaves."""
    n = len(G)
    shape = n, min(n_neighbors, n - 1)
    index, keys = np.full(shape, n, dtype=np.int64), np.full(shape, np.inf)
    if keys.size:
        over_rows(neighbors.product_nearest, n, G.size, G, G.diagonal().copy(), keys, index)
    return index, keys
