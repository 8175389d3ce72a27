"""Passes over the non-zeros of X for the Kullback-Leibler loss: Y = V Uᵀ exists one entry at a time."""

from __future__ import annotations

from math import log
from typing import Any

from manifact.backends.kernels import kernel


@kernel
def ratio_times(
    indptr: Any, indices: Any, values: Any, U: Any, V: Any, floors: Any, tiny: float,
    out: Any, loglik: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """out = (X / Y) U and loglik_j = Σ_i x_ji log y_ji, in one pass."""
    k = U.shape[1]
    for j in range(start, stop):
        v = V[j]
        row = out[j]
        row[:] = 0
        total = 0.0
        for t in range(indptr[j], indptr[j + 1]):
            u = U[indices[t]]
            x = values[t]
            y = u[0] * v[0]
            for c in range(1, k):
                y += u[c] * v[c]
            y = max(y, floors[j] * x + tiny)
            r = x / y
            for c in range(k):
                row[c] += r * u[c]
            total += x * log(y)
        loglik[j] = total


@kernel
def ratio_times_transposed(
    indptr: Any, indices: Any, values: Any, U: Any, V: Any, floors: Any, tiny: float, rows_per_block: int,
    out: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """out = (X / Y)ᵀ V, from the CSR form of Xᵀ: rows here are features.

    Samples are visited a block at a time, so that the gathered rows of V stay in cache.
    """
    k = U.shape[1]
    position = indptr[start:stop].copy()
    out[start:stop] = 0
    for limit in range(rows_per_block, V.shape[0] + rows_per_block, rows_per_block):
        for i in range(start, stop):
            t = position[i - start]
            u = U[i]
            row = out[i]
            while t < indptr[i + 1] and indices[t] < limit:
                v = V[indices[t]]
                x = values[t]
                y = u[0] * v[0]
                for c in range(1, k):
                    y += u[c] * v[c]
                r = x / max(y, floors[indices[t]] * x + tiny)
                for c in range(k):
                    row[c] += r * v[c]
                t += 1
            position[i - start] = t
