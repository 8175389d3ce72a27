"""How a sum of terms is minimised."""

from __future__ import annotations

from collections.abc import Callable

from manifact.solvers.engine import Callback, Iteration, Result, Step, run
from manifact.solvers.mu import multiplicative
from manifact.solvers.state import State
from manifact.terms import Term

#: Name of a solver -> what makes one iteration out of terms.
SOLVERS: dict[str, Callable[[list[Term]], Step]] = {"mu": multiplicative}

__all__ = ["SOLVERS", "Callback", "Iteration", "Result", "State", "Step", "run"]
