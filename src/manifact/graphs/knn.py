"""Nearest-neighbour graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import clone

from manifact.backends import Array, Placed, backend_of, comes_in_blocks, of_blocks, on_host, whole
from manifact.graphs.builder import GraphBuilder, as_samples
from manifact.graphs.edge_weights import (
    SIGMA_SAMPLES,
    local_weights,
    mean_distance,
    own_widths,
    root_mean_square,
    symmetric_affinity,
)
from manifact.graphs.neighbor_lists import NeighborList, comparable, find_neighbors
from manifact.graphs.operators import AffinityGraph, Graph, check_width
from manifact.graphs.search_memory import distance_bytes, search_bytes, view_bytes
from manifact.graphs.views import View
from manifact.utils import checks
from manifact.utils.array_checks import Numbers, check_arrays
from manifact.utils.cached_properties import cached_property
from manifact.utils.errors import BadValueError, Sentence
from manifact.utils.memory import require
from manifact.utils.progress import showing, steps
from manifact.utils.sparse_matrices import sorted_csr
from manifact.utils.stored_classes import are_rows_of_a_table, has_affinity, is_positive, stored, stored_by_parameters

WEIGHTS = ("binary", "heat", "local", "dot", "cosine")
METRICS = ("euclidean", "cosine")
SEARCHES = ("exact", "projection", "approximate")
COPIES = ("once", "each")
#: Two samples are one and the same that differ by this share of the distance to the farthest neighbour.
ROUNDED = 1e-5
#: The same sample looked at twice in a view differs by less than this, at unit length.
REPEATED = 1e-14


@stored_by_parameters
class KNNGraph(GraphBuilder):
    """W_js > 0 where one of two samples is among the other's nearest neighbours (GNMF paper, section 3.1).

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each sample, not counting itself; all others if there are fewer.
    weight : {"binary", "heat", "local", "dot", "cosine"}, default="binary"
        1; exp(−d² / 2σ²) with d the Euclidean distance; exp(−d_ij² / (σ_i σ_j)) with d_ij the distance that decides
        who is near, and σ_i² the median of d_ij² over the edges of sample i; the inner product; its cosine. The last
        two need non-negative samples, and are the same for samples of unit length.
    metric : {"euclidean", "cosine"}, default="euclidean"
        What "nearest" means. With "cosine" a sample without entries has no neighbours. With ``directions`` or
        ``roots`` samples are at unit length, and both mean the same.
    sigma : float, "auto" or "neighbors", default="auto"
        Width of the heat kernel; "auto" is the mean distance between samples (the authors' choice, which makes all
        weights nearly equal), "neighbors" the mean distance between neighbours.
    directions : int or None, default=None
        Look for neighbours, and measure distances, among so many leading directions of the samples: these are brought
        to unit length, X ~ P diag(s) Qᵀ is their truncated singular value decomposition (not centred), and a sample is
        z = x Q diag(s^(−balance)) at unit length. Fewer where X has no more. Samples without entries have no
        neighbours. None compares all features.
    balance : float, default=0.0
        From 0, each direction as long as it is, to 1, all equally long.
    roots : bool, default=False
        Take the square roots of the entries, which must be ≥ 0, and bring the samples to unit length first (with and
        without ``directions``): distances are then Hellinger's, for counts and histograms.
    search : {"exact", "projection", "approximate"}, default="exact"
        "exact" searches in blocks within scikit-learn's ``working_memory``. "projection" looks for candidates among
        the samples projected onto their 64 principal directions and ranks those by their distances in full: almost
        the exact graph of many images in a fraction of the time. 256 of the samples tell how many candidates contain
        98% of the neighbours; where 12 times ``n_neighbors`` are not enough (most text), and with at most 2,000 samples
        or fewer than 128 features, and among ``directions``, the search is exact. "approximate" is pynndescent (an
        optional dependency; its graph depends on ``random_state`` and the number of threads). New samples always find
        their neighbours exactly, and are found by training samples as these found each other, but not after an
        "approximate" search.
    copies : {"once", "each"}, default="once"
        Equal samples count as one neighbour, and are joined among each other in a ring; or each counts, as in the
        authors' programs, where many copies have only each other for neighbours and the graph falls into pieces.
    random_state : int or None, default=0
        Seed of the directions, of the projection and of the approximate search.
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
        directions: int | None = None,
        balance: float = 0.0,
        roots: bool = False,
        search: str = "exact",
        copies: str = "once",
        random_state: int | None = 0,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weight = weight
        self.metric = metric
        self.sigma = sigma
        self.directions = directions
        self.balance = balance
        self.roots = roots
        self.search = search
        self.copies = copies
        self.random_state = random_state
        self.verbose = verbose

    def build(self, X: Any, y: Any = None) -> Graph:
        """The symmetric graph of the rows of X: the larger of both directions."""
        self._check()
        X = as_samples(X)
        if comes_in_blocks(X) and self.directions is None:
            raise BadValueError(
                "X in blocks of rows needs {graph}=LandmarkGraph(), or of GNMF, AffinityNMF KNNGraph({directions}=50)"
            )
        remedy = Sentence("use {graph}=LandmarkGraph(), or fewer samples")
        require(self.memory_needed(X), "the search for neighbours", remedy)
        with showing(bool(self.verbose)):
            view = View.fit(X, self.roots, self.directions, self.balance, random_state=self.random_state)
            Z = of_blocks(X, view.features) if comes_in_blocks(X) else view.features(X)
            # Among few directions the exact search is the quickest.
            search = "exact" if self.directions is not None and self.search == "projection" else self.search
            found = find_neighbors(Z, self.n_neighbors, self._metric, search, self.copies, self.random_state)
        return self._joined(view, Z, found)

    def memory_needed(self, X: Any) -> float:
        """Of the exact search, in the view that samples are compared in."""
        view = view_bytes(X, self.directions) if self.at_unit_length else 0.0
        widths = distance_bytes(X, SIGMA_SAMPLES) if self.weight == "heat" and self.sigma == "auto" else 0.0
        return search_bytes(X, self.n_neighbors) + view + widths

    def _joined(self, view: View, Z: Any, found: NeighborList) -> NeighborGraph:
        """The graph of samples that are Z in a view, from neighbours that were found there."""
        pairs = found.pairs()
        widths = None
        if self.weight == "local":
            squares = self._squares(Z, Z, pairs.rows, pairs.columns) if pairs.squares is None else pairs.squares
            sigma = root_mean_square(squares)
            W, widths = symmetric_affinity(pairs.rows, pairs.columns, squares, Z.shape[0], "local", sigma)
        else:
            sigma = self._sigma(Z, pairs.rows, pairs.columns)
            if self.weight == "heat" and self._metric == "euclidean" and pairs.squares is not None:
                # The search has told the distances.
                values = np.exp(-pairs.squares / (2 * sigma**2))
                W = _matrix(values, pairs.rows, pairs.columns, (Z.shape[0], Z.shape[0]))
            else:
                W = self._affinity(Z, Z, pairs.rows, pairs.columns, sigma)
            W = sparse.csr_array(W.maximum(W.T))
        kept, radii = None if view.plain else view, found.radii(self.n_neighbors)
        # A copy of the parameters: what the user sets later must not change a graph that is built.
        return NeighborGraph(W, clone(self), on_host(Z), sigma, radii, found.heads, kept, widths)

    def _check(self) -> None:
        checks.integer("n_neighbors", self.n_neighbors, at_least=1)
        checks.option("weight", self.weight, WEIGHTS)
        checks.option("metric", self.metric, METRICS)
        checks.option("search", self.search, SEARCHES)
        checks.option("copies", self.copies, COPIES)
        checks.option("roots", self.roots, (False, True))
        checks.real("balance", self.balance, at_least=0, at_most=1)
        if self.directions is not None:
            checks.integer("directions", self.directions, at_least=1)
        elif self.balance:
            raise BadValueError(
                "{balance}={:g} balances directions: give {directions} as well, such as {directions}=50", self.balance
            )
        if isinstance(self.sigma, str):
            checks.option("sigma", self.sigma, ("auto", "neighbors"))
        else:
            checks.real("sigma", self.sigma, above=0)

    @property
    def _metric(self) -> str:
        """What samples are compared by: those that were looked at in a view are at unit length."""
        return "unit" if self.at_unit_length else self.metric

    @property
    def at_unit_length(self) -> bool:
        """Whether samples are brought to length 1 before they are compared, so that all metrics are one."""
        return self.roots or self.directions is not None

    def _sigma(self, X: Any, rows: Array, columns: Array) -> float:
        if self.weight != "heat":
            return 1.0
        if self.sigma == "neighbors":
            return float(np.sqrt(backend_of(X).rows.pair_squares(X, X, rows, columns)).mean()) or 1.0
        return mean_distance(X) if self.sigma == "auto" else float(self.sigma)

    def _affinity(self, X: Any, Q: Any, rows: Array, columns: Array, sigma: float) -> Any:
        """The weights of these pairs, queries x n."""
        return _matrix(self._weights(X, Q, rows, columns, sigma), rows, columns, (Q.shape[0], X.shape[0]))

    def _squares(self, X: Any, Q: Any, rows: Array, columns: Array) -> Array:
        """Squared distances of pairs as they are compared."""
        of = backend_of(X).rows
        if self._metric == "cosine":
            X, Q = of.at_unit_length(X), of.at_unit_length(Q)
        return of.pair_squares(Q, X, rows, columns)

    def _weights(self, X: Any, Q: Any, rows: Array, columns: Array, sigma: float) -> Array:
        of = backend_of(X).rows
        match self.weight:
            case "binary":
                return np.ones(len(rows))
            case "heat":
                return np.exp(-of.pair_squares(Q, X, rows, columns) / (2 * sigma**2))
            case "dot":
                values = of.pair_products(Q, X, rows, columns)
            case _:
                values = of.pair_products(of.at_unit_length(Q), of.at_unit_length(X), rows, columns)
        if (values < 0).any():
            why = "samples with negative entries" if self.directions is None else "neighbours among few directions"
            raise BadValueError(
                "{weight}={!r} gives a negative affinity ({:g}) for {}: use {weight}='heat' or 'binary'",
                self.weight,
                values.min(),
                why,
            )
        return values


