"""Eigenvectors of a graph."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import eigsh

from manifact.backends import Array
from manifact.graphs.operator import Graph

#: Below this many vertices (or three times the eigenvectors) the dense solver is quicker and never misses any.
DENSE_SAMPLES = 200


def leading_eigenvectors(graph: Graph, k: int, rng: np.random.RandomState) -> Array:
    """The eigenvectors of D^(−½) W D^(−½) with the k largest eigenvalues, n x k, largest first."""
    n, S = graph.n_samples, graph.normalized()
    if n <= max(3 * k, DENSE_SAMPLES):
        return np.linalg.eigh(S @ np.eye(n))[1][:, : -k - 1 : -1]
    values, vectors = eigsh(S, k=k, which="LA", v0=rng.uniform(0.5, 1.5, n), tol=1e-6)
    return vectors[:, np.argsort(-values)]
