"""Nearest-neighbour graphs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.preprocessing import normalize

from manifact.backends import Array, backend_of
from manifact.graphs.builder import GraphBuilder, as_samples
from manifact.graphs.copies import Copies
from manifact.graphs.operators import AffinityGraph, Graph, check_width
from manifact.utils import checks
from manifact.utils.errors import BadValueError, MissingPackageError
from manifact.utils.progress import showing, steps
from manifact.utils.sparse_matrices import sorted_csr
from manifact.utils.stored_classes import is_positive, is_square, stored, stored_by_parameters

WEIGHTS = ("binary", "heat", "dot", "cosine")
METRICS = ("euclidean", "cosine")
SEARCHES = ("exact", "projection", "approximate")
COPIES = ("once", "each")
#: The mean distance for ``sigma="auto"`` is taken over this many samples, as the GNMF authors' program does.
SIGMA_SAMPLES = 3000
#: Two samples are one and the same that differ by this share of the distance to the farthest neighbour.
ROUNDED = 1e-5


@stored_by_parameters
class KNNGraph(GraphBuilder):
    """W_js > 0 where one of two samples is among the other's nearest neighbours (GNMF paper, section 3.1).

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each sample, not counting itself; all others if there are fewer.
    weight : {"binary", "heat", "dot", "cosine"}, default="binary"
        1; exp(−d² / 2σ²) with d the Euclidean distance; the inner product; its cosine. The last two need
        non-negative samples, and are the same for samples of unit length.
    metric : {"euclidean", "cosine"}, default="euclidean"
        What "nearest" means. With "cosine" a sample without entries has no neighbours.
    sigma : float, "auto" or "neighbors", default="auto"
        Width of the heat kernel; "auto" is the mean distance between samples (the authors' choice, which makes all
        weights nearly equal), "neighbors" the mean distance between neighbours.
    search : {"exact", "projection", "approximate"}, default="exact"
        "exact" searches in blocks within scikit-learn's ``working_memory``. "projection" looks for candidates among
        the samples projected onto their 64 principal directions and ranks those by their distances in full: almost
        the exact graph of many images in a fraction of the time. 256 of the samples tell how many candidates contain
        98% of the neighbours; where 12 times ``n_neighbors`` are not enough (most text), and with at most 2,000 samples
        or fewer than 128 features, the search is exact. "approximate" is pynndescent (an optional dependency; its graph
        depends on ``random_state`` and the number of threads). New samples always find their neighbours exactly, and
        are found by training samples as these found each other, but not after an "approximate" search.
    copies : {"once", "each"}, default="once"
        Equal samples count as one neighbour, and are joined among each other in a ring; or each counts, as in the
        authors' programs, where many copies have only each other for neighbours and the graph falls into pieces.
    random_state : int or None, default=0
        Seed of the projection and of the approximate search.
    verbose : bool, default=False
        Show the progress of the search; a model with ``verbose=True`` shows it as well.

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
        copies: str = "once",
        random_state: int | None = 0,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weight = weight
        self.metric = metric
        self.sigma = sigma
        self.search = search
        self.copies = copies
        self.random_state = random_state
        self.verbose = verbose

    def build(self, X: Any, y: Any = None) -> Graph:
        """The symmetric graph of the rows of X: the larger of both directions."""
        self._check()
        X = as_samples(X)
        with showing(bool(self.verbose)):
            rows, columns, radii, heads = self._own_pairs(X)
        sigma = self._sigma(X, rows, columns)
        W = self._affinity(X, X, rows, columns, sigma)
        # A copy of the parameters: what the user sets later must not change a graph that is built.
        return NeighborGraph(sparse.csr_array(W.maximum(W.T)), clone(self), X, sigma, radii, heads)

    def _check(self) -> None:
        checks.integer("n_neighbors", self.n_neighbors, at_least=1)
        checks.option("weight", self.weight, WEIGHTS)
        checks.option("metric", self.metric, METRICS)
        checks.option("search", self.search, SEARCHES)
        checks.option("copies", self.copies, COPIES)
        if isinstance(self.sigma, str):
            checks.option("sigma", self.sigma, ("auto", "neighbors"))
        else:
            checks.real("sigma", self.sigma, above=0)

    def _sigma(self, X: Any, rows: Array, columns: Array) -> float:
        if self.weight != "heat":
            return 1.0
        if self.sigma == "neighbors":
            return float(np.sqrt(_over_pairs(_square_distances, X, X, rows, columns)).mean()) or 1.0
        return mean_distance(X) if self.sigma == "auto" else float(self.sigma)

    def _compared(self, X: Any) -> tuple[Any, Array]:
        """Samples as the search compares them, and which they are."""
        if self.metric == "euclidean":
            return X, np.arange(X.shape[0])
        # On unit vectors distance and cosine order alike; a sample without entries is near nobody.
        inside = _with_entries(X)
        some = X[inside]
        # In one layout: sums in another order would end in other digits.
        some = some if sparse.issparse(some) else np.ascontiguousarray(some)
        return normalize(some) if len(inside) else some, inside

    def _own_pairs(self, X: Any) -> tuple[Array, Array, Array | None, Array | None]:
        """Samples and those nearest to them; how far each sees; and the samples that stand for their copies, if any.

        How far is the squared distance of a sample's farthest neighbour, if it is known: infinite where all others are
        neighbours, and 0 where none can be.
        """
        radii = np.zeros(X.shape[0])
        compared, inside = self._compared(X)
        if not len(inside):
            return inside, inside, radii, None
        copies = Copies(compared) if self.copies == "once" else None
        if copies is None or copies.none:
            index, squares = self._search(compared)
            rows, columns, group, heads = *_listed(index), np.arange(len(inside)), None
        else:
            index, squares = self._search(compared[copies.heads])
            rows, columns, group, heads = *copies.spread(index), copies.group, inside[copies.heads]
        if squares is None:
            return inside[rows], inside[columns], None, heads
        radii[inside] = squares[group, -1] if index.shape[1] == self.n_neighbors else np.inf
        return inside[rows], inside[columns], radii, heads

    def _affinity(self, X: Any, Q: Any, rows: Array, columns: Array, sigma: float) -> Any:
        """The weights of these pairs, queries x n."""
        values = self._weights(X, Q, rows, columns, sigma)
        return sorted_csr(sparse.csr_array((values, (rows, columns)), shape=(Q.shape[0], X.shape[0])))

    def _search(self, X: Any) -> tuple[Array, Array | None]:
        """The rows of X nearest to each, and how far they are, squared."""
        if self.search == "approximate" and X.shape[0] > self.n_neighbors + 1:
            return _approximate(X, self.n_neighbors, self.random_state), None
        if self.search == "projection":
            return backend_of(X).nearest_by_projection(X, self.n_neighbors, self.random_state, progress=steps)
        return backend_of(X).nearest(X, self.n_neighbors, progress=steps)

    def _weights(self, X: Any, Q: Any, rows: Array, columns: Array, sigma: float) -> Array:
        match self.weight:
            case "binary":
                return np.ones(len(rows))
            case "heat":
                return np.exp(-_over_pairs(_square_distances, Q, X, rows, columns) / (2 * sigma**2))
            case "dot":
                values = _over_pairs(_products, Q, X, rows, columns)
            case _:
                values = _over_pairs(_products, normalize(Q), normalize(X), rows, columns)
        if (values < 0).any():
            raise BadValueError(
                "{weight}={!r} gives a negative affinity ({:g}) for samples with negative entries: "
                "use {weight}='heat' or 'binary'",
                self.weight,
                values.min(),
            )
        return values


