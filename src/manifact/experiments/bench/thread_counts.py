"""One iteration of each model on 1, 2, 4, ... threads, up to all cores."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from manifact.backends import threads
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.measured_models import MODELS, model_of
from manifact.experiments.bench.timing import in_turns, iteration_seconds, warm


def measure(setting: Setting) -> Outcome:
    """A row for each model."""
    samples, k = next(setting.sets("tdt2")), setting.scale.thread_rank
    counts = doublings(threads.count())
    rows = []
    for name in MODELS:
        model = model_of(name, samples, k, setting.scale.thread_iterations)
        warm(iteration_seconds, model, samples.X)

        def task(count: int, model: Any = model) -> Callable[[int], float]:
            def run(turn: int) -> float:
                with threads.limit(count):
                    return 1e3 * iteration_seconds(model, samples.X)

            return run

        tasks = {f"{count} threads": task(count) for count in counts}
        setting.show(f"threads: {name}")
        found = in_turns(tasks, setting.repeats)
        times = [float(median(values)) for values in found.values()]
        row: dict[str, Any] = {"model": name, "k": k}
        row |= {f"{count} ms": spent for count, spent in zip(counts, times, strict=True)}
        row["speed-up"] = times[0] / times[-1]
        row["worst step"] = max(after / before for before, after in zip([times[0], *times], times, strict=False))
        rows.append(row)
    note = (
        f"{samples}. Iterations from a random start but the first, medians of {setting.repeats} turns. The speed-up is "
        f"that of {counts[-1]} threads over one; the worst step is the largest ratio of a time to that on half as many "
        "threads: above 1 more threads are slower."
    )
    return rows, note


def doublings(most: int) -> list[int]:
    """1, 2, 4, ... and at last ``most``."""
    counts = [1]
    while 2 * counts[-1] < most:
        counts.append(2 * counts[-1])
    return counts if most == 1 else [*counts, most]
