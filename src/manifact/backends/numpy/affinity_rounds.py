"""Rounds of steps on a quadratic and μ ‖F Fᵀ − V Vᵀ‖², for all rows of V together."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy import numpy_factors as factors
from manifact.backends.numpy.dense_products import added, product
from manifact.backends.numpy.kernels import quartic
from manifact.backends.numpy.kernels.lanes import rows_abreast
from manifact.backends.numpy.numpy_factors import cross, inner, moved, nonnegative
from manifact.backends.protocol import Array
from manifact.backends.threads import over_rows

#: Rows that one thread adds up: sums must not depend on the number of threads.
ROWS_PER_PRODUCT = 256
#: Sums of so many numbers are worth all threads.
MANY_NUMBERS = 1 << 18


def sweep_affinity(
    V: Array, G: Array, B: Array, scale: Any, shift: float, F: Array, inside: Array, mu: float, rounds: int
) -> Array:
    """V after ``rounds`` of steps on Σ_j scale_j vᵀGv − 2 b_jᵀv + shift vᵀv + μ ‖F Fᵀ − V Vᵀ‖², V ≥ 0.

    The last term counts the rows that are ``inside``; the rows of F outside are 0. In a round every row takes a
    coordinate step in each entry as if the other rows stood still. Together they would go too far, up to twice as far
    as is best where a whole cluster moves. So all go the same share of the way, the best one: the sum is a quartic in
    it, whose coefficients are k x k products. It never rises, and no row waits for another.
    """
    n, k = V.shape
    # A point ahead may lie outside, and a share of the way from there may not lead inside.
    V = nonnegative(V)
    V, B, F = (np.ascontiguousarray(P, dtype=V.dtype) for P in (V, B, F))
    gain, held, tied = (
        np.ascontiguousarray(np.broadcast_to(np.asarray(part, dtype=V.dtype), (n,)))
        for part in (scale, shift, 2 * mu * inside)
    )
    G = np.ascontiguousarray(G, dtype=V.dtype)
    width = rows_abreast(V.itemsize)
    whole, within = bool(inside.all()), inside.astype(V.dtype)
    M, A = cross(V, F), cross(V if whole else factors.scale(V, rows=within), V)
    for _ in range(rounds):
        D = np.empty_like(V)
        own = (np.ascontiguousarray(P, dtype=V.dtype) for P in (M, A))
        over_rows(
            quartic.sweep_affinity, -(-n // width), 3 * n * k * k, G, B, gain, held, F, tied, *own, V, width, D
        )  # fmt: skip
        M_step, across, A_bend, slope = step_products(D, F, V, B, within)
        G_step, G_bend, along, drawn, step_square, bent, drawn_square, mixed, bend_square = quartic.share_sums(
            M, A, M_step, across, A_bend, G
        )
        if np.ndim(scale) == 0 and whole:
            first = float(scale) * G_step + 2 * shift * np.trace(across)
            second = float(scale) * G_bend + shift * np.trace(A_bend)
        else:
            HD = moved(factors.scale(product(D, G), rows=gain), factors.scale(D, rows=held), 1.0)
            first, second = 2 * inner(HD, V), inner(HD, D)
        share = quartic.best_share(
            first - 2 * slope + 2 * mu * (along - 2 * drawn),
            second + mu * (step_square + 2 * bent - 2 * drawn_square),
            2 * mu * mixed,
            mu * bend_square,
        )
        V = moved(V, D, share)
        M, A = M + share * M_step, A + share * (across + across.T) + share**2 * A_bend
    return V


def step_products(D: Array, F: Array, V: Array, B: Array, within: Array) -> tuple[Array, Array, Array, float]:
    """DᵀF, DᵀV and DᵀD of the rows inside, and Σ b_jc d_jc of all, in float64 and in one pass."""
    (n, k), p = D.shape, F.shape[1]
    blocks = -(-n // ROWS_PER_PRODUCT)
    out, slopes = np.empty((blocks, k, p + 2 * k)), np.empty(blocks)
    work = n * k * (p + 2 * k)
    over_rows(quartic.step_products, blocks, work, D, F, V, B, within, ROWS_PER_PRODUCT, out, slopes)
    total = added(out, p + 2 * k) if out.size >= MANY_NUMBERS else out.sum(axis=0)
    return total[:, :p], total[:, p : p + k], total[:, p + k :], float(slopes.sum())