def _fits(facts: Mapping[str, Any]) -> None:
    is_square(facts)
    is_positive(facts, "sigma")
    n, radii = facts["W"].shape[0], facts.get("radii")
    if facts["X"].shape[0] != n:
        raise ValueError(f"a graph of {n} samples and {facts['X'].shape[0]} of them")
    if radii is not None and radii.shape != (n,):
        raise ValueError(f"a graph of {n} samples and {radii.shape} distances of neighbours")
    heads = facts.get("heads")
    if heads is not None and not (heads.dtype.kind == "i" and ((heads >= 0) & (heads < n)).all()):
        raise ValueError(f"a graph of {n} samples and others that stand for their copies")


@stored(_fits, W="W", builder="_builder", X="_X", sigma="_sigma", radii="_radii", heads="_heads")
class NeighborGraph(AffinityGraph):
    """A k-NN graph that remembers its samples, to find the neighbours of new ones."""

    can_tie = True

    def __init__(
        self,
        W: Any,
        builder: KNNGraph,
        X: Any,
        sigma: float,
        radii: Array | None = None,
        heads: Array | None = None,
    ) -> None:
        """``radii`` are the squared distances from each sample to its k-th neighbour; None where they are not known.

        ``heads`` are the samples that a new one is compared with, each for all its copies; None where it is all.
        """
        super().__init__(W)
        self._builder = builder
        self._X = X
        self._sigma = sigma
        self._radii = radii
        self._heads = heads

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        """W joins a new sample and a training sample where either is among the other's nearest, as in training."""
        check_width(X, self._X.shape[1])
        W = self._affinity(X).astype(V.dtype)
        return W @ V, np.asarray(W.sum(axis=1)).ravel()

    def _affinity(self, X: Any) -> Any:
        """Of new samples to the training samples, each on its own."""
        # Of the same kind and type as the training samples: what differs in its last digit is another sample.
        X = X.astype(self._X.dtype, copy=False)
        if sparse.issparse(self._X):
            X = sorted_csr(X)
        elif sparse.issparse(X):
            at_once = max(1, int(get_config()["working_memory"] * 2**20 // (8 * X.shape[1])))
            blocks = [X[start : start + at_once].toarray() for start in range(0, X.shape[0], at_once)]
            return sparse.vstack([self._affinity(block) for block in blocks], format="csr")
        return self._builder._affinity(self._X, X, *self._pairs(X), self._sigma)

    def _pairs(self, X: Any) -> tuple[Array, Array]:
        """New samples and their neighbours.

        A sample that is one of the training samples has the neighbours which that one has. Any other has those nearest
        to it, and those that would have it among their nearest.
        """
        (compared, inside), (new, rows) = self._compared, self._builder._compared(X)
        if not len(inside) or not len(rows):
            return rows[:0], inside[:0]
        index, squares = backend_of(X).nearest(compared, self._builder.n_neighbors, new, progress=steps)
        same = squares[:, 0] <= self._alike[inside[index[:, 0]]]
        known, others = np.flatnonzero(same), np.flatnonzero(~same)
        theirs = sparse.csr_array(self.W[inside[index[known, 0]]])
        found = [
            (rows[np.repeat(known, np.diff(theirs.indptr))], theirs.indices),
            (np.repeat(rows[others], index.shape[1]), inside[index[others].ravel()]),
        ]
        if self._radii is not None and len(others):
            asking, answering = backend_of(X).reached(compared, self._radii[inside], new[others], progress=steps)
            found.append((rows[others[asking]], inside[answering]))
        pairs = np.concatenate([row * self.n_samples + column.astype(np.int64) for row, column in found])
        return np.divmod(np.unique(pairs), self.n_samples)

    @cached_property
    def _alike(self) -> Array:
        """The squared distance up to which a sample counts as a training sample: files may have rounded it."""
        if self._radii is None:
            return np.zeros(self.n_samples)
        return np.where(np.isfinite(self._radii), ROUNDED**2 * self._radii, 0.0)

    @cached_property
    def _compared(self) -> tuple[Any, Array]:
        if self._heads is None:
            return self._builder._compared(self._X)
        compared, inside = self._builder._compared(self._X[self._heads])
        return compared, self._heads[inside]


def _listed(index: Array) -> tuple[Array, Array]:
    """Rows of neighbours as pairs."""
    return np.repeat(np.arange(len(index)), index.shape[1]), index.ravel()


def mean_distance(X: Any) -> float:
    """Mean Euclidean distance between samples (evenly spaced ones if there are many)."""
    from sklearn.metrics import pairwise_distances_chunked

    n = X.shape[0]
    some = X[np.unique(np.linspace(0, n - 1, min(n, SIGMA_SAMPLES)).astype(int))]
    total = sum(float(block.sum()) for block in pairwise_distances_chunked(some))
    return total / some.shape[0] ** 2 or 1.0


def _with_entries(X: Any) -> Array:
    entries = np.diff(X.indptr) if sparse.issparse(X) else X.any(axis=1)
    return np.flatnonzero(entries)


def _over_pairs(measure: Any, A: Any, B: Any, rows: Array, columns: Array) -> Array:
    """``measure`` of the pairs (a_row, b_column), as many at a time as the memory budget allows."""
    if sparse.issparse(A) != sparse.issparse(B):
        A, B = sparse.csr_array(A), sparse.csr_array(B)
    budget = get_config()["working_memory"] * 2**20
    at_once = max(1, int(budget // (4 * 8 * A.shape[1])))
    if sparse.issparse(A):
        at_once = max(at_once, 8192)
    out = np.empty(len(rows))
    for start in range(0, len(rows), at_once):
        pairs = slice(start, start + at_once)
        out[pairs] = measure(A[rows[pairs]], B[columns[pairs]])
    return out


def _products(a: Any, b: Any) -> Array:
    return np.asarray((a.multiply(b) if sparse.issparse(a) else a * b).sum(axis=1)).ravel()


def _square_distances(a: Any, b: Any) -> Array:
    gap = a - b
    return _products(gap, gap)


def _approximate(X: Any, n_neighbors: int, seed: int | None) -> Array:
    try:
        from pynndescent import NNDescent
    except ImportError as error:
        raise MissingPackageError(
            "{search}='approximate' needs pynndescent: pip install pynndescent, or use {search}='exact'"
        ) from error
    found, _ = NNDescent(X.astype(np.float32), n_neighbors=n_neighbors + 1, random_state=seed).neighbor_graph
    # Each sample finds itself, not always first; a sample that did not gives up its farthest neighbour.
    own = found == np.arange(X.shape[0])[:, None]
    own[~own.any(axis=1), -1] = True
    index = found[np.arange(n_neighbors + 1) != np.argmax(own, axis=1)[:, None]].reshape(-1, n_neighbors)
    if (index < 0).any():
        lost = int((index < 0).any(axis=1).sum())
        raise RuntimeError(f"the approximate search found too few neighbours for {lost} samples: use search='exact'")
    return index.astype(np.int64)
