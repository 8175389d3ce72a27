"""Graphs of samples that are far apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array, backend_of, host_dtype, namespace, on_host
from manifact.graphs.builder import GraphBuilder, as_samples
from manifact.graphs.operators import AffinityGraph, Graph
from manifact.graphs.search_memory import search_bytes, whole_number
from manifact.utils import checks
from manifact.utils.memory import require
from manifact.utils.progress import steps
from manifact.utils.sparse_matrices import sorted_csr
from manifact.utils.stored_classes import stored_by_parameters

SEARCHES = ("auto", "exact", "candidates")
#: "auto" searches exactly up to this many samples.
EXACT_SAMPLES = 20_000


@stored_by_parameters
class FarthestGraph(GraphBuilder):
    """W_ij = ‖x_i − x_j‖² where one of two samples is among the other's farthest (SPNMF paper, section 3.1).

    Parameters
    ----------
    n_neighbors : int, default=5
        Farthest samples of each sample; all others if there are fewer.
    search : {"auto", "exact", "candidates"}, default="auto"
        Compare all pairs in blocks; or look only among the extreme samples, which hold the farthest of almost
        everyone. "auto" is exact up to 20,000 samples.
    n_candidates : int, default=1000
        How many extreme samples.
    random_state : int or None, default=0
        Seed of the directions in which samples are extreme.

    Examples
    --------
    >>> import numpy as np
    >>> from manifact.graphs import FarthestGraph
    >>> FarthestGraph(n_neighbors=1).build(np.array([[0.0], [1.0], [3.0]])).W.toarray()
    array([[0., 0., 9.],
           [0., 0., 4.],
           [9., 4., 0.]])
    """

    def __init__(
        self, n_neighbors: int = 5, search: str = "auto", n_candidates: int = 1000, random_state: int | None = 0
    ) -> None:
        self.n_neighbors = n_neighbors
        self.search = search
        self.n_candidates = n_candidates
        self.random_state = random_state

    def build(self, X: Any, y: Any = None) -> Graph:
        """The symmetric graph of the rows of X."""
        checks.integer("n_neighbors", self.n_neighbors, at_least=1)
        checks.integer("n_candidates", self.n_candidates, at_least=1)
        checks.option("search", self.search, SEARCHES)
        X = as_samples(X)
        n = X.shape[0]
        require(self.memory_needed(X), "the search for the farthest samples", "take fewer samples")
        if self._exact(X):
            index, squares = map(on_host, backend_of(X).nearest(X, self.n_neighbors, farthest=True, progress=steps))
        else:
            index, squares = self._among_extremes(X)
        rows = np.repeat(np.arange(n), index.shape[1])
        values = np.maximum(squares.ravel(), 0)
        distinct = rows != index.ravel()
        edges = (values[distinct], (rows[distinct], index.ravel()[distinct]))
        W = sparse.csr_array(edges, shape=(n, n))
        W = sparse.csr_array(W.maximum(W.T))
        W.eliminate_zeros()
        return AffinityGraph(sorted_csr(W))

    def memory_needed(self, X: Any) -> float:
        """Of the search among all samples, or of every sample in some directions, to find the extremes."""
        shadows = 0 if self._exact(X) else 4 * X.shape[0] * whole_number(self.n_candidates, 1000)
        return search_bytes(X, self.n_neighbors) + shadows

    def _exact(self, X: Any) -> bool:
        return self.search == "exact" or (self.search == "auto" and X.shape[0] <= EXACT_SAMPLES)

    def _among_extremes(self, X: Any) -> tuple[Array, Array]:
        extremes = extreme_samples(X, self.n_candidates, np.random.default_rng(self.random_state))
        some = backend_of(X).rows.taken(X, extremes)
        index, squares = map(on_host, backend_of(X).nearest(some, self.n_neighbors, X, farthest=True, progress=steps))
        return extremes[index], squares


def extreme_samples(X: Any, count: int, rng: np.random.Generator) -> Array:
    """Samples that are first or last in some direction, and those farthest from the mean."""
    n, m = X.shape
    if count >= n:
        return np.arange(n)
    backend = backend_of(X)
    shadows = backend.projected(X, rng.standard_normal((m, max(1, count // 4))))
    xp = namespace(shadows)
    ends = [on_host(end(shadows, axis=0)) for end in (xp.argmax, xp.argmin)]
    ones = backend.rows.typed(backend.like(np.ones((n, 1)), X), host_dtype(X))
    mean = backend.data(X, None).times_transposed(ones).T / n
    outer, _ = backend.nearest(X, count // 2 + 1, mean, farthest=True)
    return np.unique(np.concatenate([*ends, on_host(outer)[0]]))
