"""Least squares: how soon the objective is reached at which scikit-learn's coordinate descent ends."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from statistics import mean, median
from typing import Any

from manifact.experiments.bench.benchmark_samples import random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.other_packages import OTHERS, SCIKIT_LEARN, Peer
from manifact.experiments.bench.reference_objectives import Objective, squared_error
from manifact.experiments.bench.timing import Stopwatch, in_turns, seconds, summary, warm, watched
from manifact.models import NMF
from manifact.solvers.engine import Iteration

OURS = {"ours auto": "auto", "ours mu": "mu"}
#: The trace of a float32 run is good to this fraction: nearer to the goal the objective is computed in float64.
NEAR = 1e-3
#: Objectives of float32 factors that differ by less are the same.
SAME = 1e-7


@dataclass(frozen=True)
class Run:
    """Time of the whole run, its last objective, that of the baseline, and when that was reached (inf: never)."""

    seconds: float
    objective: float
    goal: float
    reached: float


def measure(setting: Setting) -> Outcome:
    """A row for each k and method."""
    samples, iterations = setting.samples, setting.scale.frobenius_iterations
    rows = [row for k in setting.scale.frobenius_ranks for row in _rows(setting, samples.X, k)]
    note = (
        f"{samples}. scikit-learn's coordinate descent runs {iterations} iterations from a random start without a "
        f"tolerance; its last ‖X − V Uᵀ‖² (to {SAME:g}) is the goal of the others from the same start, and its time "
        f"over theirs is the ratio. {setting.repeats} starts: medians and interquartile ranges of seconds, mean "
        "objectives, which are computed from the factors in float64, uncounted, and their mean excess over the goal. "
        + " ".join(_verdict(row, setting.repeats) for row in rows if row["method"] in OURS)
    )
    versions = [f"{peer.name}: {peer.package} {peer.installed}" for peer in OTHERS if peer.installed]
    missing = [peer.package for peer in OTHERS if not peer.installed]
    note += f" Other peers update U as often ({'; '.join(versions)})."
    if missing:
        note += f" Not installed: {', '.join(missing)}."
    return rows, note


def _verdict(row: dict[str, Any], starts: int) -> str:
    if row["ratio"] == "never":
        return f"{row['method']}, k = {row['k']}: the goal is reached from {row['reached']} of {starts} starts."
    return f"{row['method']}, k = {row['k']}: {row['ratio']:.2f} times as fast to the goal."


def _rows(setting: Setting, X: Any, k: int) -> list[dict[str, Any]]:
    objective, iterations = squared_error(X), setting.scale.frobenius_iterations
    starts = [random_start(X, k, seed) for seed in range(setting.repeats)]
    goals: list[float] = []

    def baseline(turn: int) -> Run:
        run = _peer(SCIKIT_LEARN, SCIKIT_LEARN.convert(X), starts[turn], iterations, objective, None)
        goals.append(run.objective)
        return run

    def ours(solver: str) -> Any:
        return lambda turn: _ours(_model(k, solver, starts[turn], iterations), X, objective, goals[turn])

    def others(peer: Peer) -> Any:
        converted = peer.convert(X)
        return lambda turn: _peer(peer, converted, starts[turn], iterations, objective, goals[turn])

    tasks = {SCIKIT_LEARN.name: baseline} | {name: ours(solver) for name, solver in OURS.items()}
    tasks |= {peer.name: others(peer) for peer in OTHERS if peer.installed}
    for solver in OURS.values():
        warm(_model(k, solver, starts[0], 1).fit, X)
    found = in_turns(tasks, setting.repeats, lambda text: setting.show(f"frobenius, k = {k}: {text}"))
    baseline_seconds = median(run.seconds for run in found[SCIKIT_LEARN.name])
    return [{"k": k, "method": name} | _summary(runs, baseline_seconds) for name, runs in found.items()]


def _model(k: int, solver: str, start: Any, iterations: int) -> NMF:
    return NMF(k, solver=solver, init=start, max_iter=iterations, tol=0, normalize=None)


def _summary(runs: list[Run], baseline: float) -> dict[str, Any]:
    # A run that never arrives is one that takes forever, so the median may be that.
    reach = median(run.reached for run in runs)
    return {
        **summary("s", [run.seconds for run in runs]),
        "s to goal": "never" if reach == inf else reach,
        "ratio": "never" if reach == inf else baseline / reach,
        "reached": sum(run.reached < inf for run in runs),
        "objective": mean(run.objective for run in runs),
        "above goal": mean(run.objective / run.goal - 1 for run in runs),
    }


def _peer(peer: Peer, X: Any, start: Any, iterations: int, objective: Objective, goal: float | None) -> Run:
    """``goal=None``: this one sets it."""
    V, UT = (factor.copy() for factor in start)
    factors: list[Any] = []
    spent = seconds(lambda: factors.extend(peer.fit(X, V, UT, iterations)))
    V, U = factors
    value = objective(U, V)
    goal = value if goal is None else goal
    return Run(spent, value, goal, spent if value <= goal * (1 + SAME) else inf)


def _ours(model: NMF, X: Any, objective: Objective, goal: float) -> Run:
    clock = Stopwatch()
    reached = inf

    def note(iteration: Iteration) -> None:
        nonlocal reached
        now = clock.read()
        if reached == inf and iteration.objective[-1] <= goal * (1 + NEAR):
            state = iteration.state
            if clock.beside(lambda: objective(state.U, state.V)) <= goal * (1 + SAME):
                reached = now

    state = watched(model, X, note).state
    spent = clock.read()
    return Run(spent, objective(state.U, state.V), goal, reached)
