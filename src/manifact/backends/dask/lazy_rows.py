"""What a function makes of the chunks of a `dask.array`, when somebody computes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np

from manifact.backends.dask.dask_samples import refuse_others
from manifact.backends.dask.task_graph import computed, later
from manifact.backends.threads import limit


def lazy_rows(function: Callable[[Any], Any], X: Any, columns: tuple[int, ...], dtype: Any) -> Any:
    """A `dask.array` with what the function makes of each chunk of rows."""
    shared = dask.delayed(function, pure=False, traverse=False)
    parts = [
        da.from_delayed(later(_of_chunk, shared, part), (rows, *columns), dtype=dtype)
        for part, rows in _chunks(X)
    ]  # fmt: skip
    return da.concatenate(parts) if parts else da.from_array(np.empty((0, *columns), dtype=dtype))


def lazy_sum(function: Callable[[Any], float], X: Any) -> float:
    """The sum of what the function makes of each chunk, computed."""
    shared = dask.delayed(function, pure=False, traverse=False)
    return float(sum(computed(*[later(_of_chunk, shared, part) for part, _ in _chunks(X)])))


def _chunks(X: Any) -> list[tuple[Any, Any]]:
    refuse_others(X)
    X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
    found = zip(X.to_delayed().ravel(), X.chunks[0], strict=True)
    return [(part, rows) for part, rows in found if rows != 0]


def _of_chunk(function: Callable[[Any], Any], part: Any) -> Any:
    with limit(1):
        return function(part)
