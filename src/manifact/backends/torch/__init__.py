"""PyTorch: tensors, dense or sparse CSR, on any device.

What has no form for tensors yet (the quartic steps of `AffinityNMF`, projections of new samples) is done by NumPy's
backend on the host and brought back.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from scipy import sparse

from manifact.backends import numpy as host_backend
from manifact.backends import plain
from manifact.backends.matrix import Matrix, Pieces
from manifact.backends.plain import column_products, column_sums, cross, inner, rescale
from manifact.backends.protocol import Array, Data, ShowProgress, silent
from manifact.backends.torch import tensor_rows as rows
from manifact.backends.torch.tensor_centres import cluster_centres
from manifact.backends.torch.tensor_directions import leading_directions, projected
from manifact.backends.torch.tensor_neighbors import nearest, nearest_by_products, reached, row_products
from manifact.backends.torch.tensors import as_scipy, as_tensor

__all__ = [
    "cluster_centres",
    "column_products",
    "column_sums",
    "cross",
    "data",
    "edge_classes",
    "edge_energies",
    "edge_gaussians",
    "host",
    "inner",
    "leading_directions",
    "like",
    "nearest",
    "nearest_by_products",
    "nearest_by_projection",
    "nonnegative_least_squares",
    "projected",
    "reached",
    "rescale",
    "row_products",
    "rows",
    "solve_columns",
    "sweep_affinity",
    "sweep_rows",
    "times",
]


def data(X: Any, weight: Any) -> Data:
    """Γ X."""
    from manifact.backends.torch.torch_data import TorchData

    return TorchData(X, weight)


def host(P: Any) -> Any:
    """The same numbers as a NumPy array or SciPy matrix; tensors of the CPU share their memory."""
    return as_scipy(P) if P.layout == torch.sparse_csr else P.detach().cpu().numpy()


def like(P: Any, other: Any) -> Any:
    """A host array on the device of ``other``; its type is kept."""
    return as_tensor(P, other.device)


def times(W: Matrix, V: Any) -> Any:
    """W V."""
    return _form(W, V) @ V


def _form(W: Matrix, V: Any) -> Any:
    """W as a sparse tensor in V's type and place."""
    dtype = {torch.float32: np.float32, torch.float64: np.float64}[V.dtype]
    return W.form((V.device, V.dtype), lambda csr: as_tensor(csr.astype(dtype), V.device))


def _edges(W: Matrix, V: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and values of W as tensors beside V."""

    def make(csr: Any) -> tuple[Any, Any, Any]:
        rows = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
        parts = (rows, csr.indices.astype(np.int64), csr.data)
        return tuple(torch.as_tensor(part, device=V.device) for part in parts)

    found: tuple[Any, Any, Any] = W.form(("edges", V.device), make)
    return found


def edge_energies(W: Matrix, A: Any, B: Any) -> Any:
    """½ Σ_js W_js (a_j − a_s) ∘ (b_j − b_s): differences first, so that smooth factors lose no digits."""
    rows, columns, values = _edges(W, A)
    A, B = plain.wide(A), plain.wide(B)
    return 0.5 * torch.sum(values[:, None] * (A[rows] - A[columns]) * (B[rows] - B[columns]), dim=0)


def edge_gaussians(W: Matrix, V: Any) -> Matrix:
    """W_ij exp(−‖v_i − v_j‖²) on the edges of W."""
    rows, columns, values = _edges(W, V)
    weights = values * torch.exp(-torch.sum((V[rows] - V[columns]) ** 2, dim=1))
    return Matrix(sparse.csr_array((host(weights), W.csr.indices, W.csr.indptr), shape=W.csr.shape))


def edge_classes(W: Matrix) -> Sequence[Array]:
    """The vertices of W in groups without edges inside."""
    return host_backend.edge_classes(W)


def solve_columns(
    pieces: Pieces, A: Any, lam: float, B: Any, start: Any, tol: float, reduction: float
) -> tuple[Any, float]:
    """Column k is (diag(A_k) + λL)⁻¹ b_k, and the largest relative residual that is left."""
    loops = np.zeros_like(pieces.degrees) if pieces.loops is None else pieces.loops
    degrees, held = (like(part, B).to(B.dtype)[:, None] for part in (pieces.degrees, loops))
    diagonal = torch.zeros_like(B) + A.to(B.dtype) + lam * degrees
    # A vertex without neighbours, loss or penalty has nothing to determine it: it gets 0.
    diagonal = torch.where(diagonal > 0, diagonal, 1.0)

    def apply(P: Any) -> Any:
        out = (diagonal + lam * held) * P
        if pieces.edges is not None:
            out = out - lam * times(pieces.edges, P)
        if pieces.tall is not None and pieces.flat is not None:
            out = out - lam * times(pieces.tall, times(pieces.flat, P))
        return out

    return plain.conjugate_gradient(apply, diagonal, B, start, tol, reduction)


def sweep_rows(
    V: Any, G: Any, B: Any, scale: Any, shift: Any, sweeps: int, edges: Matrix | None = None, lam: float = 0.0,
    groups: Sequence[Array] | None = None,
) -> Any:  # fmt: skip
    """V after exact coordinate steps on scale_j vᵀGv − 2 (b_j + λ Σ_s W_js v_s)ᵀv + shift_j vᵀv, v ≥ 0."""
    if edges is None:
        return plain.sweep_rows(V, G, B, scale, shift, sweeps)
    classes = edge_classes(edges) if groups is None else groups
    placed = [torch.as_tensor(rows, device=V.device) for rows in classes]
    return plain.sweep_rows(V, G, B, scale, shift, sweeps, lambda P: lam * times(edges, P), placed)


def sweep_affinity(
    V: Any, G: Any, B: Any, scale: Any, shift: float, F: Any, inside: Array, mu: float, rounds: int
) -> Any:
    """V after steps on Σ_j scale_j vᵀGv − 2 b_jᵀv + shift vᵀv + μ ‖F Fᵀ − V Vᵀ‖², V ≥ 0, on the host."""
    scale = host(scale) if isinstance(scale, torch.Tensor) else scale
    swept = host_backend.sweep_affinity(host(V), host(G), host(B), scale, shift, host(F), inside, mu, rounds)
    return like(swept, V)


def nonnegative_least_squares(G: Any, B: Any, shift: Any = 0.0) -> Any:
    """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 b_jᵀv, each on its own, on the host."""
    held = host(shift) if isinstance(shift, torch.Tensor) else shift
    return like(host_backend.nonnegative_least_squares(host(G), host(B), held), B)


def nearest_by_projection(
    X: Any, n_neighbors: int, random_state: Any = 0, progress: ShowProgress = silent
) -> tuple[Any, Any]:
    """As ``nearest``: where products are this fast, no projection is faster than the search for all."""
    return nearest(X, n_neighbors, progress=progress)
