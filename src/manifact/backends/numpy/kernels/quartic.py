"""Coordinate steps for ‖F Fᵀ − V Vᵀ‖² beside a quadratic: all rows at once, each with the others held still."""

from __future__ import annotations

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
