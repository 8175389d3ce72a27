"""Coordinate steps on the rows of a factor, all rows (or all of a group without edges inside) at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from manifact.backends import numpy as host_backend
from manifact.backends import plain
from manifact.backends.matrix import Matrix
from manifact.backends.numpy.kernels.quartic import best_share
from manifact.backends.numpy.numpy_operations import effort
from manifact.backends.protocol import Array
from manifact.backends.torch import kernels
from manifact.backends.torch.factor_sums import cross, inner
from manifact.backends.torch.full_precision import full_precision
from manifact.backends.torch.graph_operations import edge_classes, rows_of, times
from manifact.backends.torch.sparse_rows import SparseRows
from manifact.backends.torch.tensors import as_tensor, host


def sweep_rows(
    V: Any, G: Any, B: Any, scale: Any, shift: Any, sweeps: int, edges: Matrix | None = None, lam: float = 0.0,
    groups: Sequence[Array] | None = None,
) -> Any:  # fmt: skip
    """V after exact coordinate steps on scale_j vᵀGv − 2 (b_j + λ Σ_s W_js v_s)ᵀv + shift_j vᵀv, v ≥ 0."""
    if kernels.serve(V):
        return _swept_rows(V, G, B, scale, shift, sweeps, edges, lam, groups)
    if edges is None:
        return plain.sweep_rows(V, G, B, scale, shift, sweeps)
    classes = edge_classes(edges) if groups is None else groups
    placed = [torch.as_tensor(rows, device=V.device) for rows in classes]
    return plain.sweep_rows(V, G, B, scale, shift, sweeps, lambda P: lam * times(edges, P), placed)


def _swept_rows(
    V: Any, G: Any, B: Any, scale: Any, shift: Any, sweeps: int, edges: Matrix | None, lam: float,
    groups: Sequence[Array] | None,
) -> Any:  # fmt: skip
    """By kernels: the pull of a group's neighbours, then the steps of its rows, group after group."""
    from manifact.backends.torch.kernels.row_sweeps import sweep_all, sweep_group

    V = V.clone(memory_format=torch.contiguous_format)
    G, B = G.to(V.dtype).contiguous(), B.to(V.dtype).contiguous()
    gain, held = per_row(scale, V), per_row(shift, V)
    if edges is None:
        sweep_all(V, G, B, gain, held, sweeps)
        return V
    strength = torch.full((1,), lam, dtype=V.dtype, device=V.device)
    placed = _placed_groups(edges, V, groups)
    for _ in range(sweeps):
        for order, part in placed:
            sweep_group(V, G, B, gain, held, order, part.times(V), strength)
    return V


def _placed_groups(edges: Matrix, V: Any, groups: Sequence[Array] | None) -> list[tuple[Any, SparseRows]]:
    """The rows of each group, and their rows of W: made once for every type and place."""

    def make(csr: Any) -> list[tuple[Any, SparseRows]]:
        rows, found = rows_of(edges, V), []
        for group in edge_classes(edges) if groups is None else groups:
            order = torch.as_tensor(group, device=V.device)
            found.append((order.to(torch.int32), rows.some_rows(order)))
        return found

    placed: list[tuple[Any, SparseRows]] = edges.form(("groups", V.device, V.dtype), make)
    return placed


def per_row(value: Any, V: Any) -> Any:
    """A number, or one for each row, as one for each row of V."""
    return torch.as_tensor(value, dtype=V.dtype, device=V.device).expand(V.shape[0]).contiguous()


