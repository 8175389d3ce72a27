"""Samples as weighted means of their neighbours: the weights of locally linear embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config

from manifact.backends import Array, backend_of
from manifact.utils.sparse_matrices import sorted_csr


def reconstruction_weights(X: Any, n_neighbors: int, reg: float) -> Any:
    """S (sparse, n x n): row j minimises ‖x_j − Σ_s S_js x_s‖² over its neighbours, with Σ_s S_js = 1.

    As scikit-learn's LLE: ``reg`` times the trace is added to the diagonal of each local Gram matrix. X stays sparse.
    """
    if sparse.issparse(X):
        X = sorted_csr(X)
    index, _ = backend_of(X).nearest(X, n_neighbors)
    n, k = index.shape
    if k == 0:
        # A sample on its own is its own reconstruction.
        return sparse.eye_array(n, format="csr")
    values = np.empty((n, k))
    for start in range(0, n, _rows_per_block(X.shape[1], k)):
        rows = slice(start, start + _rows_per_block(X.shape[1], k))
        values[rows] = _affine_weights(_local_grams(X, rows, index[rows]), reg)
    owners = np.repeat(np.arange(n), k)
    return sorted_csr(sparse.csr_array((values.ravel(), (owners, index.ravel())), shape=(n, n)))


def _affine_weights(G: Array, reg: float) -> Array:
    """Solve G w = 1 for each of many small matrices, and scale w to sum 1."""
    k = G.shape[-1]
    trace = np.trace(G, axis1=1, axis2=2)
    ridge = reg * np.where(trace > 0, trace, 1)
    w = np.linalg.solve(G + ridge[:, None, None] * np.eye(k), np.ones((len(G), k, 1)))[..., 0]
    return w / w.sum(axis=1, keepdims=True)


def _local_grams(X: Any, rows: slice, index: Array) -> Array:
    """<x_s − x_j, x_t − x_j> for all neighbours s, t of each sample j in the block."""
    b, k = index.shape
    if not sparse.issparse(X):
        D = X[index].astype(np.float64) - X[rows][:, None, :]
        return D @ D.transpose(0, 2, 1)
    own = X[rows].astype(np.float64)
    D = [X[index[:, a]].astype(np.float64) - own for a in range(k)]
    G = np.empty((b, k, k))
    for a in range(k):
        for c in range(a, k):
            G[:, a, c] = G[:, c, a] = np.asarray(D[a].multiply(D[c]).sum(axis=1)).ravel()
    return G


def _rows_per_block(m: int, k: int) -> int:
    budget = get_config()["working_memory"] * 2**20
    return int(np.clip(budget // (32 * k * max(m, k)), 1, 4096))
