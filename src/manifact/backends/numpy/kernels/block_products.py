"""Products of dense matrices a block of rows at a time, by BLAS: blocks are the same for any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel


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
