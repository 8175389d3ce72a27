"""Products of dense matrices a block of rows at a time, by BLAS: blocks are the same for any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel
from manifact.backends.numpy.kernels.logarithm import weighted_log_sum


@kernel
def multiply(A: Any, B: Any, rows: int, out: Any, start: int, stop: int) -> None:
    """Out = A B, for the blocks start to stop of so many ``rows``."""
    for block in range(start, stop):
        first, last = rows * block, min(rows * (block + 1), A.shape[0])
        np.dot(A[first:last], B, out[first:last])


@kernel
def multiply_transposed(A: Any, B: Any, rows: int, parts: Any, start: int, stop: int) -> None:
    """parts_b = AᵀB over the rows of block b."""
    for part in range(start, stop):
        first, last = rows * part, min(rows * (part + 1), A.shape[0])
        np.dot(A[first:last].T, B[first:last], parts[part])


@called_by_kernels
def _ratios(X: Any, V: Any, UT: Any, floors: Any, tiny: float, Y: Any, loglik: Any, y: Any, exponents: Any) -> None:
    """Y = X / (V Uᵀ) and loglik_j = Σ_i x_ji log y_ji, for a block of rows."""
    np.dot(V, UT, Y)
    bits = y.view(np.int64)
    for j in range(X.shape[0]):
        for i in range(X.shape[1]):
            near = max(Y[j, i], floors[j] * X[j, i] + tiny)
            y[i] = near
            Y[j, i] = X[j, i] / near
        loglik[j] = weighted_log_sum(X[j], y, bits, exponents)


@kernel
def ratio_times(
    X: Any, U: Any, UT: Any, V: Any, floors: Any, tiny: float, rows: int, out: Any, loglik: Any, start: int, stop: int
) -> None:
    """out = (X / Y) U and loglik_j = Σ_i x_ji log y_ji, Y = V Uᵀ, for the blocks start to stop of so many ``rows``."""
    n, m = X.shape
    memory, y, exponents = np.empty((rows, m), dtype=X.dtype), np.empty(m), np.empty(m)
    for block in range(start, stop):
        first, last = rows * block, min(rows * (block + 1), n)
        Y = memory[: last - first]
        _ratios(X[first:last], V[first:last], UT, floors[first:last], tiny, Y, loglik[first:last], y, exponents)
        np.dot(Y, U, out[first:last])


@kernel
def ratio_times_transposed(
    X: Any, UT: Any, V: Any, floors: Any, tiny: float, rows: int, rows_per_part: int, parts: Any, start: int, stop: int
) -> None:
    """parts_b = (X / Y)ᵀ V over the rows of part b, a block of ``rows`` at a time."""
    n, m = X.shape
    memory, y, exponents = np.empty((rows, m), dtype=X.dtype), np.empty(m), np.empty(m)
    unused, product = np.empty(rows), np.empty(parts.shape[1:], dtype=X.dtype)
    for part in range(start, stop):
        parts[part] = 0
        end = min(rows_per_part * (part + 1), n)
        for first in range(rows_per_part * part, end, rows):
            last = min(first + rows, end)
            Y = memory[: last - first]
            _ratios(X[first:last], V[first:last], UT, floors[first:last], tiny, Y, unused, y, exponents)
            np.dot(Y.T, V[first:last], product)
            # Number by number: what would be said if shapes differed takes seconds to compile.
            for i in range(m):
                for c in range(product.shape[1]):
                    parts[part, i, c] += product[i, c]
