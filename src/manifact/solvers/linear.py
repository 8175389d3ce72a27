"""Linear systems with many right-hand sides at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manifact.backends import Array


def conjugate_gradient(
    apply: Callable[[Array], Array],
    diagonal: Array,
    B: Array,
    start: Array | None = None,
    tol: float = 1e-12,
    max_iter: int | None = None,
) -> Array:
    """Column c of the answer solves A_c z = b_c; all columns advance together.

    ``apply(P)`` gives A_c p_c for every column of P with one pass over the matrix; ``diagonal`` (n x k) is the
    Jacobi preconditioner. A column stops when ‖b − A z‖ ≤ tol ‖b‖ and then stands still.
    """
    n = B.shape[0]
    # A symmetric positive definite system ends after n exact steps; rounding may ask for some more.
    max_iter = 10 * n + 100 if max_iter is None else max_iter
    inverse = 1 / diagonal
    size = np.sqrt(_dots(B, B))
    Z = B * inverse if start is None else start * (size > 0).astype(start.dtype)
    R = B - apply(Z)
    goal = (max(tol, 4 * float(np.finfo(B.dtype).eps)) * size) ** 2
    scaled = R * inverse
    P = scaled.copy()
    rho = _dots(R, scaled)
    for _ in range(max_iter):
        active = _dots(R, R) > goal
        if not active.any():
            break
        AP = apply(P)
        curvature = _dots(P, AP)
        alpha = np.divide(rho, curvature, out=np.zeros_like(rho), where=active & (curvature > 0))
        if not alpha.any():
            break
        Z += alpha.astype(Z.dtype) * P
        R -= alpha.astype(R.dtype) * AP
        np.multiply(R, inverse, out=scaled)
        rho_new = _dots(R, scaled)
        beta = np.divide(rho_new, rho, out=np.zeros_like(rho), where=active & (rho > 0))
        P *= beta.astype(P.dtype)
        P += scaled
        rho = rho_new
    return Z


def _dots(A: Array, B: Array) -> Array:
    return np.einsum("ij,ij->j", A, B, dtype=np.float64)
