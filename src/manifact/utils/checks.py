"""Parameter checks: one sentence each, with the parameter, its value and what it should be."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from manifact.utils.errors import BadTypeError, BadValueError, Parameter


def option(name: str, value: Any, options: Iterable[Any]) -> None:
    """``value`` is one of ``options``."""
    options = list(options)
    if not any(value is o or (isinstance(value, str) and value == o) for o in options):
        known = ", ".join(map(repr, options))
        raise BadValueError("{}={!r} is not known: choose one of {}", Parameter(name), value, known)


def integer(name: str, value: Any, at_least: int) -> None:
    """``value`` is a whole number ≥ ``at_least``."""
    if not isinstance(value, Integral) or isinstance(value, bool | np.bool_):
        raise BadTypeError("{}={!r} must be an integer >= {}", Parameter(name), value, at_least)
    if value < at_least:
        raise BadValueError("{}={} must be an integer >= {}", Parameter(name), value, at_least)


def real(
    name: str, value: Any, at_least: float | None = None, above: float | None = None, at_most: float | None = None
) -> None:
    """``value`` is a finite number within its bounds."""
    bound = f" >= {at_least}" if at_least is not None else f" > {above}" if above is not None else ""
    bound += f" and <= {at_most}" if at_most is not None else ""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        raise BadTypeError("{}={!r} must be a number{}", Parameter(name), value, bound)
    value = float(value)
    low = (at_least is not None and value < at_least) or (above is not None and value <= above)
    if not np.isfinite(value) or low or (at_most is not None and value > at_most):
        raise BadValueError("{}={:g} must be a finite number{}", Parameter(name), value, bound)
