"""Arrays that kernels are given again and again: made once for a size, and only ever read."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from manifact.backends.protocol import Array

#: Sizes that are remembered: samples and features of a run.
SIZES = 2


@lru_cache(maxsize=SIZES)
def no_entries(rows: int) -> tuple[Array, Array, Array]:
    """What a kernel reads of a CSR matrix that has none."""
    return np.zeros(rows + 1, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0)


@lru_cache(maxsize=SIZES)
def all_rows(rows: int) -> Array:
    """Their numbers."""
    return np.arange(rows)


@lru_cache(maxsize=2 * SIZES)
def constant(value: float, rows: int, dtype: str) -> Array:
    """One number for each row."""
    return np.full(rows, value, dtype=dtype)
