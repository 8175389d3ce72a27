"""GNMF: how soon `bcd` is where the published rule ends, with the scale of U held fixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Any

from manifact.experiments.bench.benchmark_samples import Samples, random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.reference_objectives import Objective, constrained
from manifact.experiments.bench.timing import Stopwatch, in_turns, summary, warm, watched
from manifact.graphs import KNNGraph
from manifact.models import GNMF
from manifact.solvers.engine import Iteration

LAMBDA = 100.0
#: The objective of the published rule's iterates is looked at every so many iterations.
EVERY = 10


def measure(setting: Setting) -> Outcome:
    """A row for each data set."""
    sets = list(setting.sets("coil20", "tdt2"))
    rows = [_row(setting, samples) for samples in sets]
    note = (
        f"{'; '.join(map(str, sets))}. 5 neighbours, λ = {LAMBDA:g}, k the number of classes; the graph is not "
        f"counted. The objective is ‖X − V Uᵀ‖² + λ Tr(VᵀLV) with ‖u_k‖ = 1, the goal its value after "
        f"{setting.scale.gnmf_iterations} iterations of the published rule; since that rule does not minimise it, its "
        f"lowest value on the way (seen every {EVERY} iterations) is a second goal. bcd starts at the same V and U. "
        f"{setting.repeats} starts, medians and interquartile ranges; a ratio is mu's time over bcd's. "
        + " ".join(_verdict(row, setting.repeats) for row in rows)
    )
    return rows, note


def _verdict(row: dict[str, Any], starts: int) -> str:
    if "never" in (row["ratio"], row["ratio to lowest"]):
        return f"{row['data']}: bcd reaches the goal from {row['reached']} of {starts} starts."
    return f"{row['data']}: bcd takes 1/{row['ratio']:.1f} of mu's time, 1/{row['ratio to lowest']:.1f} to its lowest."


@dataclass(frozen=True)
class Published:
    """The published rule: time and objective at its end, and at the lowest objective on the way."""

    seconds: float
    objective: float
    seconds_to_lowest: float
    lowest: float


def _row(setting: Setting, samples: Samples) -> dict[str, Any]:
    X, k, iterations = samples.X, samples.n_classes, setting.scale.gnmf_iterations
    setting.show(f"gnmf, {samples.name}: graph")
    graph = KNNGraph(5, metric=samples.metric).build(X)
    value = constrained(X, graph, LAMBDA)
    runs: list[Published] = []

    def model(solver: str, turn: int, max_iter: int) -> GNMF:
        start = random_start(X, k, turn)
        return GNMF(k, graph_reg=LAMBDA, graph=graph, solver=solver, init=start, max_iter=max_iter, tol=0)

    def published(turn: int) -> None:
        runs.append(_published(model("mu", turn, iterations), X, value))

    def exact(turn: int) -> tuple[float, ...]:
        return _times(model("bcd", turn, iterations), X, value, runs[turn].objective, runs[turn].lowest)

    for solver in ("mu", "bcd"):
        warm(model(solver, 0, 1).fit, X)
    tasks: dict[str, Callable[[int], Any]] = {"mu": published, "bcd": exact}
    found = in_turns(tasks, setting.repeats, lambda text: setting.show(f"gnmf, {samples.name}: {text}"))
    to_goal, to_lowest = zip(*found["bcd"], strict=True)
    mu, mu_to_lowest = ([run.seconds for run in runs], [run.seconds_to_lowest for run in runs])
    return {
        "data": samples.name,
        "k": k,
        "mu objective": median(run.objective for run in runs),
        **summary("mu s", mu),
        **_summary("bcd s", to_goal),
        "ratio": _ratio(mu, to_goal),
        "reached": sum(time < inf for time in to_goal),
        "mu lowest objective": median(run.lowest for run in runs),
        **summary("mu s to lowest", mu_to_lowest),
        **_summary("bcd s to lowest", to_lowest),
        "ratio to lowest": _ratio(mu_to_lowest, to_lowest),
    }


def _summary(name: str, times: Sequence[float]) -> dict[str, Any]:
    """A run that never arrives takes forever, and has no spread."""
    return {name: "never", f"{name} iqr": "never"} if inf in times else dict(summary(name, times))


def _ratio(mu: Sequence[float], bcd: Sequence[float]) -> float | str:
    return "never" if inf in bcd else median(mu) / median(bcd)


def _published(model: GNMF, X: Any, value: Objective) -> Published:
    clock = Stopwatch()
    seen: list[tuple[float, float]] = []

    def look(iteration: Iteration) -> None:
        if iteration.number and iteration.number % EVERY == 0:
            state = iteration.state
            now = clock.read()
            seen.append((clock.beside(lambda: value(state.U, state.V)), now))

    state = watched(model, X, look).state
    spent = clock.read()
    last = value(state.U, state.V)
    lowest, when = min([*seen, (last, spent)])
    return Published(spent, last, when, lowest)


def _times(model: GNMF, X: Any, value: Objective, *goals: float) -> tuple[float, ...]:
    """When the objective is first at most each of the goals; infinite where it never is."""
    clock = Stopwatch()
    times = [inf for _ in goals]

    def arrived(iteration: Iteration) -> bool:
        if iteration.number == 0:
            # The start is not bcd's own.
            return False
        now, state = clock.read(), iteration.state
        reached = clock.beside(lambda: value(state.U, state.V))
        times[:] = [min(time, now) if reached <= goal else time for time, goal in zip(times, goals, strict=True)]
        return inf not in times

    watched(model, X, arrived)
    return tuple(times)
