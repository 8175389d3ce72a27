"""Passes over a dense X for the Kullback-Leibler loss: Y = V Uᵀ exists for a tile of rows at a time.

U and Uᵀ come padded to whole vectors (see `lanes`), V comes as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel
from manifact.backends.numpy.kernels.lanes import TILE_ROWS, tile_products
from manifact.backends.numpy.kernels.logarithm import weighted_log_sum
from manifact.backends.numpy.kernels.narrow_products import add_block_transposed, block_times, fill


@called_by_kernels
def _divide(X: Any, Y: Any, floors: Any, tiny: float) -> None:
    """Y = X / Y for the rows of X, Y at least at its floor; zeros in the other rows of Y."""
    for j in range(X.shape[0]):
        for i in range(X.shape[1]):
            Y[j, i] = X[j, i] / max(Y[j, i], floors[j] * X[j, i] + tiny)
    for j in range(X.shape[0], Y.shape[0]):
        for i in range(X.shape[1]):
            Y[j, i] = 0


@kernel
def ratio_times(
    X: Any, U: Any, UT: Any, V: Any, floors: Any, tiny: float, bits_like: Any, out: Any, loglik: Any, start: int,
    stop: int,
) -> None:  # fmt: skip
    """out = (X / Y) U and loglik_j = Σ_i x_ji log y_ji, Y = V Uᵀ, for the tiles start to stop of `TILE_ROWS` rows."""
    n, m = X.shape
    k, lanes = V.shape[1], U.shape[1]
    Y, rows = np.empty((TILE_ROWS, UT.shape[1]), dtype=X.dtype), np.empty((TILE_ROWS, k), dtype=X.dtype)
    part, sums = np.empty((TILE_ROWS, lanes), dtype=X.dtype), np.empty((TILE_ROWS, lanes), dtype=X.dtype)
    y, exponents = np.empty(m, dtype=X.dtype), np.empty(m, dtype=X.dtype)
    bits = y.view(bits_like.dtype)
    for tile in range(start, stop):
        first, last = TILE_ROWS * tile, min(TILE_ROWS * (tile + 1), n)
        fill(rows, V[first:last])
        tile_products(Y, rows, UT)
        for j in range(first, last):
            for i in range(m):
                y[i] = max(Y[j - first, i], floors[j] * X[j, i] + tiny)
            loglik[j] = weighted_log_sum(X[j], y, bits, exponents)
        _divide(X[first:last], Y, floors[first:last], tiny)
        block_times(Y[:, :m], U, rows, part, sums)
        for j in range(first, last):
            for c in range(k):
                out[j, c] = sums[j - first, c]


@kernel
def ratio_times_transposed(
    X: Any, UT: Any, V: Any, floors: Any, tiny: float, rows_per_part: int, parts: Any, start: int, stop: int
) -> None:
    """parts_b = (X / Y)ᵀ V over the rows of part b; parts are padded."""
    n, m = X.shape
    Y, rows = np.empty((TILE_ROWS, UT.shape[1]), dtype=X.dtype), np.zeros((TILE_ROWS, parts.shape[2]), dtype=X.dtype)
    for part in range(start, stop):
        total = parts[part]
        for i in range(m):
            for c in range(total.shape[1]):
                total[i, c] = 0
        end = min(rows_per_part * (part + 1), n)
        for first in range(rows_per_part * part, end, TILE_ROWS):
            last = min(first + TILE_ROWS, end)
            fill(rows, V[first:last])
            tile_products(Y, rows[:, : V.shape[1]], UT)
            _divide(X[first:last], Y, floors[first:last], tiny)
            add_block_transposed(Y[:, :m], rows, rows, total)
