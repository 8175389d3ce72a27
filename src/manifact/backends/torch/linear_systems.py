"""(diag(A_k) + λL) z_k = b_k for many columns, by conjugate gradients that stay where the tensors live."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from manifact.backends.matrix import Pieces
from manifact.backends.plain import conjugate_gradient
from manifact.backends.torch.factor_sums import column_products
from manifact.backends.torch.graph_operations import times
from manifact.backends.torch.tensors import as_tensor

#: Steps between two looks at what is left: a column that is done stands still, so a late look costs steps, not digits.
STEPS_PER_LOOK = 8


def solve_columns(
    pieces: Pieces, A: Any, lam: float, B: Any, start: Any, tol: float, reduction: float
) -> tuple[Any, float]:
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

    return conjugate_gradient(apply, diagonal, B, start, tol, reduction, column_products, STEPS_PER_LOOK)
