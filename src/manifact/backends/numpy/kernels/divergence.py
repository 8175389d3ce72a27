"""Passes over the non-zeros of X for the Kullback-Leibler loss: Y = V Uᵀ exists one entry at a time.

The factor whose rows are gathered comes padded to whole vectors (see `lanes`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel
from manifact.backends.numpy.kernels.lanes import add_scaled, dots
from manifact.backends.numpy.kernels.logarithm import weighted_log_sum


@called_by_kernels
def _longest(indptr: Any, start: int, stop: int) -> int:
    longest = 0
    for j in range(start, stop):
        longest = max(longest, indptr[j + 1] - indptr[j])
    return longest


@called_by_kernels
def _add_ratios(
    indices: Any, values: Any, first: int, last: int, M: Any, v: Any, floors: Any, own: int, gathered: int, tiny: float,
    total: Any, y: Any,
) -> None:  # fmt: skip
    """Total += Σ_t (x_t / y_t) m_i(t) with y_t = <m_i(t), v>, which is kept.

    The floor under y_t belongs to the sample: number ``own``, or with ``gathered`` = 1 the one whose row is gathered.
    """
    t = first
    while t + 4 <= last:
        rows = indices[t], indices[t + 1], indices[t + 2], indices[t + 3]
        a, b, c, d = dots(M, rows, v)
        a = max(a, floors[own + gathered * rows[0]] * values[t] + tiny)
        b = max(b, floors[own + gathered * rows[1]] * values[t + 1] + tiny)
        c = max(c, floors[own + gathered * rows[2]] * values[t + 2] + tiny)
        d = max(d, floors[own + gathered * rows[3]] * values[t + 3] + tiny)
        s = t - first
        y[s], y[s + 1], y[s + 2], y[s + 3] = a, b, c, d
        add_scaled(total, (values[t] / a, values[t + 1] / b, values[t + 2] / c, values[t + 3] / d), M, rows)
        t += 4
    while t < last:
        row = (indices[t],)
        a = max(dots(M, row, v)[0], floors[own + gathered * row[0]] * values[t] + tiny)
        y[t - first] = a
        add_scaled(total, (values[t] / a,), M, row)
        t += 1


@kernel
def ratio_times(
    indptr: Any, indices: Any, values: Any, U: Any, V: Any, floors: Any, tiny: float,
    out: Any, loglik: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """out = (X / Y) U and loglik_j = Σ_i x_ji log y_ji, in one pass over X; U is padded, V and out are not."""
    k = V.shape[1]
    v, total = np.zeros(U.shape[1], dtype=U.dtype), np.zeros(U.shape[1], dtype=U.dtype)
    y = np.empty(_longest(indptr, start, stop))
    bits, exponents = y.view(np.int64), np.empty_like(y)
    for j in range(start, stop):
        # One kind of numbers, whatever the matrix has: what is called is compiled once.
        first, last = np.int64(indptr[j]), np.int64(indptr[j + 1])
        for c in range(k):
            v[c] = V[j, c]
            total[c] = 0
        _add_ratios(indices, values, first, last, U, v, floors, j, np.int64(0), tiny, total, y)
        for c in range(k):
            out[j, c] = total[c]
        size = last - first
        loglik[j] = weighted_log_sum(values[first:last], y[:size], bits[:size], exponents)


@kernel
def ratio_times_transposed(
    indptr: Any, indices: Any, values: Any, U: Any, V: Any, floors: Any, gathered: int, tiny: float,
    rows_per_block: int, out: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """out = (X / Y)ᵀ V, from the CSR form of Xᵀ: rows here are features; V is padded, U and out are not.

    Samples are visited a block at a time, so that the gathered rows of V stay in cache. ``gathered`` = 0 says that all
    floors are the same.
    """
    k = U.shape[1]
    u, total = np.zeros(V.shape[1], dtype=V.dtype), np.zeros(V.shape[1], dtype=V.dtype)
    y = np.empty(_longest(indptr, start, stop))
    position = indptr[start:stop].copy()
    for limit in range(rows_per_block, V.shape[0] + rows_per_block, rows_per_block):
        for i in range(start, stop):
            first = last = np.int64(position[i - start])
            if limit >= V.shape[0]:
                last = np.int64(indptr[i + 1])
            while last < indptr[i + 1] and indices[last] < limit:
                last += 1
            for c in range(k):
                u[c] = U[i, c]
                total[c] = 0 if limit == rows_per_block else out[i, c]
            _add_ratios(indices, values, first, last, V, u, floors, np.int64(0), gathered, tiny, total, y)
            for c in range(k):
                out[i, c] = total[c]
            position[i - start] = last
