"""Half an iteration of block descent on ‖X − V Uᵀ‖² as one pass: a product B with X, exact coordinate steps of the rows
of P that it draws, and the sums that are needed of the result while it is still in the nearest cache.

With ``rate`` rows start ahead, from p + rate (p − before). Where ``products`` holds the B of the iterate before, B is
kept in ``sums`` and moved on alike. Sums over rows come in parts, which do not depend on who adds them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel
from manifact.backends.numpy.kernels.lanes import TILE_ROWS, combine, tile_products
from manifact.backends.numpy.kernels.narrow_products import add_block_transposed, block_times
from manifact.backends.numpy.kernels.sparse_products import add_rows_of


@called_by_kernels
def _lower(G: Any, B: Any, P: Any, before: Any, rate: float, sweeps: int, abreast: Any, new: Any) -> None:
    """New = the rows of P after rounds of exact coordinate steps on pᵀGp − 2 bᵀp, p ≥ 0, all rows side by side."""
    size, k, zero = P.shape[0], G.shape[0], P.dtype.type(0)
    T, R, slope = abreast[:k], abreast[k : 2 * k], abreast[2 * k]
    for r in range(size):
        for c in range(k):
            T[c, r] = P[r, c] + rate * (P[r, c] - before[r, c])
            R[c, r] = B[r, c]
    for _ in range(sweeps):
        for c in range(k):
            combine(slope, G[c], T)
            bend = G[c, c]
            for r in range(T.shape[1]):
                T[c, r] = max(zero, T[c, r] - (slope[r] - R[c, r]) / bend) if bend > 0 else zero
    for r in range(size):
        for c in range(k):
            new[r, c] = T[c, r]
    # A tile that begins inside has no other rows.
    for r in range(size, min(new.shape[0], size + TILE_ROWS)):
        for c in range(k):
            new[r, c] = 0


@called_by_kernels
def _add_gram(P: Any, size: int, total: Any, out: Any) -> None:
    """Out += PᵀP over the first rows of P."""
    k = out.shape[0]
    for first in range(0, k, TILE_ROWS):
        tile_products(total, P[:size, first : first + TILE_ROWS].T, P)
        for a in range(first, min(k, first + TILE_ROWS)):
            for c in range(k):
                out[a, c] += total[a - first, c]


@called_by_kernels
def _block(
    G: Any, B: Any, P: Any, before: Any, rate: float, products: Any, sweeps: int, abreast: Any, new: Any, total: Any,
    out: Any, sums: Any, grams: Any,
) -> float:  # fmt: skip
    """The rows of a block, B there: they are lowered into ``new`` and out; <B, new> where B is kept.

    grams_0 += newᵀnew; grams_1, where it is asked for, the same of the points as far ahead of new as P is behind.
    """
    size, k = P.shape
    for r in range(sums.shape[0]):
        for c in range(k):
            sums[r, c] = B[r, c]
            B[r, c] += rate * (B[r, c] - products[r, c])
    _lower(G, B, P, before, rate, sweeps, abreast, new)
    inner = 0.0
    for r in range(sums.shape[0]):
        for c in range(k):
            inner += np.float64(sums[r, c]) * np.float64(new[r, c])
    for r in range(size):
        for c in range(k):
            out[r, c] = new[r, c]
    _add_gram(new, size, total, grams[0])
    if grams.shape[0] > 1:
        # B is done with: its memory is as good as any other.
        for r in range(size):
            for c in range(k):
                B[r, c] = new[r, c] + rate * (new[r, c] - P[r, c])
        _add_gram(B, size, total, grams[1])
    return inner


@kernel
def dense_samples(
    X: Any, U: Any, G: Any, P: Any, before: Any, rate: float, sweeps: int, width: int, rows: int, out: Any, parts: Any,
    grams: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Out = P after steps towards X U, and parts_b = Xᵀ out over the ``rows`` of part b: X is read once."""
    n, m, k, lanes = X.shape[0], X.shape[1], G.shape[0], U.shape[1]
    rest, product = np.empty((TILE_ROWS, m), dtype=U.dtype), np.empty((TILE_ROWS, lanes), dtype=U.dtype)
    B, new = np.zeros((width, lanes), dtype=U.dtype), np.zeros((width, lanes), dtype=U.dtype)
    abreast = np.zeros((2 * k + 1, width), dtype=U.dtype)
    for part in range(start, stop):
        total = parts[part]
        for i in range(m):
            for c in range(lanes):
                total[i, c] = 0
        grams[part] = 0
        end = min(rows * (part + 1), n)
        for first in range(rows * part, end, width):
            last = min(first + width, end)
            block_times(X[first:last], U, rest, product, B)
            _block(
                G, B, P[first:last], before[first:last], rate, P[:0], sweeps, abreast, new, product, out[first:last],
                out[:0], grams[part],
            )  # fmt: skip
            add_block_transposed(X[first:last], new, rest, total)


@kernel
def added_features(
    parts: Any, G: Any, P: Any, before: Any, rate: float, products: Any, sweeps: int, width: int, rows: int, out: Any,
    sums: Any, grams: Any, inner: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Out = P after steps towards the sum of all parts, each a row here."""
    m, k, lanes = P.shape[0], G.shape[0], parts.shape[1] // P.shape[0]
    B, new = np.zeros((width, lanes), dtype=P.dtype), np.zeros((width, lanes), dtype=P.dtype)
    product, abreast = np.empty((TILE_ROWS, lanes), dtype=P.dtype), np.zeros((2 * k + 1, width), dtype=P.dtype)
    flat = B.reshape(-1)
    for part in range(start, stop):
        grams[part], inner[part] = 0, 0
        end = min(rows * (part + 1), m)
        for first in range(rows * part, end, width):
            last = min(first + width, end)
            for place in range(lanes * (last - first)):
                flat[place] = parts[0, lanes * first + place]
            for number in range(1, parts.shape[0]):
                for place in range(lanes * (last - first)):
                    flat[place] += parts[number, lanes * first + place]
            inner[part] += _block(
                G, B, P[first:last], before[first:last], rate, products[first:last], sweeps, abreast, new, product,
                out[first:last], sums[first:last], grams[part],
            )  # fmt: skip


@kernel
def sparse_rows(
    indptr: Any, indices: Any, values: Any, F: Any, G: Any, P: Any, before: Any, rate: float, products: Any,
    sweeps: int, width: int, rows: int, out: Any, sums: Any, grams: Any, inner: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Out = P after steps towards X F."""
    n, k, lanes = P.shape[0], G.shape[0], F.shape[1]
    B, new = np.zeros((width, lanes), dtype=P.dtype), np.zeros((width, lanes), dtype=P.dtype)
    product, abreast = np.empty((TILE_ROWS, lanes), dtype=P.dtype), np.zeros((2 * k + 1, width), dtype=P.dtype)
    for part in range(start, stop):
        grams[part], inner[part] = 0, 0
        end = min(rows * (part + 1), n)
        for first in range(rows * part, end, width):
            last = min(first + width, end)
            for r in range(last - first):
                row = B[r]
                for c in range(lanes):
                    row[c] = 0
                add_rows_of(indices, values, indptr[first + r], indptr[first + r + 1], F, row)
            inner[part] += _block(
                G, B, P[first:last], before[first:last], rate, products[first:last], sweeps, abreast, new, product,
                out[first:last], sums[first:last], grams[part],
            )  # fmt: skip
