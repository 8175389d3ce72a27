"""Solvers by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from manifact.solvers import block_descent as bcd
from manifact.solvers import newton
from manifact.solvers.engine import Step
from manifact.solvers.multiplicative import multiplicative
from manifact.terms import Term
from manifact.terms.state import State


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
