"""Steps from a point ahead of the last iterate, taken back where that does not pay (Ang, Gillis 2019)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from manifact.solvers.line_search import backtrack
from manifact.solvers.solver import Memory
from manifact.terms.term import total

#: How far ahead: its start, its growth and that of its bound, and what a failure divides it by.
FIRST, GROWTH, BOUND_GROWTH, DECAY = 0.5, 1.05, 1.01, 1.5

#: The iterate after this one, from a point so far ahead of it as seen from the one before.
Iterate = Callable[[Any, Any, float], Any]


def with_momentum(
    terms: Sequence[Any], iterate: Iterate, s: Any, memory: Memory, begin: Callable[[Any], Any] = lambda s: s
) -> tuple[Any, Memory]:
    """One iteration, with momentum unless the objective rises under it; the first is made from ``begin`` of the start.

    ``iterate`` must not raise the objective at rate 0. Remembered are the iterate before, the rate and its bound.
    """
    limit = total(terms, s)
    first = s if memory else begin(s)
    before = memory.get("before", first)
    rate, bound = memory.get("rate", 0.0), memory.get("bound", 1.0)
    found = backtrack(
        lambda length: iterate(first, before if length else first, length),
        lambda new: total(terms, new),
        limit,
        rate,
        shrink=0.0,
        tries=1,
    )
    if found is None:
        # Only rounding can raise it without momentum: then this is as far as the digits go.
        return s, memory
    new, taken = found
    if not memory:
        return new, {"before": first, "rate": FIRST, "bound": bound}
    if taken == rate:
        return new, {"before": s, "rate": min(bound, GROWTH * rate), "bound": min(1.0, BOUND_GROWTH * bound)}
    return new, {"before": s, "rate": rate / DECAY, "bound": rate}
