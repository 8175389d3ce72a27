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

    @property
    def known_objective(self) -> list[float]:
        """The same as far as nothing has to be computed for it: of data in blocks the last value is missing."""
        return self.trace.known()


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
    at ``state`` with ``memory``: it is continued, and counts, and where it had converged nothing is left to do. An
    interrupt ends the run with the last whole iterate.
    """
    solver.refuse(terms, state.kind, state.data)
    callbacks = list(callbacks)
    trace = Trace(history)
    memory = {} if memory is None else memory
    # Several terms of a kind are one to the solver; the objective is that of the terms as they are.
    parts = merged(terms)
    reason: Reason = "max_iter"
    #: Where the run stands, in one piece: an interrupt finds an iterate with its own memory and objective, or the last.
    whole = _as_they_are(state, memory, len(trace))
    try:
        if len(trace):
            # What the earlier run knew: made anew it could differ in its last digits.
            state.keep(("total", *terms), state.blocks, lambda: trace.values()[-1])
        else:
            trace.append(total(terms, state))
            whole = _as_they_are(state, memory, 1)
        if _asked_to_stop(callbacks, trace, state, memory):
            return Result(state, np.array(trace.values()), "callback", memory)
        if _converged(trace.known(), tol):
            return Result(state, np.array(trace.values()), "tolerance", memory)
        while len(trace) <= max_iter:
            before = whole
            state, memory = solver.step(parts, state, memory)
            trace.append(total(terms, state))
            whole = _as_they_are(state, memory, len(trace))
            if _asked_to_stop(callbacks, trace, state, memory):
                reason = "callback"
                break
            if _converged(trace.known(), tol):
                if len(trace.known()) < len(trace):
                    # The value that says so belongs to the iterate before, which is where others would have stopped.
                    whole = before
                reason = "tolerance"
                break
        if reason == "max_iter" and len(trace.known()) < len(trace) and _converged(trace.values(), tol):
            reason = "tolerance"
    except KeyboardInterrupt:
        if not whole[2]:
            raise
        reason = "interrupted"
    except RuntimeError as trouble:
        sentence = state.data.out_of_memory(trouble, state.U.shape[1])
        if sentence is None:
            raise
        raise MemoryError(sentence) from trouble
    state, memory, known = whole
    return Result(state, np.array(trace.first(known)), reason, memory)


def _as_they_are(state: State, memory: Memory, known: int) -> tuple[State, Memory, int]:
    """State, memory and the number of known objectives; what a step that is not finished adds to them is not in it.

    Products that are at hand are moved along with momentum, and others made anew, which differs in the last digits:
    a run that goes on must find those, and only those, which it would have had.
    """
    kept = {name: value.unchanged() if isinstance(value, State) else value for name, value in memory.items()}
    return state.unchanged(), kept, known


def _asked_to_stop(callbacks: list[Callback], trace: Trace, state: State, memory: Memory) -> bool:
    iteration = Iteration(len(trace) - 1, trace, state, memory)
    answers = [callback(iteration) for callback in callbacks]
    return any(answers)


def _converged(objective: list[float], tol: float) -> bool:
    """Whether the last iterations changed hardly anything; a run that goes on may have been there already."""
    if tol == 0 or len(objective) <= WINDOW:
        return False
    before = objective[-1 - WINDOW]
    return abs(before - objective[-1]) <= tol * abs(before)
