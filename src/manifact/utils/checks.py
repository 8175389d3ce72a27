"""Parameter checks: one sentence each, with the parameter, its value and what it should be."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np


def option(name: str, value: Any, options: Iterable[Any]) -> None:
    """``value`` is one of ``options``."""
    options = list(options)
    if not any(value is o or (isinstance(value, str) and value == o) for o in options):
        raise ValueError(f"{name}={value!r} is not known: choose one of {', '.join(map(repr, options))}")


def integer(name: str, value: Any, at_least: int) -> None:
    """``value`` is a whole number ≥ ``at_least``."""
    if not isinstance(value, Integral) or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={value!r} must be an integer >= {at_least}")
    if value < at_least:
        raise ValueError(f"{name}={value} must be an integer >= {at_least}")


def real(
    name: str, value: Any, at_least: float | None = None, above: float | None = None, at_most: float | None = None
) -> None:
    """``value`` is a finite number within its bounds."""
    bound = f" >= {at_least}" if at_least is not None else f" > {above}" if above is not None else ""
    bound += f" and <= {at_most}" if at_most is not None else ""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={value!r} must be a number{bound}")
    value = float(value)
    low = (at_least is not None and value < at_least) or (above is not None and value <= above)
    if not np.isfinite(value) or low or (at_most is not None and value > at_most):
        raise ValueError(f"{name}={value:g} must be a finite number{bound}")
