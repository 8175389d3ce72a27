"""Sums over the rows of factors, in float64 whatever the factors are, and quotients of factors; nothing is fetched."""

from __future__ import annotations

from typing import Any

import torch

from manifact.backends import plain
from manifact.backends.torch import kernels
from manifact.backends.torch.full_precision import full_precision

#: Rows whose products are added in float32 before their sums are added in float64.
ROWS_PER_SUM = 1024


def cross(A: Any, B: Any) -> Any:
    """AᵀB, in float64: float32 factors a block of rows at a time, so that long sums keep their digits."""
    n = A.shape[0]
    whole = n // ROWS_PER_SUM * ROWS_PER_SUM
    if A.dtype == torch.float64 or B.dtype == torch.float64 or not whole:
        return plain.cross(A, B)
    left, right = (P[:whole].reshape(-1, ROWS_PER_SUM, P.shape[1]) for P in (A, B))
    with full_precision():
        out = torch.sum(torch.matmul(left.mT, right), dim=0, dtype=torch.float64)
    return out if whole == n else out + plain.cross(A[whole:], B[whole:])


def column_sums(P: Any) -> Any:
    """Σ_j p_j, in float64."""
    return plain.column_sums(P) if not kernels.serve(P) or P.ndim != 2 else _block_products(P, None)


def column_products(A: Any, B: Any) -> Any:
    """Σ_j a_jk b_jk of every column k, in float64."""
    both = kernels.serve(A) and kernels.serve(B) and A.ndim == 2 and A.shape == B.shape
    return _block_products(A, B) if both else plain.column_products(A, B)


def _block_products(A: Any, B: Any | None) -> Any:
    from manifact.backends.torch.kernels.block_sums import block_products

    return block_products(A.contiguous(), None if B is None else B.contiguous())


def inner(A: Any, B: Any) -> Any:
    """Σ a_ij b_ij, summed in float64: a number of the device."""
    return torch.sum(column_products(A, B))


def rescale(P: Any, negative: Any, positive: Any) -> Any:
    """P ∘ negative / positive, with a floor under the denominators that is made where they are."""
    positive = torch.as_tensor(positive, dtype=P.dtype, device=P.device)
    if positive.shape not in (P.shape, (1, P.shape[1])):
        positive = positive.expand(P.shape)
    floor = _floor(positive)
    negative = torch.as_tensor(negative, dtype=P.dtype, device=P.device).expand(P.shape)
    if not kernels.serve(P):
        return P * (negative / torch.maximum(positive, floor))
    from manifact.backends.torch.kernels.scaled_rows import rescaled

    return rescaled(P.contiguous(), negative.contiguous(), positive.contiguous(), floor)


def _floor(positive: Any) -> Any:
    """Far below the mean of the denominators, and above 0."""
    tiny = torch.finfo(positive.dtype).tiny
    mean = torch.sum(column_sums(positive)) / max(1, positive.numel())
    return torch.clamp(tiny**0.5 * torch.where(mean == 0, 1.0, mean), min=tiny).to(positive.dtype)
