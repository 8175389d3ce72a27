"""Ours beside every peer: how soon we are at the objective at which each of them ends by its own settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from statistics import median
from typing import Any

from sklearn import decomposition

from manifact.backends import Array
from manifact.experiments.bench import rcppml
from manifact.experiments.bench.benchmark_samples import Samples, random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.other_packages import OTHERS
from manifact.experiments.bench.reference_objectives import Objective, divergence, squared_error
from manifact.experiments.bench.timing import Stopwatch, seconds, warm
from manifact.models import NMF
from manifact.solvers.engine import Iteration

#: By what the objectives are that count as reached.
SAME = 1e-6
#: The objective of float32 factors is looked at in float64 as soon as their own is so near.
NEAR = 1e-3
OBJECTIVES: dict[str, Callable[[Any], Objective]] = {"frobenius": squared_error, "kullback-leibler": divergence}
#: How many times as fast we must be, by the loss and the peer; others are shown.
GOALS = {("frobenius", "sklearn cd"): 5.0, ("kullback-leibler", "sklearn mu"): 10.0}


@dataclass(frozen=True)
class Contest:
    """A peer on some data: it gives seconds, V and U from a start."""

    loss: str
    name: str
    run: Callable[[Any, tuple[Array, Array]], tuple[float, Array, Array]]


def measure(setting: Setting) -> Outcome:
    """A row for each data set, loss and peer."""
    sets = list(setting.sets("tdt2", "pie", "mnist"))
    rows = [row for samples in sets for row in _rows(setting, samples)]
    held = [row for row in rows if row["goal"] != ""]
    short = [f"{row['peer']}, {row['loss']}, {row['data']}" for row in held if not row["holds"]]
    note = (
        f"{'; '.join(map(str, sets))}. k = {setting.scale.peer_rank}, a random start for all: the same for peers who "
        "take one, and for ours the default, whose short run by least squares is part of its time. A peer runs to its "
        f"own tolerance (scikit-learn's defaults, at most {setting.scale.peer_iterations} iterations; others as many); "
        "the objective of its factors, computed in float64, is the goal of our defaults, and its time over ours is the "
        "ratio. "
        f"{setting.repeats} starts, medians. "
        + (f"Below its goal: {'; '.join(short)}. " if short else "All goals are reached. ")
        + _absent()
    )
    return rows, note.rstrip()


def _absent() -> str:
    missing = [peer.package for peer in OTHERS if not peer.installed]
    missing += [] if rcppml.installed() else ["RcppML (R: install.packages('RcppML'); Debian: r-cran-rcppml)"]
    return f"Not installed: {', '.join(missing)}." if missing else ""


def _contests(k: int, iterations: int) -> Iterator[Contest]:
    yield Contest("frobenius", "sklearn cd", partial(_scikit_learn, {"solver": "cd"}, iterations))
    yield Contest("frobenius", "sklearn mu", partial(_scikit_learn, {"solver": "mu"}, iterations))
    for peer in OTHERS:
        if peer.installed and peer.package != "scikit-learn":
            yield Contest("frobenius", peer.name, partial(_other, peer, iterations))
    if rcppml.installed():
        yield Contest("frobenius", "RcppML", lambda X, start: rcppml.factorised(X, k, iterations))
    settings = {"solver": "mu", "beta_loss": "kullback-leibler"}
    yield Contest("kullback-leibler", "sklearn mu", partial(_scikit_learn, settings, iterations))


def _scikit_learn(settings: Any, iterations: int, X: Any, start: tuple[Array, Array]) -> tuple[float, Array, Array]:
    V, UT = (factor.copy() for factor in start)
    model, found = decomposition.NMF(V.shape[1], init="custom", max_iter=iterations, **settings), []
    spent = seconds(lambda: found.append(model.fit_transform(X, W=V, H=UT)))
    return spent, found[0], model.components_.T


def _other(peer: Any, iterations: int, X: Any, start: tuple[Array, Array]) -> tuple[float, Array, Array]:
    converted, found = peer.convert(X), []
    spent = seconds(lambda: found.extend(peer.fit(converted, *(factor.copy() for factor in start), iterations)))
    return spent, *found


def _rows(setting: Setting, samples: Samples) -> Iterator[dict[str, Any]]:
    X, k = samples.X, setting.scale.peer_rank
    for contest in _contests(k, setting.scale.peer_iterations):
        objective = OBJECTIVES[contest.loss](X)
        warm(_model(k, contest.loss, 0, 2).fit, X)
        theirs, ours, goals = [], [], []
        for turn in range(setting.repeats):
            setting.show(f"peers, {samples.name}: {contest.name}, {contest.loss}, {turn + 1} of {setting.repeats}")
            start = random_start(X, k, turn)
            spent, V, U = contest.run(X, start)
            goals.append(objective(U, V))
            theirs.append(spent)
            model = _model(k, contest.loss, turn, 10 * setting.scale.peer_iterations)
            ours.append(_reached(model, X, objective, goals[-1]))
        reach, goal = median(ours), GOALS.get((contest.loss, contest.name))
        ratio = median(theirs) / reach
        yield {
            "data": samples.name,
            "loss": contest.loss,
            "k": k,
            "peer": contest.name,
            "peer s": median(theirs),
            "objective": median(goals),
            "ours s": "never" if reach == inf else reach,
            "ratio": "never" if reach == inf else ratio,
            "goal": "" if goal is None else goal,
            "holds": "" if goal is None else ratio >= goal,
        }


def _model(k: int, loss: str, seed: int, iterations: int) -> NMF:
    # tol=0: only the goal ends the run.
    return NMF(k, loss=loss, max_iter=iterations, tol=0, normalize=None, random_state=seed)


def _reached(model: NMF, X: Any, objective: Objective, goal: float) -> float:
    """Seconds until the objective is at most the goal; infinite where it never is."""
    clock, reached = Stopwatch(), inf

    def arrived(iteration: Iteration) -> bool:
        nonlocal reached
        now, state = clock.read(), iteration.state
        near = iteration.number > 0 and iteration.objective[-1] <= goal * (1 + NEAR)
        if near and clock.beside(lambda: objective(state.U, state.V)) <= goal * (1 + SAME):
            reached = now
        return reached < inf

    model.fit(X, callbacks=arrived)
    return reached
