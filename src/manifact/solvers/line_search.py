"""The one line search: shorter and shorter steps until the objective does not rise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from manifact.backends import on_host

Point = TypeVar("Point")


def backtrack(
    trial: Callable[[Any], Point],
    values: Callable[[Point], Any],
    limit: Any,
    first: Any,
    shrink: float = 0.5,
    tries: int = 20,
) -> tuple[Point, Any] | None:
    """The point ``trial(length)`` with ``values`` not above ``limit``, and its length; None where there is none.

    Lengths begin at ``first``, are multiplied by ``shrink`` while the value rises, and end at 0. Several lengths at
    once, an array of them with as many values and limits, are shortened each on its own.
    """
    length, limit = np.asarray(first, dtype=np.float64), np.asarray(on_host(limit))
    for attempt in range(tries + 1):
        last = attempt == tries
        point = trial(length if length.ndim else float(length))
        rises = ~(np.asarray(on_host(values(point))) <= limit)
        if not rises.any():
            return point, length
        if last or (rises & (length == 0)).any():
            return None
        shorter = length * shrink if attempt < tries - 1 else 0.0 * length
        length = np.where(rises, shorter, length)
    return None
