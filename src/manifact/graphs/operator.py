"""Graphs as operators: they apply W, D and L = D − W, and solve with A + λL. Nobody asks what W is made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from manifact.backends import Array
from manifact.solvers.linear import conjugate_gradient


class Graph:
    """A symmetric affinity W ≥ 0 of n samples without self loops (they do not change L)."""

    #: Row sums of W.
    degrees: Array

    @property
    def n_samples(self) -> int:
        """Number of vertices."""
        return len(self.degrees)

    def adjacency(self, V: Array) -> Array:
        """W V."""
        raise NotImplementedError

    def energy(self, A: Array, B: Array) -> float:
        """Tr(AᵀLB)."""
        return float(np.einsum("ij,ij->", A, self.laplacian(B), dtype=np.float64))

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

    def solve(self, A: Array, lam: float, B: Array, start: Array | None = None, tol: float = 1e-12) -> Array:
        """Column k of the answer is (diag(A_k) + λL)⁻¹ b_k; A is n x k, or broadcasts to it.

        All columns are solved together by conjugate gradients; W is only ever applied.
        """
        A = np.asarray(A, dtype=B.dtype)
        diagonal = A + B.dtype.type(lam) * self.degrees[:, None].astype(B.dtype, copy=False)
        # A vertex without neighbours, loss or penalty has nothing to determine it: it gets 0.
        diagonal = np.where(diagonal > 0, diagonal, 1)

        def apply(P: Array) -> Array:
            out = self.adjacency(P)
            out *= -B.dtype.type(lam)
            out += diagonal * P
            return out

        return conjugate_gradient(apply, np.broadcast_to(diagonal, B.shape), B, start, tol)

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
        from manifact.backends.numpy import sparse_times

        return sparse_times(self._single if V.dtype == np.float32 else self.W, V)

    def energy(self, A: Array, B: Array) -> float:
        """1/2 Σ_js W_js <a_j − a_s, b_j − b_s>."""
        from manifact.backends.kernels.sparse import edge_energy
        from manifact.backends.threads import over_rows

        W, out = self.W, np.empty(self.n_samples)
        A, B = np.ascontiguousarray(A), np.ascontiguousarray(B)
        over_rows(
            edge_energy, self.n_samples, W.nnz * A.shape[1], W.indptr, W.indices, W.data, A, B, out, costs=W.indptr
        )
        return float(out.sum())

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_samples={self.n_samples}, n_edges={self.W.nnz // 2})"


class SumOfGraphs(Graph):
    """Σ_i w_i W_i."""

    def __init__(self, graphs: Sequence[Graph], weights: Sequence[float]) -> None:
        self.graphs = list(graphs)
        self.weights = list(weights)
        self.degrees = sum(
            (w * graph.degrees for w, graph in zip(self.weights, self.graphs, strict=True)),
            start=np.zeros(self.graphs[0].n_samples),
        )

    def adjacency(self, V: Array) -> Array:
        out = np.zeros_like(V)
        for weight, graph in zip(self.weights, self.graphs, strict=True):
            out += V.dtype.type(weight) * graph.adjacency(V)
        return out

    def energy(self, A: Array, B: Array) -> float:
        return sum(w * graph.energy(A, B) for w, graph in zip(self.weights, self.graphs, strict=True))

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        parts = [graph.tie(X, V) for graph in self.graphs]
        scaled = [
            (V.dtype.type(w) * pull, V.dtype.type(w) * d) for w, (pull, d) in zip(self.weights, parts, strict=True)
        ]
        return sum(pull for pull, _ in scaled), sum(d for _, d in scaled)


class LabelCliques(Graph):
    """Samples of one class are joined to each other: W = H Hᵀ − diag, kept as the indicator matrix H.

    A class of 10,000 samples has 10⁸ edges and costs 10,000 entries here.
    """

    def __init__(self, H: Any) -> None:
        self.H = H
        self._loops = np.asarray(H.multiply(H).sum(axis=1)).ravel()
        self.degrees = H @ np.asarray(H.sum(axis=0)).ravel() - self._loops

    def adjacency(self, V: Array) -> Array:
        H = self.H.astype(V.dtype, copy=False)
        return H @ (H.T @ V) - self._loops[:, None].astype(V.dtype) * V


def check_affinity(W: Any, name: str = "graph") -> Any:
    """W as CSR without its diagonal, or one sentence that says what is wrong with it."""
    from manifact.backends.numpy import sorted_csr

    if not hasattr(W, "shape") or len(W.shape) != 2 or W.shape[0] != W.shape[1]:
        shape = getattr(W, "shape", type(W).__name__)
        raise ValueError(f"{name} must be a graph builder such as KNNGraph() or a square affinity matrix, got {shape}")
    W = sorted_csr(sparse.csr_array(W).astype(np.float64))
    if not np.isfinite(W.data).all():
        raise ValueError(f"{name} contains NaN or infinity: replace or drop these affinities")
    if W.nnz and W.data.min() < 0:
        raise ValueError(f"{name} has a negative affinity ({W.data.min():g}): affinities must be >= 0")
    asymmetry = abs(W - W.T)
    if asymmetry.nnz and asymmetry.max() > 1e-8 * W.data.max():
        raise ValueError(
            f"{name} is not symmetric (largest difference {asymmetry.max():g}): "
            "pass the elementwise maximum of W and its transpose, W.maximum(W.T)"
        )
    return without_loops(W)


def without_loops(W: Any) -> Any:
    """W with an empty diagonal: self loops do not change L."""
    from manifact.backends.numpy import sorted_csr

    if W.shape[0] and W.diagonal().any():
        W = W - sparse.diags_array(W.diagonal())
        W = sparse.csr_array(W)
    else:
        W = W.copy()
    W.eliminate_zeros()
    return sorted_csr(W)
