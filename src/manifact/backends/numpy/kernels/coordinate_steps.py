"""Work on the factors alone: rescaling, and exact coordinate steps for many rows abreast."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel
from manifact.backends.numpy.kernels.lanes import combine


@kernel
def rescale(P: Any, negative: Any, positive: Any, floor: float, out: Any, start: int, stop: int) -> None:
    """Out = P ∘ negative / max(positive, floor); ``positive`` may be one row for all."""
    k = P.shape[1]
    shared = positive.shape[0] != P.shape[0]
    for j in range(start, stop):
        row = 0 if shared else j
        for c in range(k):
            out[j, c] = P[j, c] * (negative[j, c] / max(positive[row, c], floor))


@kernel
def column_sums(P: Any, rows_per_block: int, out: Any, start: int, stop: int) -> None:
    """out_b = the sum of the rows of block b, in double precision."""
    k = P.shape[1]
    for block in range(start, stop):
        for c in range(k):
            out[block, c] = 0
        for j in range(block * rows_per_block, min((block + 1) * rows_per_block, P.shape[0])):
            for c in range(k):
                out[block, c] += P[j, c]


@kernel
def sweep_rows(
    G: Any, B: Any, scale: Any, shift: Any, indptr: Any, neighbors: Any, weights: Any, lam: float, order: Any,
    sweeps: int, width: int, before: Any, V: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """``sweeps`` rounds of exact coordinate steps for the rows order[b width : (b + 1) width], b from start to stop.

    They start from ``before``, which may be V itself. Each lowers scale_j vᵀGv − 2 (b_j + λ Σ_s w_js v_s)ᵀv + shift_j
    vᵀv over v ≥ 0, neighbours s held still, so no two of these rows may be neighbours. Rows stand abreast in vectors: a
    step is the same for all of them.
    """
    k = G.shape[0]
    number = V.dtype.type
    T, R = np.zeros((k, width), dtype=V.dtype), np.zeros((k, width), dtype=V.dtype)
    slope = np.empty(width, dtype=V.dtype)
    held, gain = np.zeros(width, dtype=V.dtype), np.zeros(width, dtype=V.dtype)
    pull = np.empty(k, dtype=V.dtype)
    for block in range(start, stop):
        first = block * width
        size = min(width, len(order) - first)
        for r in range(size):
            j = order[first + r]
            for c in range(k):
                pull[c] = 0
            for t in range(indptr[j], indptr[j + 1]):
                w = number(lam * weights[t])
                s = neighbors[t]
                for c in range(k):
                    pull[c] += w * V[s, c]
            for c in range(k):
                T[c, r] = before[j, c]
                R[c, r] = B[j, c] + pull[c]
            held[r] = shift[j]
            gain[r] = scale[j]
        for _ in range(sweeps):
            for c in range(k):
                combine(slope, G[c], T)
                diagonal = G[c, c]
                for r in range(width):
                    bend = gain[r] * diagonal + held[r]
                    step = (gain[r] * slope[r] - R[c, r] + held[r] * T[c, r]) / (bend if bend > 0 else number(1))
                    T[c, r] = max(number(0), T[c, r] - step) if bend > 0 else number(0)
        for r in range(size):
            j = order[first + r]
            for c in range(k):
                V[j, c] = T[c, r]
