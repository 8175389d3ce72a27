"""Operations of a backend, written once in the array API: for arrays whose backend has no kernel of its own.

Kernels are tested equal to these. Everything runs where the arrays live.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from array_api_compat import array_namespace as namespace

from manifact.backends.protocol import Array

#: Conjugate gradients: steps at the most, and how often they start again from the true residual.
MOST_STEPS, REFINEMENTS = 20_000, 4


def wide(P: Array) -> Array:
    """P in float64."""
    xp = namespace(P)
    return xp.astype(P, xp.float64, copy=False)


def cross(A: Array, B: Array) -> Array:
    """AᵀB, in float64."""
    return wide(A).T @ wide(B)


def column_sums(P: Array) -> Array:
    """Σ_j p_j, in float64."""
    return namespace(P).sum(wide(P), axis=0)


def column_products(A: Array, B: Array) -> Array:
    """Σ_j a_jk b_jk of every column k, in float64."""
    return namespace(A).sum(wide(A) * wide(B), axis=0)


def inner(A: Array, B: Array) -> float:
    """Σ a_ij b_ij, summed in float64."""
    return float(namespace(A).sum(wide(A) * wide(B)))


def rescale(P: Array, negative: Any, positive: Any) -> Array:
    """P ∘ negative / positive, with a floor under the denominators."""
    xp = namespace(P)
    positive = xp.zeros_like(P) + positive
    mean = float(xp.mean(wide(positive))) or 1.0
    tiny = float(xp.finfo(P.dtype).smallest_normal)
    return P * (negative / xp.maximum(positive, max(tiny, tiny**0.5 * mean)))


def multiply_rows(P: Array, G: Array, B: Any, scale: Any, shift: Any, l1: float = 0.0) -> Array:
    """P ∘ B / (scale_j P G + shift_j P + l1), with the floor of `rescale`."""
    xp = namespace(P)
    ones = xp.ones_like(P[:, :1])
    own, held = (ones * (part[:, None] if getattr(part, "ndim", 0) == 1 else part) for part in (scale, shift))
    return rescale(P, B, own * product(P, xp.astype(G, P.dtype, copy=False)) + held * P + l1)


def product(P: Array, G: Array) -> Array:
    """P G."""
    return P @ G


def scale(P: Array, rows: Any = None, columns: Any = None) -> Array:
    """diag(rows) P diag(columns), either of them missing."""
    xp = namespace(P)
    for factors, place in ((rows, (slice(None), None)), (columns, (None, slice(None)))):
        if factors is not None:
            P = P * xp.astype(factors, P.dtype, copy=False)[place]
    return P


def ahead(new: Array, before: Array, rate: float) -> Array:
    """New + rate (new − before)."""
    return new + rate * (new - before)


def added(A: Array, B: Array) -> Array:
    """A + B."""
    return A + B


def overrelaxed(old: Array, new: Array, rate: float, most: float, floors: Array) -> Array:
    """New ∘ clip(new / old, 1/most, most)^rate, but not below min(new, floors), one for each column."""
    xp = namespace(new)
    change = new / xp.maximum(old, float(xp.finfo(new.dtype).smallest_normal))
    return xp.maximum(new * xp.clip(change, 1 / most, most) ** rate, xp.minimum(new, floors))


def log_costs(V: Array, a: Any, c: Any, l2: Any) -> tuple[Array, Array]:
    """Log V, and Σ_j a v − c log v + l2/2 v² of every column, in float64."""
    log = namespace(V).log(V)
    return log, column_sums(a * V - c * log + l2 / 2 * V * V)


def sweep_rows(
    V: Array, G: Array, B: Array, scale: Any, shift: Any, sweeps: int,
    neighbours: Callable[[Array], Array] | None = None, groups: Sequence[Any] | None = None,
) -> Array:  # fmt: skip
    """V after exact coordinate steps on scale_j vᵀGv − 2 (b_j + n_j)ᵀv + shift_j vᵀv, v ≥ 0, n = ``neighbours(V)``.

    All rows of a group (all rows, without neighbours) take each step together.
    """
    xp = namespace(V)
    V, G = V + 0.0, xp.astype(G, V.dtype, copy=False)
    ones = xp.ones_like(V[:, 0])
    scale, shift = ones * scale, ones * shift
    if neighbours is None:
        return _rows_lowered(V, G, B, scale, shift, sweeps)
    for _ in range(sweeps):
        for rows in groups or ():
            pulled = B[rows] + neighbours(V)[rows]
            V[rows] = _rows_lowered(V[rows], G, pulled, scale[rows], shift[rows], 1)
    return V


def _rows_lowered(V: Array, G: Array, B: Array, scale: Array, shift: Array, sweeps: int) -> Array:
    xp = namespace(V)
    columns = [V[:, c] for c in range(V.shape[1])]
    for _ in range(sweeps):
        for c in range(len(columns)):
            bend = scale * G[c, c] + shift
            slope = scale * (xp.stack(columns, axis=1) @ G[:, c]) - B[:, c] + shift * columns[c]
            step = slope / xp.where(bend > 0, bend, 1.0)
            columns[c] = xp.where(bend > 0, xp.maximum(columns[c] - step, 0.0), 0.0)
    return xp.stack(columns, axis=1)


def conjugate_gradient(
    apply: Callable[[Array], Array], diagonal: Array, B: Array, start: Array | None, tol: float, reduction: float,
    products: Callable[[Array, Array], Array] = column_products, steps_per_look: int = 1,
) -> tuple[Array, float]:  # fmt: skip
    """Column c of the answer solves A_c z = b_c, all columns together; and the largest relative residual left.

    ``apply(P)`` gives A_c p_c for every column of P; ``diagonal`` is the Jacobi preconditioner. A column stops when
    ‖b − A z‖ ≤ tol ‖b‖, or ``reduction`` times what it was at the start, and then stands still: who looks whether all
    do only every few steps, because the numbers are far away, loses steps and no digits.
    """
    xp = namespace(B)
    inverse = 1 / diagonal
    size = products(B, B)
    Z = B * inverse if start is None else xp.astype(start, B.dtype, copy=False)
    goal = max(tol, 4 * float(xp.finfo(B.dtype).eps)) ** 2 * size
    steps = min(10 * B.shape[0] + 100, MOST_STEPS)
    for attempt in range(1 if reduction else REFINEMENTS):
        # The residual that the iteration carries along drifts from the true one: start again from that.
        R = B - apply(Z)
        left = products(R, R)
        if attempt == 0:
            # A start that is worse than none is dropped.
            worse = left >= size
            Z, R = xp.where(worse, 0.0, Z), xp.where(worse, B, R)
            left = xp.where(worse, size, left)
            goal = xp.maximum(goal, reduction**2 * left)
        if bool(xp.all(left <= 4 * goal)):
            break
        Z = Z + _descended(apply, inverse, R, goal, steps, products, steps_per_look)
    R = B - apply(Z)
    left = products(R, R) / xp.where(size > 0, size, 1.0)
    return Z, float(xp.max(left)) ** 0.5 if left.shape[0] else 0.0


def _descended(
    apply: Callable[[Array], Array], inverse: Array, R: Array, goal: Array, steps: int,
    products: Callable[[Array, Array], Array], steps_per_look: int,
) -> Array:  # fmt: skip
    """How far conjugate gradients go from residual R."""
    xp = namespace(R)
    P, moved = R * inverse, xp.zeros_like(R)
    rho = products(R, P)
    for step in range(steps):
        AP = apply(P)
        curvature = products(P, AP)
        active = (products(R, R) > goal) & (curvature > 0)
        if step % steps_per_look == 0 and not bool(xp.any(active)):
            break
        alpha = xp.astype(xp.where(active, rho / xp.where(active, curvature, 1.0), 0.0), R.dtype, copy=False)
        moved, R = moved + alpha * P, R - alpha * AP
        rho_new = products(R, R * inverse)
        on = active & (rho > 0)
        beta = xp.astype(xp.where(on, rho_new / xp.where(on, rho, 1.0), 0.0), R.dtype, copy=False)
        P, rho = R * inverse + beta * P, rho_new
    return moved
