"""Graphs as operators: they apply W, D and L = D − W, and solve with A + λL. Nobody asks what W is made of."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator
from sklearn.exceptions import ConvergenceWarning

from manifact.backends import Array, Matrix, backend_of, device_of, namespace
from manifact.backends.matrix import Pieces
from manifact.utils.cached_properties import cached_property
from manifact.utils.stored_classes import has_affinity, stored

#: Copies that graphs keep beside arrays of devices.
KEPT_FOR_DEVICES = ("_vectors", "_spectra")


class Graph:
    """A symmetric affinity W ≥ 0 of n samples without self loops (they do not change L).

    It lives on the host; it applies to arrays of any backend, and answers where they live.
    """

    #: Row sums of W.
    degrees: Array
    #: W as a list of entries, where it is kept that way.
    edges: Matrix | None = None
    #: Whether `tie` works.
    can_tie: bool = False
    #: Whether `solve` has a factorisation for systems with one number in each column's diagonal.
    factored: bool = False

    def __getstate__(self) -> dict[str, Any]:
        # Another process may have no such device: what is kept for its arrays is made again.
        return {name: value for name, value in vars(self).items() if name not in KEPT_FOR_DEVICES}

    @property
    def n_samples(self) -> int:
        """Number of vertices."""
        return len(self.degrees)

    def adjacency(self, V: Array) -> Array:
        """W V."""
        raise NotImplementedError

    def pieces(self) -> Pieces:
        """W by what it is made of, for linear solves."""
        raise NotImplementedError

    def in_memory(self) -> Graph:
        """The same graph in one memory."""
        return self

    def content(self) -> Any:
        """What says of which graph this is, where its rows are not in one memory; None where they are."""
        return None

    def of_samples(self, some: Array) -> Graph:
        """The graph of some of the samples."""
        raise NotImplementedError

    def groups(self) -> Sequence[Array] | None:
        """The samples in groups without edges inside, where those are known."""
        return None

    def energies(self, A: Array, B: Array) -> Array:
        """a_kᵀLb_k for every column."""
        return backend_of(A).column_products(A, self.laplacian(B))

    def energy(self, A: Array, B: Array) -> Any:
        """Tr(AᵀLB), a number or one of the device."""
        return self.energies(A, B).sum()

    def majorizer(self, V: Array) -> tuple[Array, Array]:
        """D' and W'V for some L = D' − W' with W' positive semi-definite, D' a diagonal.

        D + W is such a matrix for every graph.
        """
        return 2 * self.vector(V), self.degree(V) + self.adjacency(V)

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        """W V and the degrees for new samples X, W their affinity to the training samples with representation V."""
        raise ValueError(
            "tie=True needs a graph that finds neighbours of new samples: fit with graph=KNNGraph(...) "
            f"instead of {type(self).__name__}"
        )

    def vector(self, V: Array) -> Array:
        """The degrees as numbers of V's kind, brought to each place once."""
        place = type(V), device_of(V), V.dtype
        if place not in self._vectors:
            self._vectors[place] = beside_rows(self.degrees, V)
        return self._vectors[place]

    @cached_property
    def _vectors(self) -> dict[Any, Array]:
        return {}

    def degree(self, V: Array) -> Array:
        """D V."""
        return self.vector(V)[:, None] * V

    def laplacian(self, V: Array) -> Array:
        """L V."""
        return self.degree(V) - self.adjacency(V)

    def solve(
        self, A: Any, lam: float, B: Array, start: Array | None = None, tol: float = 1e-12, reduction: float = 0.0
    ) -> Array:
        """Column k of the answer is (diag(A_k) + λL)⁻¹ b_k; A is n x k, or broadcasts to it.

        All columns are solved together by conjugate gradients; W is only ever applied. The relative residual is at
        most ``tol``, or ``reduction`` times that of ``start``: enough where the answer is one step of many.
        """
        pieces, xp = self.pieces(), namespace(B)
        # A few digits can be computed in the type of B. All of them need float64, whatever V is: small weights and
        # large λ make systems that float32 cannot hold.
        narrow = reduction and pieces.tall is None
        right = B if narrow else xp.astype(B, xp.float64, copy=False)
        Z, residual = backend_of(B).solve_columns(pieces, A, lam, right, start, tol, reduction)
        if not reduction and residual > max(1e-6, 100 * tol):
            warnings.warn(
                f"a linear solve ended at the relative residual {residual:.1e}: lower graph_reg or scale the weights",
                ConvergenceWarning,
                stacklevel=3,
            )
        return xp.astype(Z, B.dtype, copy=False)

    def normalized(self) -> LinearOperator:
        """D^(−1/2) W D^(−1/2)."""
        scale = np.divide(1, np.sqrt(self.degrees), out=np.zeros(self.n_samples), where=self.degrees > 0)[:, None]

        def apply(V: Array) -> Array:
            V = V.reshape(self.n_samples, -1)
            return scale * self.adjacency(scale * V)

        n = self.n_samples
        return LinearOperator((n, n), matvec=apply, matmat=apply, rmatvec=apply, dtype=np.float64)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_samples={self.n_samples})"


