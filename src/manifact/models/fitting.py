"""Running a plan: the start, or the best of several, then the iterations, with a checkpoint and a progress bar."""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from manifact.backends.origins import Origin
from manifact.models.problem import Plan, Problem
from manifact.solvers.checkpoint import Checkpoint
from manifact.solvers.engine import Callback, Result, run
from manifact.utils.progress import progress


def run_plan(model: Any, problem: Problem, plan: Plan, saved: Checkpoint | None, callbacks: list[Callback]) -> Result:
    """The result of a fit; it goes on from what a checkpoint holds."""
    with progress(type(model).__name__, plan.max_iter, enabled=bool(model.verbose)) as bar:
        told: list[Callback] = [bar, *callbacks] if saved is None else [bar, saved, *callbacks]
        if saved is not None and saved.exists():
            first = saved.read(model._state_type, problem.data, problem.beside_data)
        else:
            first = _first(model, problem, plan)
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
    if saved is not None:
        saved.write(result.state, result.objective, result.memory)
    return result


def _first(model: Any, problem: Problem, plan: Plan) -> Result:
    """The start, or of ``n_init`` starts the one with the lowest objective after ``init_iter`` iterations."""
    drawn = isinstance(model.init, str) and not model._goes_on
    starts = model.n_init if drawn else 1
    iterations = 0 if starts == 1 else min(model.init_iter, plan.max_iter)
    best: Result | None = None
    for _ in range(starts):
        start = plan.solver.begin(plan.terms, model._begin(problem))
        result = run(start, plan.terms, plan.solver, max_iter=iterations, tol=0)
        if best is None or result.objective[-1] < best.objective[-1]:
            best = result
        if result.reason == "interrupted":
            return replace(best, reason="interrupted")
    assert best is not None
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
