"""Rows filled up to whole vectors, as kernels that work on all lanes of the processor want them."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import factor_passes
from manifact.backends.numpy.kernels.lanes import VECTOR_BYTES, padded_length
from manifact.backends.protocol import Array
from manifact.backends.threads import PER_NUMBER, over_rows

#: So few numbers are not worth a kernel.
FEW_NUMBERS = 4096


def padded(P: Array) -> Array:
    """P with rows of whole vectors, filled up with zeros, each in as few lines of the cache as can be; or P itself."""
    n, k = P.shape
    length = padded_length(k, P.itemsize)
    if length == k:
        return np.ascontiguousarray(P)
    out = vectors(n, length, P.dtype)
    if out.size <= FEW_NUMBERS:
        out[:, :k], out[:, k:] = P, 0
    else:
        over_rows(factor_passes.pad, n, PER_NUMBER * P.size, np.ascontiguousarray(P), out)
    return out


def padded_transpose(P: Array, dtype: Any) -> Array:
    """Pᵀ in a type, its rows filled up as those of `padded` are."""
    k, n = P.shape
    out = vectors(n, padded_length(k, np.dtype(dtype).itemsize), dtype)
    over_rows(factor_passes.transpose, n, PER_NUMBER * out.size, np.ascontiguousarray(P, dtype=dtype), out)
    return out


def vectors(n: int, length: int, dtype: Any) -> Array:
    """Memory for n rows of whole vectors, that begins with a line of the cache."""
    lanes = VECTOR_BYTES // np.dtype(dtype).itemsize
    memory = np.empty(n * length + lanes, dtype=dtype)
    skipped = -memory.ctypes.data % VECTOR_BYTES // memory.itemsize
    return memory[skipped : skipped + n * length].reshape(n, length)