def sweep_affinity(
    V: Any, G: Any, B: Any, scale: Any, shift: float, F: Any, inside: Any, mu: float, rounds: int
) -> Any:
    """V after ``rounds`` of steps on Σ_j scale_j vᵀGv − 2 b_jᵀv + shift vᵀv + μ ‖F Fᵀ − V Vᵀ‖², V ≥ 0.

    As NumPy's backend has it; of every round four numbers are fetched, from which the share of the way follows.
    """
    V = torch.clamp(V, min=0)
    F, B, G = F.to(V.dtype), B.to(V.dtype), G.to(V.dtype)
    inside = torch.as_tensor(inside, device=V.device).ravel().bool()
    all_inside = bool(inside.all())
    member = None if all_inside else inside.to(V.dtype)[:, None]
    gain, held, tied = per_row(scale, V), per_row(shift, V), per_row(2 * mu * inside.to(V.dtype), V)
    same_scale = all_inside and not getattr(scale, "ndim", 0)

    def square(P: Any, Q: Any) -> Any:
        return cross(P if member is None else P * member, Q)

    M, A = cross(V, F), square(V, V)
    for _ in range(rounds):
        with full_precision():
            drawn = B + tied[:, None] * (F @ M.T.to(V.dtype))
        D = _round(V, G, A.to(V.dtype), drawn, gain, held, tied) - V
        M_step, across, A_bend = cross(D, F), square(V, D), square(D, D)
        A_step = across + across.T
        if same_scale:
            first = scale * torch.sum(G * A_step) + 2 * shift * torch.trace(across)
            second = scale * torch.sum(G * A_bend) + shift * torch.trace(A_bend)
        else:
            with full_precision():
                HD = gain[:, None] * (D @ G) + held[:, None] * D
            first, second = 2 * inner(HD, V), inner(HD, D)
        slopes = torch.stack([
            first - 2 * inner(B, D) + 2 * mu * (torch.sum(A * A_step) - 2 * torch.sum(M * M_step)),
            second + mu * (torch.sum(A_step**2) + 2 * torch.sum(A * A_bend) - 2 * torch.sum(M_step**2)),
            2 * mu * torch.sum(A_step * A_bend),
            mu * torch.sum(A_bend**2),
        ])  # fmt: skip
        share = best_share(*slopes.tolist())
        V = V + share * D
        M, A = M + share * M_step, A + share * A_step + share**2 * A_bend
    return V


def _round(V: Any, G: Any, A: Any, drawn: Any, gain: Any, held: Any, tied: Any) -> Any:
    """Every row after a coordinate step in each entry, the other rows held still."""
    if kernels.serve(V):
        from manifact.backends.torch.kernels.row_sweeps import sweep_quartic

        return sweep_quartic(V.contiguous(), G.contiguous(), A.contiguous(), drawn.contiguous(), gain, held, tied)
    columns = [V[:, c] for c in range(V.shape[1])]
    for c in range(len(columns)):
        T = torch.stack(columns, dim=1)
        bend = gain * G[c, c] + tied * A[c, c] + held
        rise = gain * (T @ G[:, c]) + tied * (T @ A[:, c]) + held * columns[c] - drawn[:, c]
        step = rise / torch.where(bend > 0, bend, 1.0)
        columns[c] = torch.where(bend > 0, torch.clamp(columns[c] - step, min=0.0), 0.0)
    return torch.stack(columns, dim=1)


def nonnegative_least_squares(G: Any, B: Any, shift: Any = 0.0) -> Any:
    """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 b_jᵀv, each on its own."""
    if not kernels.serve(B):
        held = host(shift) if isinstance(shift, torch.Tensor) else shift
        return as_tensor(host_backend.nonnegative_least_squares(host(G), host(B), held), B.device)
    from manifact.backends.torch.kernels.row_projections import least_squares

    B, G = B.contiguous(), G.to(B.dtype).contiguous()
    held = per_row(shift, B)
    V, restless = least_squares(G, B, held, *effort("least_squares", host_type(B)))
    left = torch.nonzero(restless).ravel()
    if len(left):
        # Nearly collinear bases: coordinate steps do not come to rest, and the host solves for the positive entries.
        exact = host_backend.nonnegative_least_squares(host(G), host(B[left]), host(held[left]))
        V[left] = as_tensor(exact, B.device)
    return V


def host_type(P: Any) -> Any:
    """The type of a tensor's numbers in NumPy's words."""
    return {torch.float32: "float32", torch.float64: "float64"}[P.dtype]