SCHEMA = {
    "X": Numbers(("n", "features"), sparse=True),
    "radii": Numbers(("n",), least=0, infinite=True),
    "widths": Numbers(("n",), least=0, above=True),
    "heads": Numbers(("heads",), least=0, whole=True),
}


def _fits(facts: Mapping[str, Any]) -> None:
    has_affinity(facts)
    is_positive(facts, "sigma")
    builder, view, n = facts["builder"], facts.get("view"), facts["W"].shape[0]
    if not isinstance(builder, KNNGraph):
        raise ValueError(f"a graph of neighbours built by {type(builder).__name__}")
    builder._check()
    if isinstance(view, View) != (builder._metric == "unit"):
        raise ValueError(f"parameters {builder} and a view that does not belong to them")
    check_arrays(SCHEMA, facts, {"n": n} if view is None else {"n": n, "features": view.n_compared})
    if (facts.get("widths") is not None) != (builder.weight == "local"):
        raise ValueError(f"weights {builder.weight!r} and widths that do not belong to them")
    heads = facts.get("heads")
    if heads is not None and (heads >= n).any():
        raise ValueError(f"a graph of {n} samples and others that stand for their copies")
    are_rows_of_a_table(facts.get("candidates"))


@stored(
    _fits, W="W", builder="_builder", X="_X", sigma="_sigma", radii="_radii", heads="_heads", view="_view",
    widths="_widths", candidates="candidates_",
)  # fmt: skip
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
        view: View | None = None,
        widths: Array | None = None,
        candidates: list[dict[str, Any]] | None = None,
    ) -> None:
        """``X`` are the samples as they are compared: in the ``view``, where there is one.

        ``radii`` are the squared distances from each sample to its k-th neighbour; None where they are not known.

        ``heads`` are the samples that a new one is compared with, each for all its copies; None where it is all.
        ``widths`` are the σ_i² of "local" weights, and ``sigma`` the root mean square of the distances behind them.
        ``candidates`` are the rows of what this graph was chosen from; none where nobody chose.
        """
        super().__init__(W)
        self._builder = builder
        self._X = X
        self._sigma = sigma
        self._radii = radii
        self._heads = heads
        self._view = view
        self._widths = widths
        self.candidates_ = candidates or []

    @property
    def builder(self) -> KNNGraph:
        """The parameters that it was built with."""
        return clone(self._builder)

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        """W joins a new sample and a training sample where either is among the other's nearest, as in training."""
        X = whole(X)
        check_width(X, self._X.shape[1] if self._view is None else self._view.width)
        W = self._affinity(X).astype(V.dtype)
        return W @ V, np.asarray(W.sum(axis=1)).ravel()

    def _affinity(self, X: Any) -> Any:
        """Of new samples to the training samples, each on its own."""
        # Of the same kind and type as the training samples: what differs in its last digit is another sample.
        rows = backend_of(X).rows
        X = rows.typed(X, self._X.dtype)
        if self._view is not None:
            X = self._view.features(rows.of_kind(X, False))
        if sparse.issparse(self._X):
            X = rows.of_kind(X, True)
        elif rows.is_sparse(X):
            at_once = max(1, int(get_config()["working_memory"] * 2**20 // (8 * X.shape[1])))
            starts = range(0, X.shape[0], at_once)
            blocks = [rows.dense(rows.taken(X, slice(start, start + at_once))) for start in starts]
            return sparse.vstack([self._joined(block) for block in blocks], format="csr")
        return self._joined(X)

    def _joined(self, X: Any) -> Any:
        """The affinities of new samples, as they are compared."""
        rows, columns, twins = self._pairs(X)
        training = self._training.beside(X)
        if self._widths is None:
            return self._builder._affinity(training, X, rows, columns, self._sigma)
        squares = self._builder._squares(training, X, rows, columns)
        mine = own_widths(rows, squares, X.shape[0], self._sigma)
        # A training sample keeps the width that it has, with edges too weak to be in W.
        mine[twins >= 0] = self._widths[twins[twins >= 0]]
        weights = local_weights(squares, mine[rows], self._widths[columns])
        return _matrix(weights, rows, columns, (X.shape[0], self.n_samples))

    def _pairs(self, X: Any) -> tuple[Array, Array, Array]:
        """New samples and their neighbours, and which training sample each new one is (−1: none).

        A sample that is one of the training samples has the neighbours which that one has. Any other has those nearest
        to it, and those that would have it among their nearest.
        """
        (compared, inside), (new, rows) = self._compared, comparable(X, self._builder._metric)
        compared = compared.beside(X)
        twins = np.full(X.shape[0], -1)
        if not len(inside) or not len(rows):
            return rows[:0], inside[:0], twins
        found_nearest = backend_of(X).nearest(compared, self._builder.n_neighbors, new, progress=steps)
        index, squares = map(on_host, found_nearest)
        same = squares[:, 0] <= self._alike[inside[index[:, 0]]]
        known, others = np.flatnonzero(same), np.flatnonzero(~same)
        twins[rows[known]] = inside[index[known, 0]]
        theirs = sparse.csr_array(self.W[inside[index[known, 0]]])
        found = [
            (rows[np.repeat(known, np.diff(theirs.indptr))], theirs.indices),
            (np.repeat(rows[others], index.shape[1]), inside[index[others].ravel()]),
        ]
        if self._radii is not None and len(others):
            some, radii = backend_of(X).rows.taken(new, others), self._radii[inside]
            asking, answering = map(on_host, backend_of(X).reached(compared, radii, some, progress=steps))
            found.append((rows[others[asking]], inside[answering]))
        pairs = np.concatenate([row * self.n_samples + column.astype(np.int64) for row, column in found])
        return *np.divmod(np.unique(pairs), self.n_samples), twins

    @cached_property
    def _alike(self) -> Array:
        """The squared distance up to which a sample counts as a training sample: files may have rounded it."""
        # What is computed of samples, in a view, is rounded however they come; there lengths are 1.
        unknown, least = (0.0, 0.0) if self._view is None else (ROUNDED**2, REPEATED**2)
        if self._radii is None:
            return np.full(self.n_samples, unknown)
        return np.maximum(np.where(np.isfinite(self._radii), ROUNDED**2 * self._radii, unknown), least)

    @cached_property
    def _compared(self) -> tuple[Placed, Array]:
        if self._heads is None:
            compared, inside = comparable(self._X, self._builder._metric)
            return self._training if compared is self._X else Placed(compared), inside
        compared, inside = comparable(self._X[self._heads], self._builder._metric)
        return Placed(compared), self._heads[inside]

    @cached_property
    def _training(self) -> Placed:
        return Placed(self._X)


def _matrix(values: Array, rows: Array, columns: Array, shape: tuple[int, int]) -> Any:
    return sorted_csr(sparse.csr_array((values, (rows, columns)), shape=shape))
