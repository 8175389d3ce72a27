"""Products of a dense X with a factor of few columns: each number of X is read once and meets whole rows of the factor.

BLAS first copies X into panels, which takes longer than so few multiply-adds for each number. U comes padded to whole
vectors (see `lanes`). A block of rows meets a piece of the columns at a time, so that the rows of the factor that
belong to it stay in the nearest cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel
from manifact.backends.numpy.kernels.lanes import TILE_ROWS, add_outer_products, tile_products

#: Rows of X that are worked on together, and bytes of the factor that they meet at a time.
BLOCK_ROWS, PIECE_BYTES = 64, 1 << 15


@called_by_kernels
def block_times(X: Any, U: Any, rest: Any, part: Any, out: Any) -> None:
    """Out = X U for the rows of a block; ``rest`` has room for a tile of zeros, ``part`` for its products."""
    n, m = X.shape
    piece = max(1, PIECE_BYTES // (U.shape[1] * U.itemsize))
    for r in range(n):
        for c in range(out.shape[1]):
            out[r, c] = 0
    for left in range(0, m, piece):
        right = min(left + piece, m)
        for first in range(0, n, TILE_ROWS):
            size = min(TILE_ROWS, n - first)
            if size == TILE_ROWS:
                tile_products(part, X[first : first + TILE_ROWS, left:right], U[left:right])
            else:
                fill(rest, X[first:n, left:right])
                tile_products(part, rest[:, : right - left], U[left:right])
            for r in range(size):
                for c in range(out.shape[1]):
                    out[first + r, c] += part[r, c]


@called_by_kernels
def add_block_transposed(X: Any, V: Any, rest: Any, out: Any) -> None:
    """Out += XᵀV for the rows of a block; those of V that are missing in its last tile are zeros."""
    n, m = X.shape
    piece = max(1, PIECE_BYTES // (V.shape[1] * V.itemsize))
    for left in range(0, m, piece):
        right = min(left + piece, m)
        for first in range(0, n, TILE_ROWS):
            rows = V[first : first + TILE_ROWS]
            if n - first >= TILE_ROWS:
                add_outer_products(out[left:right], X[first : first + TILE_ROWS, left:right], rows)
            else:
                fill(rest, X[first:n, left:right])
                add_outer_products(out[left:right], rest[:, : right - left], rows)


@called_by_kernels
def fill(tile: Any, rows: Any) -> None:
    """The first rows of a tile become those given, the others zeros."""
    for r in range(tile.shape[0]):
        for c in range(rows.shape[1]):
            tile[r, c] = rows[r, c] if r < rows.shape[0] else 0


@kernel
def times(X: Any, U: Any, out: Any, start: int, stop: int) -> None:
    """out = X U, for the blocks start to stop of `BLOCK_ROWS` rows."""
    n, m = X.shape
    rest, part = np.empty((TILE_ROWS, m), dtype=U.dtype), np.empty((TILE_ROWS, U.shape[1]), dtype=U.dtype)
    for block in range(start, stop):
        first, last = block * BLOCK_ROWS, min((block + 1) * BLOCK_ROWS, n)
        block_times(X[first:last], U, rest, part, out[first:last])


@kernel
def times_transposed(X: Any, V: Any, rows: int, parts: Any, start: int, stop: int) -> None:
    """parts_b = XᵀV over the ``rows`` of part b; V comes as it is, parts are padded."""
    n, m = X.shape
    rest, some = np.empty((TILE_ROWS, m), dtype=V.dtype), np.zeros((BLOCK_ROWS, parts.shape[2]), dtype=V.dtype)
    for part in range(start, stop):
        total = parts[part]
        for i in range(m):
            for c in range(total.shape[1]):
                total[i, c] = 0
        end = min(rows * (part + 1), n)
        for first in range(rows * part, end, BLOCK_ROWS):
            last = min(first + BLOCK_ROWS, end)
            fill(some, V[first:last])
            add_block_transposed(X[first:last], some, rest, total)
