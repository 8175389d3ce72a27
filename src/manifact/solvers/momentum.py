"""Steps from a point ahead of the last iterate, taken back where that does not pay (Ang, Gillis 2019)."""

from __future__ import annotations

from collections.abc import Callable

from manifact.backends import Array
from manifact.solvers.engine import Step
from manifact.terms import Term, total
from manifact.terms.state import Momentum, State

#: How far ahead: its start, its growth and that of its bound, and what a failure divides it by.
FIRST, GROWTH, BOUND_GROWTH, DECAY = 0.5, 1.05, 1.01, 1.5

#: The iterate after this one, from a point so far ahead of it as seen from the one before.
Iterate = Callable[[State, State, float], State]


def ahead(new: Array, before: Array, rate: float) -> Array:
    """A factor, or a product that is linear in one, moved on the same way."""
    return new if rate == 0 else new + new.dtype.type(rate) * (new - before)


def with_momentum(terms: list[Term], iterate: Iterate, begin: Callable[[State], State]) -> Step:
    """One iteration, with momentum unless the objective rises under it; the first is made from ``begin`` of the start.

    ``iterate`` must not raise the objective at rate 0.
    """

    def step(s: State) -> State:
        before = total(terms, s)
        momentum = s.momentum
        if momentum is not None:
            assert momentum.before is not None
            new = iterate(s, momentum.before, momentum.rate)
            if total(terms, new) <= before:
                return _remember(
                    new, s, min(momentum.bound, GROWTH * momentum.rate), min(1.0, BOUND_GROWTH * momentum.bound)
                )
            rate, bound = momentum.rate / DECAY, momentum.rate
        else:
            rate, bound = FIRST, 1.0
        first = begin(s) if momentum is None else s
        new = iterate(first, first, 0.0)
        # Only rounding can raise it: then this is as far as the digits go.
        return _remember(new, first, rate, bound) if total(terms, new) <= before else s

    return step


def _remember(new: State, old: State, rate: float, bound: float) -> State:
    new.momentum = Momentum(old.alone(), rate, bound)
    return new
