"""Elementwise chains of the steps on logarithmic bounds, a block of rows at a time: a chain then stays in cache.

By NumPy's own functions, whose logarithms and powers are vectorised, each thread on rows of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from manifact.backends import plain
from manifact.backends.protocol import Array
from manifact.backends.threads import over_rows

#: Entries of a block, and what one of them costs in multiply-adds.
BLOCK, COST = 1 << 13, 20


def overrelaxed(old: Array, new: Array, rate: float, most: float, floors: Array) -> Array:
    """New ∘ clip(new / old, 1/most, most)^rate, but not below min(new, floors), one for each column."""
    out = np.empty_like(new)
    over_rows(_overrelax, len(new), COST * new.size, old, new, rate, most, floors, out)
    return out


def log_costs(V: Array, a: Any, c: Any, l2: Any) -> tuple[Array, Array]:
    """Log V, and Σ_j a v − c log v + l2/2 v² of every column, in float64."""
    log, height = np.empty_like(V), _height(V)
    sums = np.zeros((-(-len(V) // height), V.shape[1]))
    over_rows(_add_log_costs, len(sums), COST * V.size, V, a, c, l2, height, log, sums)
    return log, sums.sum(axis=0)


def _overrelax(
    old: Array, new: Array, rate: float, most: float, floors: Array, out: Array, start: int, stop: int
) -> None:
    for rows in _blocks(start, stop, _height(new)):
        out[rows] = plain.overrelaxed(old[rows], new[rows], rate, most, floors)


def _add_log_costs(
    V: Array, a: Any, c: Any, l2: Any, height: int, log: Array, sums: Array, start: int, stop: int
) -> None:
    for block in range(start, stop):
        rows = slice(block * height, (block + 1) * height)
        log[rows], sums[block] = plain.log_costs(V[rows], *(_of_rows(part, rows) for part in (a, c, l2)))


def _of_rows(part: Any, rows: slice) -> Any:
    """What belongs to these rows; numbers and single rows belong to all."""
    return part[rows] if np.ndim(part) == 2 and len(part) > 1 else part


def _height(P: Array) -> int:
    return max(1, BLOCK // max(1, P.shape[1]))


def _blocks(start: int, stop: int, height: int) -> Iterator[slice]:
    return (slice(first, min(first + height, stop)) for first in range(start, stop, height))
