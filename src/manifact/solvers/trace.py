"""The objective at every iterate. Values of a device stay there until somebody asks, and are fetched together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from manifact.backends import namespace, on_host

#: So many values are left on a device at the most: a run that has gone wrong shall not go on for long.
MOST_WAITING = 10


class Trace:
    """A list of numbers, some of which may still have to be fetched."""

    def __init__(self, history: Iterable[float] = ()) -> None:
        self._known = [float(value) for value in history]
        self._waiting: list[Any] = []

    def __len__(self) -> int:
        return len(self._known) + len(self._waiting)

    def append(self, value: Any) -> None:
        """Add a number, or one of a device; numbers that are not finite are refused as soon as they are known."""
        lags = is_late(value)
        if lags:
            # The one before comes with what the newest step computes anyway.
            self.values()
        self._waiting.append(value)
        there = not hasattr(value, "device") or isinstance(value, np.generic)
        if there or (len(self._waiting) >= MOST_WAITING and not lags):
            self.values()

    def known(self) -> list[float]:
        """Those that nothing has to be computed for; the list must not be changed."""
        return self._known if self._waiting and is_late(self._waiting[-1]) else self.values()

    def first(self, number: int) -> list[float]:
        """So many of them; later ones are not computed for it."""
        return (self._known if len(self._known) >= number else self.values())[:number]

    def values(self) -> list[float]:
        """All of them; the list must not be changed."""
        waiting, self._waiting = self._waiting, []
        for value in _fetched(waiting):
            self._known.append(_finite(value, len(self._known)))
        return self._known


def is_late(value: Any) -> bool:
    """Whether a number is a formula, whose value costs a pass over the data that the next step makes anyway."""
    return bool(getattr(value, "is_formula", False))


def _fetched(values: list[Any]) -> list[float]:
    """Numbers of this process, in one piece where they come from a device."""
    placed = [value for value in values if hasattr(value, "device") and not isinstance(value, np.generic)]
    if len(placed) < 2 or len(placed) < len(values):
        return [float(value) for value in values]
    return [float(value) for value in on_host(namespace(placed[0]).stack(placed))]


def _finite(value: float, iteration: int) -> float:
    if not np.isfinite(value):
        raise FloatingPointError(
            f"the objective is {value} after iteration {iteration}: rescale X so that its entries are near 1, "
            "or use float64"
        )
    return value
