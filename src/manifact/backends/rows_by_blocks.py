"""What a function makes of samples a block at a time, where each sample is treated on its own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

from manifact.backends.block_samples import BlockSamples
from manifact.backends.kinds import package_of


def is_in_blocks(X: Any) -> bool:
    """Whether samples come in blocks, or as a `dask.array`."""
    return isinstance(X, BlockSamples) or package_of(X) == "dask"


def rows_by_blocks(function: Callable[[Any], Any], X: Any, columns: tuple[int, ...], dtype: Any) -> Any:
    """function(block) of every block, one below the other: computed, or of a `dask.array` when it is needed.

    ``columns`` is the shape of what a sample becomes.
    """
    if package_of(X) == "dask":
        return import_module("manifact.backends.dask.lazy_rows").lazy_rows(function, X, columns, dtype)
    if hasattr(X, "each"):
        return np.concatenate([np.empty((0, *columns), dtype=dtype), *X.each(function)])
    out = np.empty((X.shape[0], *columns), dtype=dtype)
    for number, (start, stop) in enumerate(pairwise(X.bounds)):
        out[start:stop] = function(X.block(number))
    return out


def sum_by_blocks(function: Callable[[Any], float], X: Any) -> float:
    """Σ function(block)."""
    if package_of(X) == "dask":
        return float(import_module("manifact.backends.dask.lazy_rows").lazy_sum(function, X))
    if hasattr(X, "each"):
        return float(sum(X.each(function)))
    return sum(function(X.block(number)) for number in range(len(X.bounds) - 1))
