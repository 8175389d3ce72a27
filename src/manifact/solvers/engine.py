"""The one loop: stopping, the objective trace, callbacks and interrupts for every model and solver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from manifact.backends import Array
from manifact.solvers.solver import Memory, Solver
from manifact.solvers.trace import Trace
from manifact.terms.state import State
from manifact.terms.term import Term, merged, total

#: The tolerance is held against the change over this many iterations: single steps of a slow descent are small.
WINDOW = 10
Reason = Literal["tolerance", "max_iter", "interrupted", "callback"]


@dataclass(frozen=True)
class Iteration:
    """What a callback sees after each iteration, and before the first one."""

    number: int
    trace: Trace
    state: State
    #: What the solver remembers beside it.
    memory: Memory

    @property
    def objective(self) -> list[float]:
        """The objective at every iterate so far; what is still on a device is fetched."""
        return self.trace.values()


#: Called after each iteration; a true answer ends the run.
Callback = Callable[[Iteration], bool | None]


@dataclass(frozen=True)
class Result:
    """The last state, the objective at every iterate (the start included), and why the run ended."""

    state: State
    objective: Array
    reason: Reason
    #: What the solver remembers: a run that goes on from here with it is the same run.
    memory: Memory

    @property
    def n_iter(self) -> int:
        """Iterations done."""
        return len(self.objective) - 1

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.reason == "tolerance"


def run(
    state: State,
    terms: Sequence[Term],
    solver: Solver,
    *,
    max_iter: int,
    tol: float,
    callbacks: Iterable[Callback] = (),
    history: Iterable[float] = (),
    memory: Memory | None = None,
) -> Result:
    """Iterate until ten iterations change the objective by less than ``tol`` relative, or ``max_iter`` is reached.

    ``tol=0`` runs exactly ``max_iter`` iterations. ``history`` is the objective of an earlier run that ended
    at ``state`` with ``memory``: it is continued, and counts. An interrupt ends the run with the last whole iterate.
    """
    solver.refuse(terms, state.kind, state.data)
    callbacks = list(callbacks)
    trace = Trace(history)
    memory = {} if memory is None else memory
    # Several terms of a kind are one to the solver; the objective is that of the terms as they are.
    parts = merged(terms)
    reason: Reason = "max_iter"
    try:
        if not len(trace):
            trace.append(total(terms, state))
        if _asked_to_stop(callbacks, trace, state, memory):
            return Result(state, np.array(trace.values()), "callback", memory)
        while len(trace) <= max_iter:
            new, remembered = solver.step(parts, state, memory)
            value = total(terms, new)
            state, memory = new, remembered
            trace.append(value)
            if _asked_to_stop(callbacks, trace, state, memory):
                reason = "callback"
                break
            if tol > 0 and len(trace) > WINDOW and _stalled(trace.values(), tol):
                reason = "tolerance"
                break
    except KeyboardInterrupt:
        if not len(trace):
            raise
        reason = "interrupted"
    except RuntimeError as trouble:
        sentence = state.data.out_of_memory(trouble, state.U.shape[1])
        if sentence is None:
            raise
        raise MemoryError(sentence) from trouble
    return Result(state, np.array(trace.values()), reason, memory)


def _asked_to_stop(callbacks: list[Callback], trace: Trace, state: State, memory: Memory) -> bool:
    iteration = Iteration(len(trace) - 1, trace, state, memory)
    answers = [callback(iteration) for callback in callbacks]
    return any(answers)


def _stalled(objective: list[float], tol: float) -> bool:
    before = objective[-1 - WINDOW]
    return abs(before - objective[-1]) <= tol * abs(before)