@stored(has_affinity, W="W")
class AffinityGraph(Graph):
    """A graph held as its sparse matrix W (symmetric, ≥ 0, zero diagonal: `check_affinity` sees to it)."""

    edges: Matrix

    def __init__(self, W: Any) -> None:
        self.W = W
        self.edges = Matrix(W)
        self.degrees = np.asarray(W.sum(axis=1)).ravel()

    def adjacency(self, V: Array) -> Array:
        return backend_of(V).times(self.edges, V)

    def pieces(self) -> Pieces:
        return Pieces(self.degrees, self.edges)

    def of_samples(self, some: Array) -> Graph:
        """Edges between these samples."""
        return self if len(some) == self.n_samples else AffinityGraph(sparse.csr_array(self.W[some][:, some]))

    def energies(self, A: Array, B: Array) -> Array:
        """1/2 Σ_js W_js (a_jk − a_sk)(b_jk − b_sk)."""
        return backend_of(A).edge_energies(self.edges, A, B)

    def groups(self) -> Sequence[Array]:
        return self._classes

    @cached_property
    def _classes(self) -> Sequence[Array]:
        return backend_of(self.degrees).edge_classes(self.edges)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_samples={self.n_samples}, n_edges={self.W.nnz // 2})"


def _are_alike(facts: Mapping[str, Any]) -> None:
    graphs, weights = facts["graphs"], facts["weights"]
    if not graphs or not all(isinstance(graph, Graph) for graph in graphs) or len(weights) != len(graphs):
        raise ValueError(f"a sum of {len(graphs)} graphs with {len(weights)} weights")
    if len({graph.n_samples for graph in graphs}) > 1:
        raise ValueError("a sum of graphs of different samples")
    if not all(isinstance(weight, int | float) and 0 <= weight < np.inf for weight in weights):
        raise ValueError(f"a sum of graphs with weights {weights}")


@stored(_are_alike, graphs="graphs", weights="weights")
class SumOfGraphs(Graph):
    """Σ_i w_i W_i."""

    def __init__(self, graphs: Sequence[Graph], weights: Sequence[float]) -> None:
        self.graphs = list(graphs)
        self.weights = list(weights)
        self.can_tie = all(graph.can_tie for graph in self.graphs)
        self.degrees = sum(
            (w * graph.degrees for w, graph in zip(self.weights, self.graphs, strict=True)),
            start=np.zeros(self.graphs[0].n_samples),
        )

    def _weighted(self, parts: Any) -> Any:
        """Σ_i w_i times the parts."""
        scaled = [weight * part for weight, part in zip(self.weights, parts, strict=True)]
        return sum(scaled[1:], start=scaled[0])

    def adjacency(self, V: Array) -> Array:
        return self._weighted(graph.adjacency(V) for graph in self.graphs)

    @cached_property
    def _pieces(self) -> Pieces:
        found = [(weight, graph.pieces()) for weight, graph in zip(self.weights, self.graphs, strict=True)]
        edges = [weight * one.edges.csr for weight, one in found if one.edges is not None]
        tall = [np.sqrt(weight) * one.tall.csr for weight, one in found if one.tall is not None]
        flat = [np.sqrt(weight) * one.flat.csr for weight, one in found if one.flat is not None]
        loops = [weight * one.loops for weight, one in found if one.loops is not None]
        return Pieces(
            self.degrees,
            Matrix(sum(edges[1:], start=edges[0])) if edges else None,
            Matrix(sparse.hstack(tall, format="csr")) if tall else None,
            Matrix(sparse.vstack(flat, format="csr")) if flat else None,
            sum(loops, start=np.zeros(self.n_samples)),
        )

    def pieces(self) -> Pieces:
        return self._pieces

    def energies(self, A: Array, B: Array) -> Array:
        return self._weighted(graph.energies(A, B) for graph in self.graphs)

    def majorizer(self, V: Array) -> tuple[Array, Array]:
        diagonals, pulls = zip(*(graph.majorizer(V) for graph in self.graphs), strict=True)
        return self._weighted(diagonals), self._weighted(pulls)

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        pulls, degrees = zip(*(graph.tie(X, V) for graph in self.graphs), strict=True)
        return self._weighted(pulls), self._weighted(degrees)


def beside(numbers: Array, V: Array) -> Array:
    """Numbers of the host in V's type, where V lives."""
    placed = backend_of(V).like(numbers, V)
    return namespace(V).astype(placed, V.dtype, copy=False)


def beside_rows(numbers: Array, V: Array) -> Array:
    """The same for numbers of which every sample has its own."""
    placed = backend_of(V).like_rows(numbers, V)
    return namespace(V).astype(placed, V.dtype, copy=False)


def check_width(X: Any, width: int) -> None:
    """New samples are as wide as those that the graph was built on."""
    if X.shape[1] != width:
        raise ValueError(
            f"the graph was built on samples of {width} features and cannot find neighbours of samples of "
            f"{X.shape[1]}: pass the new samples as the graph knows them as graph_X, or tie=False"
        )
