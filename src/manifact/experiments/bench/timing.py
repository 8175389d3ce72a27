"""Clocks, turns, and what is said about several measurements of the same thing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, TypeVar

import numpy as np

from manifact.experiments.bench.benchmark_settings import UnavailableError
from manifact.models.base import Factorization
from manifact.solvers.engine import Iteration

T = TypeVar("T")
#: Shorter than this is no time: differences of noisy clocks can be negative.
RESOLUTION = time.get_clock_info("perf_counter").resolution


def in_turns(
    tasks: Mapping[str, Callable[[int], T]], repeats: int, show: Callable[[str], None] = lambda text: None
) -> dict[str, list[T]]:
    """What every task returns for 0, 1, ... ``repeats``: A B C A B C, so that a slow minute falls on all of them."""
    found: dict[str, list[T]] = {name: [] for name in tasks}
    for turn in range(repeats):
        for name, task in tasks.items():
            show(f"{name}, {turn + 1} of {repeats}")
            found[name].append(task(turn))
    return found


def warm(task: Callable[..., Any], *args: Any) -> None:
    """Do it once, uncounted: kernels are compiled, and what this version refuses is known before the work starts."""
    try:
        task(*args)
    except (ImportError, ValueError) as error:
        raise UnavailableError(str(error)) from error


def seconds(task: Callable[[], Any]) -> float:
    """How long it takes."""
    begun = time.perf_counter()
    task()
    return max(time.perf_counter() - begun, RESOLUTION)


def seconds_and_work(task: Callable[[], Any]) -> tuple[float, float]:
    """How long it takes, and how long all threads of this process worked for it: other programs do not change that."""
    begun = time.process_time()
    spent = seconds(task)
    return spent, max(time.process_time() - begun, RESOLUTION)


def per_iteration(fit: Callable[[int], Any], iterations: int) -> float:
    """Seconds of one iteration, net of what a fit does once: a long run minus a short one."""
    few = 2
    short = seconds(lambda: fit(few))
    return max(seconds(lambda: fit(few + iterations)) - short, RESOLUTION) / iterations


def spread(values: Sequence[float]) -> float:
    """The interquartile range."""
    low, high = np.percentile(values, (25, 75))
    return float(high - low)


def summary(name: str, values: Sequence[float]) -> dict[str, float]:
    """Median and spread, as two columns."""
    return {name: float(median(values)), f"{name} iqr": spread(values)}


class Stopwatch:
    """Time since the start, without what is measured beside the work."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()

    def read(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._begun

    def beside(self, task: Callable[[], T]) -> T:
        """Do something that does not count."""
        paused = time.perf_counter()
        try:
            return task()
        finally:
            self._begun += time.perf_counter() - paused


def watched(model: Factorization, X: Any, callback: Callable[[Iteration], bool | None]) -> Iteration:
    """Fit with a callback; the last iterate, as it was before the basis was given unit length."""
    seen: list[Iteration] = []

    def last(iteration: Iteration) -> None:
        seen[:] = [iteration]

    model.fit(X, callbacks=[last, callback])
    return seen[0]


def iteration_seconds(model: Factorization, X: Any) -> float:
    """Median time of an iteration; the first one, which also transposes X and factors the graph, is left out."""
    ticks: list[float] = []
    watched(model, X, lambda iteration: ticks.append(time.perf_counter()))
    return max(float(np.median(np.diff(ticks)[1:])), RESOLUTION)
