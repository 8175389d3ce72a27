"""Whether iterations take longer the longer a run has been going: factors decay, some numbers become subnormal."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.experiments.bench.benchmark_samples import random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.timing import in_turns, summary, warm, watched
from manifact.models import NMF

LOSSES = ("frobenius", "kullback-leibler")
TYPES = (np.float32, np.float64)
#: So many iterations at the beginning, from the second on, and at the end: one alone is too noisy.
AROUND = 5


def measure(setting: Setting) -> Outcome:
    """A row for each loss and type."""
    samples, k, iterations = next(setting.sets("tdt2")), setting.scale.age_rank, setting.scale.age_iterations
    rows = []
    for loss in LOSSES:
        for kind in TYPES:
            X = samples.X.astype(kind)
            start = decayed_start(X, k)
            fit = NMF(k, loss=loss, solver="mu", init=start, max_iter=iterations, tol=0, normalize=None)
            warm(NMF(k, loss=loss, solver="mu", init=start, max_iter=2, tol=0).fit, X)
            name = f"{loss}, {np.dtype(kind).name}"
            found = in_turns({name: partial(_ages, fit, X)}, setting.repeats, partial(_show, setting))[name]
            row: dict[str, Any] = {"loss": loss, "type": np.dtype(kind).name, "k": k}
            row |= summary("early ms", [early for early, _, _ in found])
            row |= summary("late ms", [late for _, late, _ in found])
            row["ratio"] = row["late ms"] / row["early ms"]
            row["subnormal at start"] = float(np.mean([share_of_subnormal(P) for P in start]))
            row["subnormal at end"] = max(share for _, _, share in found)
            rows.append(row)
    worst = max(row["ratio"] for row in rows)
    note = (
        f"{samples}. NMF, solver='mu', from a start whose entries go down to the smallest number of their type, so "
        "that factors and products meet subnormal numbers from the first iteration on. Early: iterations 2 to "
        f"{AROUND + 1}; late: the last {AROUND} of {iterations}; medians of {setting.repeats} turns and interquartile "
        f"ranges. An iteration at the end takes at most {worst:.2f} times one at the beginning; the share of subnormal "
        "numbers in U and V is that of the start and that of the end."
    )
    return rows, note


def decayed_start(X: Any, k: int) -> tuple[Array, Array]:
    """A random start, half of whose entries are as small as a long run would make them."""
    rng = np.random.default_rng(0)
    lowest = float(np.log10(np.finfo(X.dtype).smallest_subnormal.astype(np.float64)))
    V, UT = (
        np.where(rng.random(P.shape) < 0.5, P, 10 ** rng.uniform(lowest, 0, P.shape)).astype(X.dtype)
        for P in random_start(X, k, seed=0)
    )
    return V, UT


def share_of_subnormal(P: Array) -> float:
    """How many of the entries are neither normal nor 0."""
    size = np.abs(P)
    return float(np.mean((size > 0) & (size < np.finfo(P.dtype).smallest_normal)))


def _show(setting: Setting, text: str) -> None:
    setting.show(f"age: {text}")


def _ages(model: Any, X: Any, turn: int) -> tuple[float, float, float]:
    """Milliseconds of an iteration at the beginning and at the end, and how many numbers are subnormal then."""
    ticks: list[float] = []
    last = watched(model, X, lambda iteration: ticks.append(time.perf_counter()))
    spent = 1e3 * np.diff(ticks)[1:]
    share = float(np.mean([share_of_subnormal(P) for P in (last.state.U, last.state.V)]))
    return float(np.median(spent[:AROUND])), float(np.median(spent[-AROUND:])), share
