"""Passes over factors, each row read once: sums that do not depend on who adds them, and steps without temporaries."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel
from manifact.backends.numpy.kernels.lanes import TILE_ROWS, VECTOR_BYTES, add_scaled, tile_products


@kernel
def inner(A: Any, B: Any, rows_per_block: int, out: Any, start: int, stop: int) -> None:
    """out_b = Σ a_jc b_jc over the rows j of block b, in double precision."""
    for block in range(start, stop):
        total = 0.0
        for j in range(block * rows_per_block, min((block + 1) * rows_per_block, A.shape[0])):
            for c in range(A.shape[1]):
                total += np.float64(A[j, c]) * np.float64(B[j, c])
        out[block] = total


@kernel
def column_products(A: Any, B: Any, rows_per_block: int, out: Any, start: int, stop: int) -> None:
    """out_bc = Σ a_jc b_jc over the rows j of block b, in double precision."""
    k = A.shape[1]
    total = np.empty(k)
    for block in range(start, stop):
        total[:] = 0
        for j in range(block * rows_per_block, min((block + 1) * rows_per_block, A.shape[0])):
            for c in range(k):
                total[c] += np.float64(A[j, c]) * np.float64(B[j, c])
        # Number by number: to copy a row as one, seconds go into compiling what would be said if shapes differed.
        for c in range(k):
            out[block, c] = total[c]


@kernel
def cross(
    A: Any, B: Any, like: Any, rows_per_block: int, blocks_per_chunk: int, out: Any, start: int, stop: int
) -> None:
    """out_c = AᵀB over the rows of chunk c, in double precision: blocks are added up in the type of ``like``."""
    n, p, k = A.shape[0], A.shape[1], B.shape[1]
    lanes = VECTOR_BYTES // like.itemsize
    height, width = -(-p // TILE_ROWS) * TILE_ROWS, -(-k // lanes) * lanes
    left = np.zeros((rows_per_block, height), dtype=like.dtype)
    right = np.zeros((rows_per_block, width), dtype=like.dtype)
    total = np.empty((TILE_ROWS, width), dtype=like.dtype)
    for chunk in range(start, stop):
        out[chunk] = 0
        for block in range(chunk * blocks_per_chunk, (chunk + 1) * blocks_per_chunk):
            first = block * rows_per_block
            size = min(rows_per_block, n - first)
            if size <= 0:
                break
            for r in range(size):
                for a in range(p):
                    left[r, a] = A[first + r, a]
                for c in range(k):
                    right[r, c] = B[first + r, c]
            for tile in range(0, p, TILE_ROWS):
                tile_products(total, left[:size, tile : tile + TILE_ROWS].T, right)
                for a in range(tile, min(p, tile + TILE_ROWS)):
                    for c in range(k):
                        out[chunk, a, c] += total[a - tile, c]


@kernel
def add_parts(parts: Any, out: Any, start: int, stop: int) -> None:
    """out = the sum of all parts, rows ``start`` to ``stop``, in their order."""
    for j in range(start, stop):
        for c in range(out.shape[1]):
            out[j, c] = parts[0, j, c]
        for part in range(1, parts.shape[0]):
            for c in range(out.shape[1]):
                out[j, c] += parts[part, j, c]


@kernel
def pad(P: Any, out: Any, start: int, stop: int) -> None:
    """Out = P, its rows filled up with zeros."""
    k = P.shape[1]
    for j in range(start, stop):
        for c in range(k):
            out[j, c] = P[j, c]
        for c in range(k, out.shape[1]):
            out[j, c] = 0


@kernel
def transpose(P: Any, out: Any, start: int, stop: int) -> None:
    """Out = Pᵀ, its rows filled up with zeros; as many columns of P at a time as a line of the cache has."""
    k = P.shape[0]
    lanes = VECTOR_BYTES // P.itemsize
    for first in range(start, stop, lanes):
        last = min(first + lanes, stop)
        for c in range(k):
            for j in range(first, last):
                out[j, c] = P[c, j]
        for j in range(first, last):
            for c in range(k, out.shape[1]):
                out[j, c] = 0


@kernel
def row_squares(P: Any, out: Any, start: int, stop: int) -> None:
    """out_j = Σ_c p_jc², in double precision."""
    for j in range(start, stop):
        total = 0.0
        for c in range(P.shape[1]):
            total += np.float64(P[j, c]) * np.float64(P[j, c])
        out[j] = total


@kernel
def ahead(new: Any, before: Any, rate: float, out: Any, start: int, stop: int) -> None:
    """Out = new + rate (new − before), filled up with zeros where its rows are longer."""
    for j in range(start, stop):
        for c in range(new.shape[1]):
            out[j, c] = new[j, c] + rate * (new[j, c] - before[j, c])
        for c in range(new.shape[1], out.shape[1]):
            out[j, c] = 0


@kernel
def move(P: Any, way: Any, share: float, out: Any, start: int, stop: int) -> None:
    """Out = P + share · way."""
    for j in range(start, stop):
        for c in range(P.shape[1]):
            out[j, c] = P[j, c] + share * way[j, c]


@kernel
def positive(P: Any, out: Any, start: int, stop: int) -> None:
    """Out = P with zeros in place of what is below them."""
    zero = P.dtype.type(0)
    for j in range(start, stop):
        for c in range(P.shape[1]):
            out[j, c] = max(P[j, c], zero)


@kernel
def scale(P: Any, rows: Any, columns: Any, out: Any, start: int, stop: int) -> None:
    """Out = diag(rows) P diag(columns); one number in ``rows`` stands for all."""
    for j in range(start, stop):
        own = rows[j if len(rows) > 1 else 0]
        for c in range(P.shape[1]):
            out[j, c] = own * P[j, c] * columns[c]


@kernel
def multiply_rows(
    P: Any, G: Any, B: Any, scales: Any, shifts: Any, l1: float, indptr: Any, neighbors: Any, weights: Any, lam: float,
    gathered: Any, floor: float, out: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """out_j = p_j ∘ (b_j + λ Σ_s w_js p_s) / max(scale_j p_j G + shift_j p_j + l1, floor).

    G and ``gathered``, the rows p_s, come padded to whole vectors; one number in ``scales`` or ``shifts`` is for all.
    """
    k = P.shape[1]
    number = P.dtype.type
    products = np.zeros((TILE_ROWS, G.shape[1]), dtype=P.dtype)
    rows = np.zeros((TILE_ROWS, G.shape[0]), dtype=P.dtype)
    pull = np.zeros(gathered.shape[1], dtype=P.dtype)
    for first in range(start, stop, TILE_ROWS):
        size = min(TILE_ROWS, stop - first)
        for r in range(size):
            for c in range(k):
                rows[r, c] = P[first + r, c]
        tile_products(products, rows, G)
        for r in range(size):
            j = first + r
            own = scales[j if len(scales) > 1 else 0]
            held = shifts[j if len(shifts) > 1 else 0]
            if indptr[j + 1] > indptr[j]:
                pull[:] = 0
                for t in range(indptr[j], indptr[j + 1]):
                    add_scaled(pull, (number(lam * weights[t]),), gathered, (neighbors[t],))
                for c in range(k):
                    under = own * products[r, c] + held * rows[r, c] + l1
                    out[j, c] = rows[r, c] * ((B[j, c] + pull[c]) / max(under, floor))
            else:
                for c in range(k):
                    under = own * products[r, c] + held * rows[r, c] + l1
                    out[j, c] = rows[r, c] * (B[j, c] / max(under, floor))
