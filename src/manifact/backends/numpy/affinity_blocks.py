"""The parts of a round of `sweep_affinity`, for rows of which other blocks hold the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy import numpy_factors as factors
from manifact.backends.numpy.affinity_rounds import step_products
from manifact.backends.numpy.dense_products import product
from manifact.backends.numpy.kernels import quartic
from manifact.backends.numpy.kernels.lanes import rows_abreast
from manifact.backends.protocol import Array
from manifact.backends.threads import over_rows

#: DᵀF, DᵀV and DᵀD of the rows inside, Σ b d, and the slope and bend of the quadratic along D.
StepSums = tuple[Array, Array, Array, float, float, float]


def cross_inside(V: Array, inside: Array) -> Array:
    """VᵀV of the rows inside, in float64."""
    return factors.cross(factors.scale(V, rows=inside.astype(V.dtype)), V)


def step(
    V: Array, G: Array, B: Array, scale: Any, shift: Any, F: Array, inside: Array, mu: float, M: Array, A: Array
) -> Array:
    """How far each row would go alone, given M = VᵀF and A = VᵀV of all rows."""
    n, k = V.shape
    V, G, B, F, M, A = (np.ascontiguousarray(P, dtype=V.dtype) for P in (V, G, B, F, M, A))
    gain, held, tied = (_rows(part, V) for part in (scale, shift, 2 * mu * inside))
    width, D = rows_abreast(V.itemsize), np.empty_like(V)
    over_rows(quartic.sweep_affinity, -(-n // width), 3 * n * k * k, G, B, gain, held, F, tied, M, A, V, width, D)
    return D


def step_sums(
    V: Array, D: Array, G: Array, B: Array, scale: Any, shift: Any, F: Array, inside: Array
) -> StepSums:  # fmt: skip
    """What the best share of the way hangs on, of these rows."""
    V, D, B, F = (np.ascontiguousarray(P, dtype=V.dtype) for P in (V, D, B, F))
    M_step, across, A_bend, slope = step_products(D, F, V, B, inside.astype(V.dtype))
    gain, held = (_rows(part, V) for part in (scale, shift))
    HD = factors.scale(product(D, np.asarray(G, dtype=V.dtype)), rows=gain) + factors.scale(D, rows=held)
    return M_step, across, A_bend, slope, 2 * factors.inner(HD, V), factors.inner(HD, D)


def best_share(M: Array, A: Array, sums: StepSums, G: Array, mu: float) -> float:
    """The share of the way at which the sum of all rows is lowest."""
    M_step, across, A_bend, slope, first, second = sums
    G = np.ascontiguousarray(G, dtype=M.dtype)
    _, _, along, drawn, step_square, bent, drawn_square, mixed, bend_square = quartic.share_sums(
        M, A, M_step, across, A_bend, G
    )
    return float(
        quartic.best_share(
            first - 2 * slope + 2 * mu * (along - 2 * drawn),
            second + mu * (step_square + 2 * bent - 2 * drawn_square),
            2 * mu * mixed,
            mu * bend_square,
        )
    )


def gone(V: Array, D: Array, share: float) -> Array:
    """V after a share of the way."""
    return factors.moved(np.ascontiguousarray(V), np.ascontiguousarray(D), share)


def _rows(value: Any, V: Array) -> Array:
    return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype=V.dtype), (len(V),)))
