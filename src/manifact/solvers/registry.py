"""Solvers by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from manifact.solvers import bcd, newton
from manifact.solvers.engine import Step
from manifact.solvers.mu import multiplicative
from manifact.solvers.state import State
from manifact.terms import Term


def _anywhere(terms: list[Term], s: State) -> State:
    return s


@dataclass(frozen=True)
class Solver:
    """What makes one iteration out of terms, and the state that iterations may start from."""

    step: Callable[[list[Term]], Step]
    prepare: Callable[[list[Term], State], State] = _anywhere


SOLVERS = {
    "mu": Solver(multiplicative),
    "bcd": Solver(bcd.exact_blocks, bcd.feasible),
    "newton": Solver(newton.exact_bounds, newton.feasible),
}
