"""Linear systems with many right-hand sides at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manifact.backends import Array

MOST_STEPS = 20_000
REFINEMENTS = 4


def conjugate_gradient(
    apply: Callable[[Array], Array],
    diagonal: Array,
    B: Array,
    start: Array | None = None,
    tol: float = 1e-12,
    reduction: float = 0.0,
    max_iter: int | None = None,
) -> Array:
    """Column c of the answer solves A_c z = b_c; all columns advance together.

    ``apply(P)`` gives A_c p_c for every column of P with one pass over the matrix; ``diagonal`` (n x k) is the
    Jacobi preconditioner. A column stops when ‖b − A z‖ ≤ tol ‖b‖, or ``reduction`` times what it was at the start,
    and then stands still.
    """
    n = B.shape[0]
    # A symmetric positive definite system ends after n exact steps; rounding may ask for some more.
    max_iter = min(10 * n + 100, MOST_STEPS) if max_iter is None else max_iter
    inverse = 1 / diagonal
    size = np.sqrt(_dots(B, B))
    Z = B * inverse if start is None else start * (size > 0).astype(start.dtype)
    goal = (max(tol, 4 * float(np.finfo(B.dtype).eps)) * size) ** 2
    for attempt in range(REFINEMENTS if not reduction else 1):
        # The residual that CG carries along drifts from the true one: start again from that until it is small.
        R = B - apply(Z)
        if attempt == 0:
            # A start that is worse than none is dropped.
            worse = _dots(R, R) >= size**2
            Z, R = np.where(worse, 0, Z), np.where(worse, B, R)
            goal = np.maximum(goal, reduction**2 * _dots(R, R))
        if (_dots(R, R) <= 4 * goal).all():
            return Z
        _descend(apply, inverse, Z, R, goal, max_iter)
    if not reduction:
        R = B - apply(Z)
        warn_of(float(np.sqrt(np.max(_dots(R, R) / np.maximum(size, np.finfo(float).tiny) ** 2))), tol)
    return Z


def warn_of(residual: float, tol: float) -> None:
    """Say so where a solve ended far from what was asked for."""
    if residual > max(1e-6, 100 * tol):
        warnings.warn(
            f"a linear solve ended at the relative residual {residual:.1e}: lower graph_reg or scale the weights",
            ConvergenceWarning,
            stacklevel=3,
        )


def _descend(apply: Callable[[Array], Array], inverse: Array, Z: Array, R: Array, goal: Array, max_iter: int) -> None:
    """Conjugate gradients from residual R; Z is improved in place."""
    scaled = R * inverse
    P = scaled.copy()
    rho = _dots(R, scaled)
    for _ in range(max_iter):
        active = _dots(R, R) > goal
        if not active.any():
            return
        AP = apply(P)
        curvature = _dots(P, AP)
        alpha = np.divide(rho, curvature, out=np.zeros_like(rho), where=active & (curvature > 0))
        if not alpha.any():
            return
        Z += alpha * P
        R -= alpha * AP
        np.multiply(R, inverse, out=scaled)
        rho_new = _dots(R, scaled)
        beta = np.divide(rho_new, rho, out=np.zeros_like(rho), where=active & (rho > 0))
        P *= beta
        P += scaled
        rho = rho_new


def _dots(A: Array, B: Array) -> Array:
    return np.einsum("ij,ij->j", A, B, dtype=np.float64)
