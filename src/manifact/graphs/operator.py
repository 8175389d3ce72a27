"""Graphs as operators: they apply W, D and L = D − W, and solve with A + λL. Nobody asks what W is made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from manifact.backends import Array
from manifact.backends.numpy import color_classes, edge_energies, solve_columns, sorted_csr, sparse_times, sweep_rows
from manifact.solvers.linear import conjugate_gradient, warn_of


class Graph:
    """A symmetric affinity W ≥ 0 of n samples without self loops (they do not change L)."""

    #: Row sums of W.
    degrees: Array
    #: Whether `tie` works.
    can_tie: bool = False
    #: Whether `solve` has a factorisation for systems with one number in each column's diagonal.
    factored: bool = False

    @property
    def n_samples(self) -> int:
        """Number of vertices."""
        return len(self.degrees)

    def adjacency(self, V: Array) -> Array:
        """W V."""
        raise NotImplementedError

    def energies(self, A: Array, B: Array) -> Array:
        """a_kᵀLb_k for every column."""
        return np.einsum("ij,ij->j", A, self.laplacian(B), dtype=np.float64)

    def energy(self, A: Array, B: Array) -> float:
        """Tr(AᵀLB)."""
        return float(self.energies(A, B).sum())

    def majorizer(self, V: Array) -> tuple[Array, Array]:
        """D' and W'V for some L = D' − W' with W' positive semi-definite, D' a diagonal.

        −Tr(VᵀW'V) then lies below its tangent, so V may be improved row by row with W'V held still. D + W is such a
        matrix for every graph.
        """
        return 2 * self.degrees, self.degree(V) + self.adjacency(V)

    def sweep(self, V: Array, G: Array, B: Array, scale: Any, shift: Any, lam: float, sweeps: int) -> Array:
        """V ≥ 0 after steps that lower Σ_j scale_j v_jᵀGv_j − 2 b_jᵀv_j + shift_j v_jᵀv_j + λ Tr(VᵀLV)."""
        diagonal, pull = self.majorizer(V)
        return sweep_rows(V, G, B + V.dtype.type(lam) * pull, scale, shift + lam * diagonal, sweeps)

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        """W V and the degrees for new samples X, W their affinity to the training samples with representation V."""
        raise ValueError(
            "tie=True needs a graph that finds neighbours of new samples: fit with graph=KNNGraph(...) "
            f"instead of {type(self).__name__}"
        )

    def degree(self, V: Array) -> Array:
        """D V."""
        return self.degrees[:, None].astype(V.dtype, copy=False) * V

    def laplacian(self, V: Array) -> Array:
        """L V."""
        return self.degree(V) - self.adjacency(V)

    def solve(
        self, A: Array, lam: float, B: Array, start: Array | None = None, tol: float = 1e-12, reduction: float = 0.0
    ) -> Array:
        """Column k of the answer is (diag(A_k) + λL)⁻¹ b_k; A is n x k, or broadcasts to it.

        All columns are solved together by conjugate gradients; W is only ever applied. The relative residual is at the
        most ``tol``, or ``reduction`` times that of ``start``: enough where the answer is one step of many.
        """
        # In float64 whatever V is: small weights and large λ make systems that float32 cannot hold.
        right = B.astype(np.float64, copy=False)
        diagonal = np.asarray(A, dtype=np.float64) + lam * self.degrees[:, None]
        # A vertex without neighbours, loss or penalty has nothing to determine it: it gets 0.
        diagonal = np.where(diagonal > 0, diagonal, 1)

        def apply(P: Array) -> Array:
            out = self.adjacency(P)
            out *= -lam
            out += diagonal * P
            return out

        start = None if start is None else start.astype(np.float64)
        Z = conjugate_gradient(apply, np.broadcast_to(diagonal, B.shape), right, start, tol, reduction)
        return Z.astype(B.dtype, copy=False)

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


class AffinityGraph(Graph):
    """A graph held as its sparse matrix W (symmetric, ≥ 0, zero diagonal: `check_affinity` sees to it)."""

    def __init__(self, W: Any) -> None:
        self.W = W
        self.degrees = np.asarray(W.sum(axis=1)).ravel()

    @cached_property
    def _single(self) -> Any:
        return self.W.astype(np.float32)

    def adjacency(self, V: Array) -> Array:
        return sparse_times(self._single if V.dtype == np.float32 else self.W, V)

    def energies(self, A: Array, B: Array) -> Array:
        """1/2 Σ_js W_js (a_jk − a_sk)(b_jk − b_sk)."""
        return edge_energies(self.W, A, B)

    def solve(
        self, A: Array, lam: float, B: Array, start: Array | None = None, tol: float = 1e-12, reduction: float = 0.0
    ) -> Array:
        # A few digits may be had in the type of B; to the last ones in float64, whatever it is.
        right = B if reduction else B.astype(np.float64, copy=False)
        if start is None:
            diagonal = np.asarray(A) + lam * self.degrees[:, None]
            start = right / np.where(diagonal > 0, diagonal, 1)
        Z, residual = solve_columns(self.W, self.degrees, A, lam, right, start, tol, reduction)
        if not reduction:
            warn_of(residual, tol)
        return Z.astype(B.dtype, copy=False)

    @cached_property
    def _colors(self) -> list[Array]:
        return color_classes(self.W)

    def sweep(self, V: Array, G: Array, B: Array, scale: Any, shift: Any, lam: float, sweeps: int) -> Array:
        """Gauss-Seidel: rows of one colour are no neighbours, so they move together and see the others' new values."""
        return sweep_rows(V, G, B, scale, shift + lam * self.degrees, sweeps, self.W, lam, self._colors)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_samples={self.n_samples}, n_edges={self.W.nnz // 2})"


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

    def adjacency(self, V: Array) -> Array:
        out = np.zeros_like(V)
        for weight, graph in zip(self.weights, self.graphs, strict=True):
            out += V.dtype.type(weight) * graph.adjacency(V)
        return out

    def energies(self, A: Array, B: Array) -> Array:
        parts = (w * graph.energies(A, B) for w, graph in zip(self.weights, self.graphs, strict=True))
        return sum(parts, start=np.zeros(A.shape[1]))

    def majorizer(self, V: Array) -> tuple[Array, Array]:
        parts = [graph.majorizer(V) for graph in self.graphs]
        diagonal: Any = sum(w * part[0] for w, part in zip(self.weights, parts, strict=True))
        return diagonal, sum(V.dtype.type(w) * part[1] for w, part in zip(self.weights, parts, strict=True))

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        parts = [graph.tie(X, V) for graph in self.graphs]
        pull = sum(V.dtype.type(w) * part[0] for w, part in zip(self.weights, parts, strict=True))
        return pull, sum(V.dtype.type(w) * part[1] for w, part in zip(self.weights, parts, strict=True))


class LabelCliques(Graph):
    """Samples of one class are joined to each other: W = H Hᵀ − diag, kept as the indicator matrix H.

    A class of 10,000 samples has 10⁸ edges and costs 10,000 entries here.
    """

    can_tie = True

    def __init__(self, H: Any) -> None:
        """The non-zeros of a column of H are equal."""
        self.H = H
        self._loops = np.asarray(H.multiply(H).sum(axis=1)).ravel()
        self.degrees = H @ np.asarray(H.sum(axis=0)).ravel() - self._loops

    def adjacency(self, V: Array) -> Array:
        H = self.H.astype(V.dtype, copy=False)
        return H @ (H.T @ V) - self._loops[:, None].astype(V.dtype) * V

    def majorizer(self, V: Array) -> tuple[Array, Array]:
        """H Hᵀ with its loops is positive semi-definite."""
        return self.degrees + self._loops, self.adjacency(V) + self._loops[:, None].astype(V.dtype) * V

    def energies(self, A: Array, B: Array) -> Array:
        """Σ over classes of (size · weight) times the covariance: differences first, as on edges."""
        members = (self.H > 0).astype(np.float64)
        sizes = np.maximum(np.asarray(members.sum(axis=0)).reshape(-1, 1), 1)
        scale = (self.degrees + self._loops)[:, None]
        A, B = (P - members @ ((members.T @ P) / sizes) for P in (A.astype(np.float64), B.astype(np.float64)))
        return np.sum(scale * A * B, axis=0)

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        """New samples have no label, hence no neighbours here."""
        return np.zeros((X.shape[0], V.shape[1]), dtype=V.dtype), np.zeros(X.shape[0], dtype=V.dtype)


def check_width(X: Any, width: int) -> None:
    """New samples are as wide as those that the graph was built on."""
    if X.shape[1] != width:
        raise ValueError(
            f"the graph was built on samples of {width} features and cannot find neighbours of samples of "
            f"{X.shape[1]}: pass the new samples as the graph knows them as graph_X, or tie=False"
        )


def check_affinity(W: Any, name: str = "graph") -> Any:
    """W as CSR without its diagonal, or one sentence that says what is wrong with it."""
    if not hasattr(W, "shape") or len(W.shape) != 2 or W.shape[0] != W.shape[1]:
        shape = getattr(W, "shape", type(W).__name__)
        raise ValueError(f"{name} must be a graph builder such as KNNGraph() or a square affinity matrix, got {shape}")
    W = sorted_csr(sparse.csr_array(W).astype(np.float64))
    if not np.isfinite(W.data).all():
        raise ValueError(f"{name} contains NaN or infinity: replace or drop these affinities")
    if W.nnz and W.data.min() < 0:
        raise ValueError(f"{name} has a negative affinity ({W.data.min():g}): affinities must be >= 0")
    asymmetry = abs(W - W.T)
    # Affinities that were computed in float32 differ by their rounding.
    if asymmetry.nnz and asymmetry.max() > 1e-5 * W.data.max():
        raise ValueError(
            f"{name} is not symmetric (largest difference {asymmetry.max():g}): "
            "pass the elementwise maximum of W and its transpose, W.maximum(W.T)"
        )
    return without_loops(sparse.csr_array((W + W.T) / 2) if asymmetry.nnz else W)


def without_loops(W: Any) -> Any:
    """W with an empty diagonal: self loops do not change L."""
    if W.shape[0] and W.diagonal().any():
        W = W - sparse.diags_array(W.diagonal())
        W = sparse.csr_array(W)
    else:
        W = W.copy()
    W.eliminate_zeros()
    return sorted_csr(W)
