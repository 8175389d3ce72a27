"""Multiplicative steps and other work on whole factors; floors and scales are made where the factors are."""

from __future__ import annotations

from typing import Any

import torch

from manifact.backends.matrix import Matrix
from manifact.backends.torch.factor_sums import rescale
from manifact.backends.torch.full_precision import full_precision
from manifact.backends.torch.graph_operations import times


def multiply_rows(
    P: Any, G: Any, B: Any, scale: Any, shift: Any, l1: float = 0.0, edges: Matrix | None = None, lam: float = 0.0
) -> Any:
    """P ∘ (B + λ W P) / (scale_j P G + shift_j P + l1), with the floor of ``rescale``."""
    positive = product(P, G)
    if not _is(scale, 1.0):
        positive = positive * _column(scale)
    if not _is(shift, 0.0):
        positive = torch.addcmul(positive, P, _column(torch.as_tensor(shift, dtype=P.dtype, device=P.device)))
    if l1:
        positive = positive + l1
    return rescale(P, B if edges is None else torch.add(times(edges, P) * lam, B), positive)


def product(P: Any, G: Any) -> Any:
    """P G, for P with many rows."""
    with full_precision():
        return P @ G.to(P.dtype)


def scale(P: Any, rows: Any = None, columns: Any = None) -> Any:
    """diag(rows) P diag(columns), either of them missing."""
    if rows is not None:
        P = P * rows.to(P.dtype)[:, None]
    return P if columns is None else P * columns.to(P.dtype)


def ahead(new: Any, before: Any, rate: float) -> Any:
    """New + rate (new − before)."""
    return torch.add(new, new - before, alpha=rate)


def added(A: Any, B: Any) -> Any:
    """A + B."""
    return A + B


def _is(value: Any, number: float) -> bool:
    return isinstance(value, float | int) and value == number


def _column(value: Any) -> Any:
    return value[:, None] if getattr(value, "ndim", 0) == 1 else value
