"""Coordinate steps for ‖F Fᵀ − V Vᵀ‖² beside a quadratic: all rows at once, each with the others held still."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel
from manifact.backends.numpy.kernels.lanes import TILE_ROWS, VECTOR_BYTES, combine, tile_products


@kernel
def sweep_affinity(
    G: Any, B: Any, scale: Any, shift: Any, F: Any, weight: Any, M: Any, A: Any, V: Any, width: int, out: Any,
    start: int, stop: int,
) -> None:  # fmt: skip
    """How far a round of exact coordinate steps moves the rows b width to (b + 1) width, b from start to stop.

    Each lowers scale_j vᵀGv − 2 b_jᵀv + shift_j vᵀv + weight_j (vᵀAv − 2 vᵀM f_j) over v ≥ 0, with M = VᵀF and A = VᵀV
    as they were before. Rows stand abreast in vectors: a step is the same for all of them.
    """
    n, k = V.shape
    number = V.dtype.type
    T, R = np.zeros((k, width), dtype=V.dtype), np.zeros((k, width), dtype=V.dtype)
    E = np.zeros((F.shape[1], width), dtype=V.dtype)
    slope, pushed = np.empty(width, dtype=V.dtype), np.empty(width, dtype=V.dtype)
    held, gain, tied = np.zeros(width, dtype=V.dtype), np.zeros(width, dtype=V.dtype), np.zeros(width, dtype=V.dtype)
    for block in range(start, stop):
        first = block * width
        size = min(width, n - first)
        for r in range(size):
            j = first + r
            for c in range(k):
                T[c, r] = V[j, c]
                R[c, r] = B[j, c]
            for a in range(F.shape[1]):
                E[a, r] = F[j, a]
            held[r], gain[r], tied[r] = shift[j], scale[j], weight[j]
        for c in range(k):
            combine(pushed, M[c], E)
            for r in range(width):
                R[c, r] += tied[r] * pushed[r]
        for c in range(k):
            combine(slope, G[c], T)
            combine(pushed, A[c], T)
            for r in range(width):
                bend = gain[r] * G[c, c] + tied[r] * A[c, c] + held[r]
                rise = gain[r] * slope[r] + tied[r] * pushed[r] + held[r] * T[c, r] - R[c, r]
                step = rise / (bend if bend > 0 else number(1))
                T[c, r] = max(number(0), T[c, r] - step) if bend > 0 else number(0)
        for r in range(size):
            for c in range(k):
                out[first + r, c] = T[c, r] - V[first + r, c]


@kernel
def step_products(
    D: Any, F: Any, V: Any, B: Any, inside: Any, rows_per_block: int, out: Any, slopes: Any, start: int, stop: int
) -> None:
    """out_b = Dᵀ(F, V, D), side by side, of the rows of block b that are inside, and slopes_b = Σ b_jc d_jc of all."""
    n, k, p = D.shape[0], D.shape[1], F.shape[1]
    lanes = VECTOR_BYTES // D.itemsize
    width = -(-(p + 2 * k) // lanes) * lanes
    left = np.zeros((rows_per_block, -(-k // TILE_ROWS) * TILE_ROWS), dtype=D.dtype)
    right = np.zeros((rows_per_block, width), dtype=D.dtype)
    total = np.empty((TILE_ROWS, width), dtype=D.dtype)
    for block in range(start, stop):
        first = block * rows_per_block
        size = min(rows_per_block, n - first)
        slope = 0.0
        for r in range(size):
            j = first + r
            for c in range(k):
                left[r, c] = inside[j] * D[j, c]
                slope += np.float64(B[j, c]) * np.float64(D[j, c])
            for a in range(p):
                right[r, a] = F[j, a]
            for c in range(k):
                right[r, p + c] = V[j, c]
                right[r, p + k + c] = D[j, c]
        slopes[block] = slope
        for tile in range(0, k, TILE_ROWS):
            tile_products(total, left[:size, tile : tile + TILE_ROWS].T, right)
            for c in range(tile, min(k, tile + TILE_ROWS)):
                for a in range(p + 2 * k):
                    out[block, c, a] = total[c - tile, a]


@kernel
def share_sums(M: Any, A: Any, M_step: Any, across: Any, A_bend: Any, G: Any) -> tuple[float, ...]:
    """The sums of k x k products of which a quartic in the share of the way is made, in double precision.

    <G, A'>, <G, A''>, <A, A'>, <M, M'>, ‖A'‖², <A, A''>, ‖M'‖², <A', A''>, ‖A''‖² with A' = across + acrossᵀ.
    """
    sums = np.zeros(9)
    for c in range(A.shape[0]):
        for d in range(A.shape[1]):
            step, bend = across[c, d] + across[d, c], A_bend[c, d]
            sums[0] += G[c, d] * step
            sums[1] += G[c, d] * bend
            sums[2] += A[c, d] * step
            sums[4] += step * step
            sums[5] += A[c, d] * bend
            sums[7] += step * bend
            sums[8] += bend * bend
        for d in range(M.shape[1]):
            sums[3] += M[c, d] * M_step[c, d]
            sums[6] += M_step[c, d] * M_step[c, d]
    return sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7], sums[8]


@kernel
def best_share(first: float, second: float, third: float, fourth: float) -> float:
    """The t from 0 to 1 where first t + second t² + third t³ + fourth t⁴ is lowest.

    Between the turning points of its derivative that rises or falls, so its roots there are found by halving.
    """
    if not abs(first) + abs(second) + abs(third) + abs(fourth) < np.inf:
        # Who looks at the objective sees it there.
        return 1.0
    # Turning points, in their order: 2 second + 6 third t + 12 fourth t² = 0.
    bounds = np.array([0.0, 1.0, 1.0, 1.0])
    a, b, c = 6 * fourth, 3 * third, second
    inside = b * b - 4 * a * c
    if inside >= 0:
        # Without cancellation; where the square term is nothing, one of them is infinitely far.
        far = -(b + (sqrt(inside) if b >= 0 else -sqrt(inside))) / 2
        roots = far / a if a != 0 else 2.0, c / far if far != 0 else 2.0
        for place in range(2):
            bounds[1 + place] = min(max(roots[place], 0.0), 1.0)
        bounds[1], bounds[2] = min(bounds[1], bounds[2]), max(bounds[1], bounds[2])
    best, lowest = 0.0, 0.0
    for piece in range(3):
        low, high = bounds[piece], bounds[piece + 1]
        for _ in range(60):
            middle = (low + high) / 2
            if first + middle * (2 * second + middle * (3 * third + middle * 4 * fourth)) > 0:
                high = middle
            else:
                low = middle
        for t in (low, bounds[piece + 1]):
            height = t * (first + t * (second + t * (third + t * fourth)))
            if height < lowest:
                best, lowest = t, height
    return best
