"""Running a plan: the start, or the best of several, then the iterations, with a checkpoint and a progress bar."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import replace
from typing import Any
from warnings import warn

import numpy as np

from manifact.backends.origins import Origin
from manifact.models.problem import Plan, Problem
from manifact.solvers.checkpoint import Checkpoint
from manifact.solvers.engine import Callback, Result, run
from manifact.utils.progress import progress


def run_plan(model: Any, problem: Problem, plan: Plan, saved: Checkpoint | None, callbacks: list[Callback]) -> Result:
    """The result of a fit; it goes on from what a checkpoint holds."""
    if saved is None:
        return _run(model, problem, plan, None, callbacks)
    if not _can_go_on(model, plan):
        warn(
            f"checkpoint={str(saved.path)!r} is not written: with n_init={model.n_init} nothing goes on from less than "
            f"init_iter={model.init_iter} iterations, and max_iter={plan.max_iter}",
            stacklevel=5,
        )
        return _run(model, problem, plan, None, callbacks)
    with saved.held():
        saved.rng = problem.rng
        result = _run(model, problem, plan, saved, callbacks)
        if saved.tried is None and undisturbed(lambda: saved.keep(result.state, result.objective, result.memory)):
            return replace(result, reason="interrupted")
    return result


def undisturbed(action: Callable[[], Any]) -> bool:
    """Do something to its end; whether somebody interrupted it, upon which it is done anew."""
    try:
        action()
    except KeyboardInterrupt:
        action()
        return True
    return False


def _run(model: Any, problem: Problem, plan: Plan, saved: Checkpoint | None, callbacks: list[Callback]) -> Result:
    ends: list[Result] = []
    try:
        with progress(type(model).__name__, plan.max_iter, enabled=bool(model.verbose)) as bar:
            told: list[Callback] = [bar, *callbacks] if saved is None else [bar, saved, *callbacks]
            first = _first(model, problem, plan, saved)
            if first.reason == "interrupted":
                return first
            result = run(
                first.state,
                plan.terms,
                plan.solver,
                max_iter=plan.max_iter,
                tol=plan.tol,
                callbacks=told,
                history=first.objective,
                memory=first.memory,
            )
            ends.append(result)
    except KeyboardInterrupt:
        # Whoever interrupts while the bar goes has waited for the result.
        if not ends:
            raise
        return replace(ends[0], reason="interrupted")
    return ends[0]


def _starts(model: Any) -> int:
    drawn = isinstance(model.init, str) and not model._goes_on
    return int(model.n_init) if drawn else 1


def _can_go_on(model: Any, plan: Plan) -> bool:
    """Whether a longer run would begin with this one: starts that were tried too briefly may be others."""
    return _starts(model) == 1 or plan.max_iter >= model.init_iter


def _first(model: Any, problem: Problem, plan: Plan, saved: Checkpoint | None) -> Result:
    """The start, or of ``n_init`` starts the one with the lowest objective after ``init_iter`` iterations.

    What a checkpoint holds comes first: an iterate, or the best of the starts that were tried.
    """
    starts, tried = _starts(model), 0
    iterations = 0 if starts == 1 else min(model.init_iter, plan.max_iter)
    best: Result | None = None
    if saved is not None and saved.exists():
        best = saved.read(model._state_type, problem.data, problem.placed, problem.k)
        if saved.tried is None:
            return best
        tried = saved.tried
    if saved is not None and starts > 1:
        saved.tried = tried
    for number in range(tried, starts):
        try:
            start = plan.solver.begin(plan.terms, model._begin(problem))
        except KeyboardInterrupt:
            if best is None:
                raise
            return replace(best, reason="interrupted")
        result = run(start, plan.terms, plan.solver, max_iter=iterations, tol=0)
        if best is None or result.objective[-1] < best.objective[-1]:
            best = result
        if result.reason == "interrupted":
            return replace(best, reason="interrupted")
        if saved is not None and starts > 1:
            saved.tried = number + 1
            saved.keep(best.state, best.objective, best.memory, saved.tried)
    assert best is not None
    if saved is not None:
        saved.tried = None
    return best


def as_if_at(model: Any, iteration: Any, problem: Problem, plan: Plan, origin: Origin) -> dict[str, Any]:
    """What this model would hold, had the run ended at an iteration."""
    twin = copy(model)
    result = Result(iteration.state, np.array(iteration.objective), "callback", iteration.memory)
    twin._store(problem, plan, result)
    # What a twin draws must not change what the fit draws.
    twin._begin_clusters(problem, deepcopy(problem.rng))
    twin._hand_over(origin)
    return dict(vars(twin))
