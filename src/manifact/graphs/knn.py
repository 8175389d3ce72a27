"""Nearest-neighbour graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from manifact import checks
from manifact.backends import Array
from manifact.backends.numpy import sorted_csr
from manifact.graphs.builder import GraphBuilder
from manifact.graphs.operator import AffinityGraph, Graph
from manifact.graphs.search import METRICS, nearest

WEIGHTS = ("binary", "heat", "dot", "cosine")
SEARCHES = ("exact", "approximate")
#: The mean distance for ``sigma="auto"`` is taken over this many samples, as the GNMF authors' program does.
SIGMA_SAMPLES = 3000


class KNNGraph(GraphBuilder):
    """W_js > 0 where one of two samples is among the other's nearest neighbours (GNMF paper, section 3.1).

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours per sample, itself not counted; all others if there are fewer.
    weight : {"binary", "heat", "dot", "cosine"}, default="binary"
        1; exp(−d² / 2σ²) with d the Euclidean distance; the inner product; its cosine. The last two need
        non-negative samples, and are the same for samples of unit length.
    metric : {"euclidean", "cosine"}, default="euclidean"
        What "nearest" means.
    sigma : float or "auto", default="auto"
        Width of the heat kernel; "auto" is the mean distance between samples.
    search : {"exact", "approximate"}, default="exact"
        Exact search in blocks within scikit-learn's ``working_memory``, or pynndescent (an optional dependency;
        its graph depends on ``random_state`` and the number of threads).
    random_state : int or None, default=0
        Seed of the approximate search.

    Examples
    --------
    >>> import numpy as np
    >>> from manifact.graphs import KNNGraph
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> KNNGraph(n_neighbors=1).build(X).W.toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 0., 0.],
           [0., 0., 0., 1.],
           [0., 0., 1., 0.]])
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        weight: str = "binary",
        metric: str = "euclidean",
        sigma: float | str = "auto",
        search: str = "exact",
        random_state: int | None = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weight = weight
        self.metric = metric
        self.sigma = sigma
        self.search = search
        self.random_state = random_state

    def build(self, X: Any, y: Any = None) -> Graph:
        """The symmetric graph of the rows of X: the larger of both directions."""
        self._check()
        if sparse.issparse(X):
            X = sorted_csr(X)
        sigma = self._sigma(X)
        index, keys = self._search(X)
        W = self._affinity(X, X, index, keys, sigma)
        return _NeighborGraph(sparse.csr_array(W.maximum(W.T)), self, X, sigma)

    def _check(self) -> None:
        checks.integer("n_neighbors", self.n_neighbors, at_least=1)
        checks.option("weight", self.weight, WEIGHTS)
        checks.option("metric", self.metric, METRICS)
        checks.option("search", self.search, SEARCHES)
        if self.sigma != "auto":
            checks.real("sigma", self.sigma, above=0)

    def _search(self, X: Any) -> tuple[Array, Array]:
        if self.search == "exact" or X.shape[0] <= self.n_neighbors + 1:
            return nearest(X, self.n_neighbors, self.metric)
        return _approximate(X, self.n_neighbors, self.metric, self.random_state)

    def _sigma(self, X: Any) -> float:
        if self.weight != "heat":
            return 1.0
        return mean_distance(X) if self.sigma == "auto" else float(self.sigma)

    def _affinity(self, X: Any, Q: Any, index: Array, keys: Array, sigma: float) -> Any:
        """Weights of the edges from queries Q to rows of X, queries x n."""
        q, k = index.shape
        rows = np.repeat(np.arange(q), k)
        columns = index.ravel()
        match self.weight:
            case "binary":
                values = np.ones(q * k)
            case "heat":
                euclidean = self.metric == "euclidean"
                squares = keys.ravel() if euclidean else _pair_squares(Q, X, rows, columns)
                values = np.exp(-np.maximum(squares, 0) / (2 * sigma**2))
            case "dot":
                values = _pair_products(Q, X, rows, columns)
            case _:
                values = _pair_products(normalize(Q), normalize(X), rows, columns)
        if (values < 0).any():
            raise ValueError(
                f"weight={self.weight!r} gives a negative affinity ({values.min():g}) for samples with negative "
                "entries: use weight='heat' or 'binary'"
            )
        W = sparse.csr_array((values, (rows, columns)), shape=(q, X.shape[0]))
        return sorted_csr(W)


class _NeighborGraph(AffinityGraph):
    """A k-NN graph that remembers its samples, to find the neighbours of new ones."""

    def __init__(self, W: Any, builder: KNNGraph, X: Any, sigma: float) -> None:
        super().__init__(W)
        self._builder = builder
        self._X = X
        self._sigma = sigma

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        builder = self._builder
        index, keys = nearest(self._X, builder.n_neighbors, builder.metric, queries=X)
        W = builder._affinity(self._X, X, index, keys, self._sigma).astype(V.dtype)
        return W @ V, np.asarray(W.sum(axis=1)).ravel()


def mean_distance(X: Any) -> float:
    """Mean Euclidean distance between samples (evenly spaced ones if there are many)."""
    from sklearn.metrics import pairwise_distances_chunked

    n = X.shape[0]
    some = X[np.unique(np.linspace(0, n - 1, min(n, SIGMA_SAMPLES)).astype(int))]
    total = sum(float(block.sum()) for block in pairwise_distances_chunked(some))
    return total / some.shape[0] ** 2 or 1.0


def _pair_products(A: Any, B: Any, rows: Array, columns: Array) -> Array:
    """<a_row, b_column> for each pair, a block at a time."""
    out = np.empty(len(rows))
    for start in range(0, len(rows), 8192):
        pairs = slice(start, start + 8192)
        a, b = A[rows[pairs]], B[columns[pairs]]
        out[pairs] = np.asarray((a.multiply(b) if sparse.issparse(a) else a * b).sum(axis=1)).ravel()
    return out


def _pair_squares(A: Any, B: Any, rows: Array, columns: Array) -> Array:
    from sklearn.utils.extmath import row_norms

    squares_A, squares_B = row_norms(A, squared=True), row_norms(B, squared=True)
    return squares_A[rows] + squares_B[columns] - 2 * _pair_products(A, B, rows, columns)


def _approximate(X: Any, n_neighbors: int, metric: str, seed: int | None) -> tuple[Array, Array]:
    try:
        from pynndescent import NNDescent
    except ImportError as error:
        raise ImportError(
            "search='approximate' needs pynndescent: pip install 'manifact[approximate]', or use search='exact'"
        ) from error
    found, distances = NNDescent(
        X.astype(np.float32), metric=metric, n_neighbors=n_neighbors + 1, random_state=seed
    ).neighbor_graph
    # Each sample finds itself, not always first; a sample that did not gives up its farthest neighbour.
    own = found == np.arange(X.shape[0])[:, None]
    own[~own.any(axis=1), -1] = True
    first = np.argmax(own, axis=1)
    kept = np.arange(n_neighbors + 1) != first[:, None]
    index = found[kept].reshape(-1, n_neighbors).astype(np.int64)
    keys = distances[kept].reshape(-1, n_neighbors).astype(np.float64) ** 2
    if (index < 0).any():
        lost = int((index < 0).any(axis=1).sum())
        raise RuntimeError(f"the approximate search found too few neighbours for {lost} samples: use search='exact'")
    return index, keys
