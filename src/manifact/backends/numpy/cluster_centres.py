"""c_i = mean of the rows of X that are nearest to c_i, again and again: Lloyd's iterations with many centres."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends.numpy.kernels.row_means import dense_means, sparse_means
from manifact.backends.numpy.neighbor_search import nearest
from manifact.backends.protocol import Array, ShowProgress, silent
from manifact.backends.threads import over_rows
from manifact.utils.sparse_matrices import sorted_csr


def cluster_centres(X: Any, centres: Array, iterations: int, progress: ShowProgress = silent) -> Array:
    """Dense p x m centres, each the mean of the rows of X nearest to it, after so many turns from given ones.

    A centre that lost all its samples stays where it is. On our own search: with 1000 centres scikit-learn's k-means
    takes minutes on sparse data.
    """
    X = sorted_csr(X) if sparse.issparse(X) else np.ascontiguousarray(X)
    # Not copied: many centres of many features are the largest array around.
    centres = np.ascontiguousarray(centres, dtype=X.dtype)
    for _ in range(iterations):
        labels = nearest(centres, 1, X, progress=progress)[0].ravel()
        _move_to_means(X, labels, centres)
    return centres


def _move_to_means(X: Any, labels: Array, centres: Array) -> None:
    """Centres become the means of their rows of X."""
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], np.arange(len(centres) + 1))
    if sparse.issparse(X):
        # A centre is as long to write as it has features, however few rows it is the mean of.
        work = X.nnz + centres.size
        over_rows(sparse_means, len(centres), work, X.indptr, X.indices, X.data, order, bounds, centres)
    else:
        over_rows(dense_means, len(centres), X.size + centres.size, X, order, bounds, centres)
