"""(diag(A_k) + λL) z_k = b_k for many columns, by conjugate gradients that stay where the tensors live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from manifact.backends.matrix import Pieces
from manifact.backends.plain import MOST_STEPS, REFINEMENTS
from manifact.backends.torch.factor_sums import column_products
from manifact.backends.torch.graph_operations import times
from manifact.backends.torch.tensors import as_tensor

#: Steps between two looks at what is left: a column that is done stands still, so a late look costs steps, not digits.
STEPS_PER_LOOK = 8


def solve_columns(
    pieces: Pieces, A: Any, lam: float, B: Any, start: Any, tol: float, reduction: float
) -> tuple[Any, Any]:
    """Column k is (diag(A_k) + λL)⁻¹ b_k, and the largest relative residual that is left."""
    loops = np.zeros_like(pieces.degrees) if pieces.loops is None else pieces.loops
    degrees, held = (as_tensor(part, B.device).to(B.dtype)[:, None] for part in (pieces.degrees, loops))
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

    return conjugate_gradient(apply, diagonal, B, start, tol, reduction)


def conjugate_gradient(
    apply: Callable[[Any], Any], diagonal: Any, B: Any, start: Any, tol: float, reduction: float
) -> tuple[Any, Any]:
    """As `plain.conjugate_gradient`, but that it looks at what is left only every few steps."""
    inverse = 1 / diagonal
    size = column_products(B, B)
    Z = B * inverse if start is None else start.to(B.dtype)
    goal = max(tol, 4 * float(torch.finfo(B.dtype).eps)) ** 2 * size
    steps = min(10 * B.shape[0] + 100, MOST_STEPS)
    for attempt in range(1 if reduction else REFINEMENTS):
        # The residual that the iteration carries along drifts from the true one: start again from that.
        R = B - apply(Z)
        left = column_products(R, R)
        if attempt == 0:
            # A start that is worse than none is dropped.
            worse = left >= size
            Z, R = torch.where(worse, 0.0, Z), torch.where(worse, B, R)
            left = torch.where(worse, size, left)
            goal = torch.maximum(goal, reduction**2 * left)
        if bool(torch.all(left <= 4 * goal)):
            break
        Z = Z + _descended(apply, inverse, R, goal, steps)
    R = B - apply(Z)
    left = column_products(R, R) / torch.where(size > 0, size, 1.0)
    return Z, torch.amax(left) ** 0.5 if left.shape[0] else 0.0


def _descended(apply: Callable[[Any], Any], inverse: Any, R: Any, goal: Any, steps: int) -> Any:
    """How far conjugate gradients go from residual R."""
    P, moved = R * inverse, torch.zeros_like(R)
    rho = column_products(R, P)
    for step in range(steps):
        AP = apply(P)
        curvature = column_products(P, AP)
        active = (column_products(R, R) > goal) & (curvature > 0)
        if step % STEPS_PER_LOOK == 0 and not bool(torch.any(active)):
            break
        alpha = torch.where(active, rho / torch.where(active, curvature, 1.0), 0.0).to(R.dtype)
        moved, R = moved + alpha * P, R - alpha * AP
        rho_new = column_products(R, R * inverse)
        on = active & (rho > 0)
        beta = torch.where(on, rho_new / torch.where(on, rho, 1.0), 0.0).to(R.dtype)
        P, rho = R * inverse + beta * P, rho_new
    return moved
