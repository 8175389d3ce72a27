"""NumPy and Numba: sums over the rows of factors, and multiplicative steps, each one pass that threads share out.

Numbers that a pass over an n x k factor moves: `inner`, `cross` and `column_products` read 2 n k (n k of a factor with
itself), `scale` reads and writes n k each, `ahead` reads two factors and writes one, `rescale` reads three and writes
one, `multiply_rows` reads P and B and writes once; P G never exists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.matrix import Matrix
from manifact.backends.numpy.constant_arrays import no_entries
from manifact.backends.numpy.dense_products import product_transposed
from manifact.backends.numpy.kernels import coordinate_steps, factor_passes
from manifact.backends.numpy.kernels.lanes import padded_length
from manifact.backends.numpy.padded_rows import FEW_NUMBERS, padded
from manifact.backends.protocol import Array
from manifact.backends.threads import PER_NUMBER, over_rows

#: Rows that one thread adds up: sums must not depend on the number of threads.
ROWS_PER_SUM = 1024
#: Rows whose products are added up in their own type, and how many such blocks make one sum in float64. Larger matrices
#: of sums do not stay in cache: BLAS multiplies those.
ROWS_PER_CROSS, CROSSES_PER_SUM, LARGEST_CROSS = 128, 8, 1 << 15
#: Rows whose mean stands for that of all.
ROWS_PER_MEAN = 64


def cross(A: Array, B: Array) -> Array:
    """AᵀB in float64, a block of rows at a time: long sums of float32 factors keep their digits."""
    n, size = A.shape[0], A.shape[1] * B.shape[1]
    A, B = np.ascontiguousarray(A), np.ascontiguousarray(B)
    if size > LARGEST_CROSS:
        return product_transposed(A, B).astype(np.float64, copy=False)
    chunks = -(-n // (ROWS_PER_CROSS * CROSSES_PER_SUM))
    out = np.zeros((chunks, A.shape[1], B.shape[1]))
    like = np.empty(0, dtype=np.result_type(A.dtype, B.dtype))
    over_rows(factor_passes.cross, chunks, n * size, A, B, like, ROWS_PER_CROSS, CROSSES_PER_SUM, out)
    return out.sum(axis=0)


def column_sums(P: Array) -> Array:
    """Σ_j p_j, in float64."""
    blocks = -(-P.shape[0] // ROWS_PER_SUM)
    out = np.zeros((blocks, P.shape[1]))
    work = PER_NUMBER * P.size
    over_rows(coordinate_steps.column_sums, blocks, work, np.ascontiguousarray(P), ROWS_PER_SUM, out)
    return out.sum(axis=0)


def column_products(A: Array, B: Array) -> Array:
    """Σ_j a_jk b_jk of every column k, in float64."""
    blocks = -(-A.shape[0] // ROWS_PER_SUM)
    out = np.zeros((blocks, A.shape[1]))
    pair = np.ascontiguousarray(A), np.ascontiguousarray(B)
    over_rows(factor_passes.column_products, blocks, PER_NUMBER * A.size, *pair, ROWS_PER_SUM, out)
    return out.sum(axis=0)


def inner(A: Array, B: Array) -> float:
    """Σ a_ij b_ij, summed in float64."""
    if A.size <= FEW_NUMBERS:
        # Products in float64 keep what would be subnormal in float32.
        return float(np.sum(A.astype(np.float64) * B))
    blocks = -(-A.shape[0] // ROWS_PER_SUM)
    out = np.zeros(blocks)
    pair = np.ascontiguousarray(A), np.ascontiguousarray(B)
    over_rows(factor_passes.inner, blocks, PER_NUMBER * A.size, *pair, ROWS_PER_SUM, out)
    return float(out.sum())


def ahead(new: Array, before: Array, rate: float) -> Array:
    """New + rate (new − before)."""
    out = np.empty_like(new, order="C")
    pair = np.ascontiguousarray(new), np.ascontiguousarray(before)
    over_rows(factor_passes.ahead, len(new), PER_NUMBER * new.size, *pair, new.dtype.type(rate), out)
    return out


def moved(P: Array, way: Array, share: float) -> Array:
    """P + share · way."""
    out = np.empty_like(P, order="C")
    over_rows(factor_passes.move, len(P), PER_NUMBER * P.size, P, way, P.dtype.type(share), out)
    return out


def added(A: Array, B: Array) -> Array:
    """A + B."""
    return moved(np.ascontiguousarray(A), np.ascontiguousarray(B), 1.0)


def nonnegative(P: Array) -> Array:
    """P with zeros in place of what is below them."""
    out = np.empty_like(P, order="C")
    over_rows(factor_passes.positive, len(P), PER_NUMBER * P.size, np.ascontiguousarray(P), out)
    return out


def scale(P: Array, rows: Any = None, columns: Any = None) -> Array:
    """diag(rows) P diag(columns), either of them missing."""
    out = np.empty_like(P, order="C")
    left = _numbers(1.0 if rows is None else rows, P)
    right = np.broadcast_to(_numbers(1.0 if columns is None else columns, P), (P.shape[1],))
    arrays = np.ascontiguousarray(P), left, np.ascontiguousarray(right)
    over_rows(factor_passes.scale, len(P), PER_NUMBER * P.size, *arrays, out)
    return out


def rescale(P: Array, negative: Array, positive: Array) -> Array:
    """P ∘ negative / positive, with a floor under the denominators."""
    positive = np.asarray(positive, dtype=P.dtype)
    if positive.shape not in (P.shape, (1, P.shape[1])):
        positive = np.broadcast_to(positive, P.shape)
    positive = np.ascontiguousarray(positive)
    floor = _floor(float(column_sums(positive).sum()) / max(1, positive.size), P)
    out = np.empty_like(P, order="C")
    if np.shape(negative) != P.shape:
        negative = np.array(np.broadcast_to(negative, P.shape))
    arrays = (np.ascontiguousarray(part) for part in (P, negative, positive))
    over_rows(coordinate_steps.rescale, P.shape[0], PER_NUMBER * P.size, *arrays, floor, out)
    return out


def multiply_rows(
    P: Array, G: Array, B: Any, scale: Any, shift: Any, l1: float = 0.0, edges: Matrix | None = None, lam: float = 0.0
) -> Array:
    """P ∘ (B + λ W P) / (scale_j P G + shift_j P + l1), with the floor of `rescale`, in one pass."""
    n, k = P.shape
    P, scales, shifts = np.ascontiguousarray(P), _numbers(scale, P), _numbers(shift, P)
    mean = _mean_under(P, G, scales, shifts, l1)
    out = np.empty_like(P)
    if edges is None:
        lists: tuple[Array, ...] = no_entries(n)
        gathered, entries = np.zeros((1, padded_length(k, P.itemsize)), dtype=P.dtype), 0
    else:
        W = edges.typed(P.dtype)
        lists, gathered, entries = (W.indptr, W.indices, W.data), padded(P), W.nnz
    right = np.asarray(B, dtype=P.dtype)
    if right.shape != P.shape:
        right = np.array(np.broadcast_to(right, P.shape))
    over_rows(
        factor_passes.multiply_rows, n, (n * k + entries) * k, P, padded(np.asarray(G, dtype=P.dtype)),
        np.ascontiguousarray(right), scales,
        shifts, P.dtype.type(l1), *lists, float(lam), gathered, _floor(mean, P), out,
    )  # fmt: skip
    return out


def _mean_under(P: Array, G: Array, scales: Array, shifts: Array, l1: float) -> float:
    """The mean of scale_j P G + shift_j P + l1 over a few rows, evenly spaced: enough for a floor far below it.

    Where these are all empty it is the mean over all rows.
    """
    columns = G.sum(axis=1, dtype=np.float64)
    for every in (max(1, len(P) // ROWS_PER_MEAN), 1):
        some = P[::every]
        if not some.size:
            return l1
        # A sum over rows first: what follows is as small as k.
        own, held = (part[::every] @ some if len(part) > 1 else part * some.sum(axis=0) for part in (scales, shifts))
        mean = float(own @ columns + held.sum(dtype=np.float64)) / some.size + l1
        if mean > 0:
            return mean
    return 0.0


def _floor(mean: float, P: Array) -> Any:
    """What denominators are at least.

    Far below the scale of the data: entries that have become tiny must be able to grow again, zeros must not divide by
    zero.
    """
    tiny = float(np.finfo(P.dtype).tiny)
    return P.dtype.type(max(tiny, np.sqrt(tiny) * (mean or 1.0)))


def _numbers(value: Any, P: Array) -> Array:
    """One number, or one for each row or column, in the type of P."""
    return np.atleast_1d(np.asarray(value, dtype=P.dtype))
