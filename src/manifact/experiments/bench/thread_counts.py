"""One iteration of each model on 1, 2, 4, ... threads, up to all cores."""

from __future__ import annotations

import time
from contextlib import ExitStack
from itertools import cycle
from statistics import median
from typing import Any

from manifact.backends import threads
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.measured_models import MODELS, model_of
from manifact.experiments.bench.timing import warm, watched
from manifact.solvers.engine import Iteration


def measure(setting: Setting) -> Outcome:
    """A row for each model."""
    samples, k, iterations = next(setting.sets("tdt2")), setting.scale.thread_rank, setting.scale.thread_iterations
    counts = doublings(threads.count())
    rows = []
    for name in MODELS:
        setting.show(f"threads: {name}")
        warm(model_of(name, samples, k, 2).fit, samples.X)
        with Turns(counts) as turns:
            watched(model_of(name, samples, k, (iterations + 1) * len(counts)), samples.X, turns)
        times = [1e3 * median(values[1:]) for values in turns.found.values()]
        row: dict[str, Any] = {"model": name, "k": k}
        row |= {f"{count} ms": spent for count, spent in zip(counts, times, strict=True)}
        row["speed-up"] = times[0] / times[-1]
        row["worst step"] = max(after / before for before, after in zip([times[0], *times], times, strict=False))
        rows.append(row)
    numbers = ", ".join(map(str, counts))
    note = (
        f"{samples}. One run of each model from a random start, whose iterations use {numbers} threads in turn, "
        f"{iterations} of each; medians. The speed-up is that of {counts[-1]} threads over one; the worst step is the "
        "largest ratio of a time to that on half as many threads: above 1 more threads are slower."
    )
    return rows, note


class Turns:
    """A callback that gives each iteration another number of threads, and keeps how long it took."""

    def __init__(self, counts: list[int]) -> None:
        self.found: dict[int, list[float]] = {count: [] for count in counts}
        self._counts, self._limit = cycle(counts), ExitStack()
        self._now, self._begun = 0, 0.0

    def __enter__(self) -> Turns:
        return self

    def __exit__(self, *error: object) -> None:
        self._limit.close()

    def __call__(self, iteration: Iteration) -> None:
        """The end of one iteration is the beginning of the next."""
        if self._now:
            self.found[self._now].append(time.perf_counter() - self._begun)
        self._limit.close()
        self._now = next(self._counts)
        self._limit.enter_context(threads.limit(self._now))
        self._begun = time.perf_counter()


def doublings(most: int) -> list[int]:
    """1, 2, 4, ... and at last ``most``."""
    counts = [1]
    while 2 * counts[-1] < most:
        counts.append(2 * counts[-1])
    return counts if most == 1 else [*counts, most]
