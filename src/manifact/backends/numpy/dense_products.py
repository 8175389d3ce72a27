"""Products of dense matrices, shared out by our own threads, with BLAS on one each unless few columns meet.

So they run where subnormal numbers are zero, do not depend on the number of threads, and BLAS's own threads do not spin
beside ours.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np

from manifact.backends.blas_threads import ONE_BLAS_THREAD
from manifact.backends.numpy.kernels import block_products, factor_passes, narrow_products
from manifact.backends.numpy.kernels.lanes import padded_length
from manifact.backends.numpy.kernels.narrow_products import BLOCK_ROWS
from manifact.backends.numpy.padded_rows import padded, vectors
from manifact.backends.protocol import Array
from manifact.backends.threads import over_rows

#: A call of BLAS should do about so many multiply-adds, on so many rows at least and at the most.
PRODUCT_WORK, FEWEST_ROWS, MOST_ROWS = 1 << 20, 128, 1024
#: Columns that BLAS need not be asked for, by the bytes of a row of them, unless X has fewer numbers than these.
NARROW_BYTES, FEWEST_NUMBERS = 256, 1 << 12
#: OpenBLAS multiplies matrices with one thread up to so many multiply-adds.
ONE_THREAD_PRODUCT = 1 << 18
#: Sums over rows come in so many parts at the most, of so many times as many rows as the other matrix has columns, so
#: that writing them costs little.
MOST_PARTS, ROWS_PER_COLUMN = 64, 4


def product(P: Array, G: Array) -> Array:
    """P G, for P with many rows."""
    n, work = P.shape[0], P.shape[1] * G.shape[1]
    P, G = _alike(P, G)
    out = np.empty((n, G.shape[1]), dtype=P.dtype)
    if _narrow(P, G):
        over_rows(narrow_products.times, -(-n // BLOCK_ROWS), n * work, P, padded(G), out)
        return out
    rows = min(max(PRODUCT_WORK // max(work, 1), FEWEST_ROWS), MOST_ROWS)
    with _one_blas_thread(n * work):
        over_rows(block_products.multiply, -(-n // rows), n * work, P, G, rows, out)
    return out


def product_transposed(A: Array, B: Array) -> Array:
    """AᵀB, for A and B with many rows."""
    rows, k, work = rows_per_part(len(A), B.shape[1]), B.shape[1], A.size * B.shape[1]
    A, B = _alike(A, B)
    if _narrow(A, B):
        parts = vectors(-(-len(A) // rows) * A.shape[1], padded_length(k, B.itemsize), B.dtype)
        parts = parts.reshape(-1, A.shape[1], parts.shape[1])
        over_rows(narrow_products.times_transposed, len(parts), work, A, B, rows, parts)
        return added(parts, k)
    parts = np.empty((-(-len(A) // rows), A.shape[1], k), dtype=A.dtype)
    with _one_blas_thread(work):
        over_rows(block_products.multiply_transposed, len(parts), work, A, B, rows, parts)
    return added(parts, k)


def rows_per_part(n: int, columns: int) -> int:
    """How many rows each part of a sum over n of them has, for products with so many columns."""
    return max(FEWEST_ROWS, ROWS_PER_COLUMN * columns, -(-n // MOST_PARTS))


def added(parts: Array, columns: int) -> Array:
    """The sum of all parts, the first columns of each."""
    out: Array = np.zeros((parts.shape[1], columns), dtype=parts.dtype)
    if len(parts):
        over_rows(factor_passes.add_parts, len(out), parts.size, parts, out)
    return out


def _narrow(X: Array, P: Array) -> bool:
    """Whether so few columns meet each number of X that reading it is most of the work."""
    return P.shape[1] * P.itemsize <= NARROW_BYTES and X.size >= FEWEST_NUMBERS


def _one_blas_thread(work: int) -> AbstractContextManager[None]:
    """BLAS on one thread, which it keeps to by itself for so little work: asking for it takes longer than that."""
    return nullcontext() if work <= ONE_THREAD_PRODUCT else ONE_BLAS_THREAD


def _alike(A: Array, B: Array) -> tuple[Array, Array]:
    """Both in one type, their rows in one piece."""
    dtype = np.result_type(A.dtype, B.dtype)
    return np.ascontiguousarray(A, dtype=dtype), np.ascontiguousarray(B, dtype=dtype)
