"""Blocks one after another: how far from the full batch a few passes end, beside scikit-learn's MiniBatchNMF."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manifact.backends import Array, as_data
from manifact.experiments.bench.benchmark_samples import Samples, documents, random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Scale, Setting
from manifact.experiments.bench.timing import in_turns, seconds_and_work
from manifact.models import NMF
from manifact.terms import LOSSES, State

PASSES = 3
#: Rows of a block.
BLOCK = 1024
#: Iterations of the full batch at the most, and the change over ten of them at which it has converged.
FULL_ITERATIONS, CONVERGED = 1000, 1e-5
#: Words of a synthetic document, and all words.
WORDS, VOCABULARY = 30, 10_000
GOAL = 0.3
#: Seeds in full; of as many documents as there are in full each takes minutes, and they hardly differ.
REPEATS, REPEATS_IN_FULL = 5, 2
OURS, PEER = "partial_fit", "sklearn MiniBatchNMF"


#: The columns that the goal is held against.
ERROR = f"error % above, pass {PASSES}"


@dataclass(frozen=True)
class Run:
    """Loss after each pass, the full batch's being 1, and seconds of a pass: by the clock, and of all threads."""

    losses: tuple[float, ...]
    seconds: float
    work: float

    @property
    def errors(self) -> tuple[float, ...]:
        """Of ``reconstruction_err_`` in percent above the full batch's: it is the root of a multiple of the loss."""
        return tuple(100 * (math.sqrt(loss) - 1) for loss in self.losses)


def measure(setting: Setting) -> Outcome:
    """A row for each data set, loss and method."""
    scale, rows, sets = setting.scale, [], []
    for samples, k in ((next(setting.sets("tdt2")), scale.stream_rank), (_synthetic(scale.stream_documents), 20)):
        sets.append(f"{samples}, k = {k}")
        seeds = setting.repeats if samples.X.shape[0] < Scale.stream_documents else REPEATS_IN_FULL
        for loss in LOSSES:
            rows += _rows(replace(setting, repeats=min(seeds, setting.repeats)), samples, k, loss)
    worst = {row["method"]: 0.0 for row in rows}
    for row in rows:
        worst[row["method"]] = max(worst[row["method"]], row[ERROR])
    note = (
        f"{'; '.join(sets)}. Blocks of {BLOCK} rows in an order drawn for each of {setting.repeats} seeds (at most "
        f"{REPEATS_IN_FULL} of a million documents), which also draw the start that all share. V is computed anew for "
        f"the last U, and held against the full batch from the same start ({FULL_ITERATIONS} iterations at most, to "
        f"a change of {CONVERGED:g}): medians, and after {PASSES} passes the range. The error is reconstruction_err_, "
        f"the root of the squared error or of twice the "
        f"divergence, by which the goal is judged; the loss is what is under the root, and about twice as far above. "
        f"Times are of one pass, by the clock and of all threads together (CPU), MiniBatchNMF's over ours the ratios; "
        f"its V stays in memory from pass to pass, ours is found anew.{_not_in_full(scale, setting.repeats)} After "
        f"{PASSES} passes the error of ours is at most {worst[OURS]:.2f} % above (goal: {GOAL} %), MiniBatchNMF's "
        f"{worst[PEER]:.2f} %."
    )
    return rows, note


def _not_in_full(scale: Scale, repeats: int) -> str:
    """What is less than the full size."""
    full = Scale.stream_documents
    if scale.stream_documents >= full and repeats >= REPEATS:
        return ""
    return f" In full there are {full} synthetic documents and {REPEATS} seeds."


def _synthetic(n: int) -> Samples:
    return documents(n, VOCABULARY, WORDS)


def _rows(setting: Setting, samples: Samples, k: int, loss: str) -> list[dict[str, Any]]:
    X = samples.X
    starts = [random_start(X, k, seed) for seed in range(setting.repeats)]
    orders = [np.random.default_rng(seed).permutation(X.shape[0]) for seed in range(setting.repeats)]
    value = _value(X, loss)
    goals: list[float] = []

    def full(turn: int) -> None:
        model = NMF(k, loss=loss, init=starts[turn], max_iter=FULL_ITERATIONS, tol=CONVERGED, normalize=None).fit(X)
        goals.append(value(model.components_.T))

    def ours(turn: int) -> Run:
        return _ours(X[orders[turn]], k, loss, starts[turn], lambda U: value(U) / goals[turn])

    def peer(turn: int) -> Run:
        return _peer(X[orders[turn]], k, loss, starts[turn], lambda U: value(U) / goals[turn])

    _ours(X[: 2 * BLOCK], k, loss, starts[0], lambda U: 1.0)
    show = setting.show
    tasks = {"full": full, OURS: ours, PEER: peer}
    found = in_turns(tasks, setting.repeats, lambda text: show(f"streams, {samples.name}, {loss}: {text}"))
    peers: list[Any] = found[PEER]
    rows = []
    for method in (OURS, PEER):
        runs: list[Any] = found[method]
        last = [run.errors[-1] for run in runs]
        rows.append(
            {"data": samples.name, "n": X.shape[0], "loss": loss, "k": k, "method": method}
            | {f"error % above, pass {one + 1}": median(run.errors[one] for run in runs) for one in range(PASSES)}
            | {"lowest error": min(last), "highest error": max(last)}
            | {f"loss % above, pass {PASSES}": 100 * (median(run.losses[-1] for run in runs) - 1)}
            | {"s per pass": median(run.seconds for run in runs)}
            | {"ratio": median(peer.seconds / run.seconds for peer, run in zip(peers, runs, strict=True))}
            | {"CPU s per pass": median(run.work for run in runs)}
            | {"CPU ratio": median(peer.work / run.work for peer, run in zip(peers, runs, strict=True))}
        )
    return rows


def _value(X: Any, loss: str) -> Callable[[Array], float]:
    """The loss of a basis with the best V."""
    data, own = as_data(X), LOSSES[loss]()

    def value(U: Array) -> float:
        U = np.ascontiguousarray(U, dtype=X.dtype)
        return float(own.value(State(data, U, own.project(data, U, None, 0.0, 0.0, 0.0))))

    return value


def _ours(X: Any, k: int, loss: str, start: Any, relative: Callable[[Array], float]) -> Run:
    V, UT = start
    model = NMF(k, loss=loss, init=(V[:BLOCK], UT), normalize=None)

    def one_pass() -> None:
        for first in range(0, X.shape[0], BLOCK):
            model.partial_fit(X[first : first + BLOCK])

    times, losses = [], []
    for _ in range(PASSES):
        times.append(seconds_and_work(one_pass))
        losses.append(relative(model.components_.T))
    spent, work = (sum(part) / PASSES for part in zip(*times, strict=True))
    return Run(tuple(losses), spent, work)


def _peer(X: Any, k: int, loss: str, start: Any, relative: Callable[[Array], float]) -> Run:
    from sklearn.decomposition import MiniBatchNMF

    settings = {"init": "custom", "tol": 0, "max_no_improvement": None, "random_state": 0}
    losses, spent = [], (0.0, 0.0)
    for passes in range(1, PASSES + 1):
        model = MiniBatchNMF(k, beta_loss=loss, batch_size=BLOCK, max_iter=passes, **settings)
        V, UT = (factor.copy() for factor in start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            spent = seconds_and_work(lambda model=model, V=V, UT=UT: model.fit_transform(X, W=V, H=UT))  # type: ignore[misc]
        losses.append(relative(model.components_.T))
    return Run(tuple(losses), spent[0] / PASSES, spent[1] / PASSES)
