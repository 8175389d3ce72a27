"""Products of a CSR matrix with a tall dense one."""

from __future__ import annotations

from math import exp
from typing import Any

from manifact.backends.kernels import kernel


@kernel
def times(indptr: Any, indices: Any, values: Any, B: Any, out: Any, start: int, stop: int) -> None:
    """out = X B."""
    k = B.shape[1]
    for j in range(start, stop):
        row = out[j]
        row[:] = 0
        for t in range(indptr[j], indptr[j + 1]):
            x = values[t]
            b = B[indices[t]]
            for c in range(k):
                row[c] += x * b[c]


@kernel
def times_in_blocks(
    indptr: Any, indices: Any, values: Any, B: Any, rows_per_block: int, out: Any, start: int, stop: int
) -> None:
    """out = X B for a tall B, a block of its rows after the other, so that gathers stay in cache."""
    k = B.shape[1]
    position = indptr[start:stop].copy()
    out[start:stop] = 0
    for limit in range(rows_per_block, B.shape[0] + rows_per_block, rows_per_block):
        for j in range(start, stop):
            row = out[j]
            t = position[j - start]
            while t < indptr[j + 1] and indices[t] < limit:
                x = values[t]
                b = B[indices[t]]
                for c in range(k):
                    row[c] += x * b[c]
                t += 1
            position[j - start] = t


@kernel
def edge_energy(indptr: Any, indices: Any, values: Any, A: Any, B: Any, out: Any, start: int, stop: int) -> None:
    """out_j = 1/2 Σ_s W_js <a_j − a_s, b_j − b_s>: differences first, so that smooth factors lose no digits."""
    k = A.shape[1]
    for j in range(start, stop):
        total = 0.0
        for t in range(indptr[j], indptr[j + 1]):
            s = indices[t]
            inner = 0.0
            for c in range(k):
                inner += (A[j, c] - A[s, c]) * (B[j, c] - B[s, c])
            total += values[t] * inner
        out[j] = 0.5 * total


@kernel
def gaussian(indptr: Any, indices: Any, values: Any, V: Any, out: Any, start: int, stop: int) -> None:
    """out_js = W_js exp(−‖v_j − v_s‖²) on the non-zeros of W."""
    k = V.shape[1]
    for j in range(start, stop):
        for t in range(indptr[j], indptr[j + 1]):
            square = 0.0
            for c in range(k):
                gap = V[j, c] - V[indices[t], c]
                square += gap * gap
            out[t] = values[t] * exp(-square)
