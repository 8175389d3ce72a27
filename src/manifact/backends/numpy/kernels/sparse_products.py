"""Products of a CSR matrix with a tall dense one, whose rows come padded to whole vectors (see `lanes`)."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel
from manifact.backends.numpy.kernels.lanes import add_scaled


@called_by_kernels
def add_rows_of(indices: Any, values: Any, first: int, last: int, B: Any, total: Any) -> None:
    """Total += Σ_t x_t b_i(t)."""
    t = first
    number = B.dtype.type
    while t + 4 <= last:
        scales = number(values[t]), number(values[t + 1]), number(values[t + 2]), number(values[t + 3])
        add_scaled(total, scales, B, (indices[t], indices[t + 1], indices[t + 2], indices[t + 3]))
        t += 4
    while t < last:
        add_scaled(total, (number(values[t]),), B, (indices[t],))
        t += 1


@kernel
def times(indptr: Any, indices: Any, values: Any, B: Any, out: Any, start: int, stop: int) -> None:
    """out = X B."""
    k = out.shape[1]
    total = np.zeros(B.shape[1], dtype=B.dtype)
    for j in range(start, stop):
        for c in range(k):
            total[c] = 0
        add_rows_of(indices, values, indptr[j], indptr[j + 1], B, total)
        for c in range(k):
            out[j, c] = total[c]


@kernel
def times_in_blocks(
    indptr: Any, indices: Any, values: Any, B: Any, rows_per_block: int, out: Any, start: int, stop: int
) -> None:
    """out = X B for a tall B, a block of its rows after the other, so that gathers stay in cache."""
    k = out.shape[1]
    total = np.zeros(B.shape[1], dtype=B.dtype)
    position = indptr[start:stop].copy()
    out[start:stop] = 0
    for limit in range(rows_per_block, B.shape[0] + rows_per_block, rows_per_block):
        for j in range(start, stop):
            first, last = position[j - start], position[j - start]
            while last < indptr[j + 1] and indices[last] < limit:
                last += 1
            for c in range(k):
                total[c] = out[j, c]
            add_rows_of(indices, values, first, last, B, total)
            for c in range(k):
                out[j, c] = total[c]
            position[j - start] = last


@kernel
def gather(indptr: Any, indices: Any, B: Any, out: Any, start: int, stop: int) -> None:
    """out_j = the sum of the rows of B that row j of X points at: a loop as anybody would write it, to measure by."""
    k = B.shape[1]
    for j in range(start, stop):
        row = out[j]
        row[:] = 0
        for t in range(indptr[j], indptr[j + 1]):
            b = B[indices[t]]
            for c in range(k):
                row[c] += b[c]


@kernel
def edge_energies(
    indptr: Any, indices: Any, values: Any, A: Any, B: Any, rows: int, out: Any, start: int, stop: int
) -> None:
    """For the blocks start to stop of so many ``rows``, out_b = ½ Σ_j Σ_s W_js (a_j − a_s) ∘ (b_j − b_s), W symmetric.

    Differences first, so that smooth factors lose no digits; each edge is looked at from one side.
    """
    k = A.shape[1]
    inner = np.empty(k)
    for block in range(start, stop):
        for c in range(k):
            out[block, c] = 0
        for j in range(rows * block, min(rows * (block + 1), A.shape[0])):
            for t in range(indptr[j], indptr[j + 1]):
                s = indices[t]
                if s > j:
                    continue
                w = values[t]
                for c in range(k):
                    inner[c] = (A[j, c] - A[s, c]) * (B[j, c] - B[s, c])
                for c in range(k):
                    out[block, c] += w * inner[c]


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


@kernel
def color(indptr: Any, indices: Any, order: Any, colors: Any) -> None:
    """Greedily: each vertex, in the given order, gets the smallest colour that none of its neighbours has."""
    taken = np.full(len(order) + 1, -1)
    for j in order:
        for t in range(indptr[j], indptr[j + 1]):
            if colors[indices[t]] >= 0:
                taken[colors[indices[t]]] = j
        mine = 0
        while taken[mine] == j:
            mine += 1
        colors[j] = mine


@kernel
def add_rows(indptr: Any, indices: Any, values: Any, rows: Any, clusters: Any, factor: float, sums: Any) -> None:
    """sums_c += factor · x_j for the chosen rows j of a sparse matrix, c the cluster that goes with each."""
    for place in range(len(rows)):
        j = rows[place]
        total = sums[clusters[place]]
        for t in range(indptr[j], indptr[j + 1]):
            total[indices[t]] += factor * values[t]
