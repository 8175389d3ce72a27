"""Solvers by name."""

from __future__ import annotations

from collections.abc import Callable

from manifact.solvers.engine import Step
from manifact.solvers.mu import multiplicative
from manifact.terms import Term

#: Name of a solver -> what makes one iteration out of terms.
SOLVERS: dict[str, Callable[[list[Term]], Step]] = {"mu": multiplicative}
