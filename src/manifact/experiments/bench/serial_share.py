"""How much of an iteration other threads cannot take over: what Amdahl's law says about any number of cores."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from manifact.backends import threads
from manifact.experiments.bench.benchmark_samples import Samples, documents
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.measured_models import model_of
from manifact.experiments.bench.timing import watched
from manifact.solvers.engine import Iteration

NAMES = ("NMF", "NMF, bcd", "NMF, divergence", "GNMF", "LPNMF", "AffinityNMF")
#: Of large data.
FEW_ITERATIONS = 6


def measure(setting: Setting) -> Outcome:
    """A row for each model and data set."""
    samples = next(setting.sets("tdt2"))
    rows = [_row(setting, samples, name, setting.scale.thread_iterations, setting.repeats) for name in NAMES]
    sets = [samples]
    if setting.scale.serial_documents:
        many = documents(setting.scale.serial_documents)
        sets.append(many)
        # Their iterations are long enough for a few of them to say it.
        rows += [_row(setting, many, name, FEW_ITERATIONS, 1) for name in NAMES]
    worst = max(row["serial share"] for row in rows)
    note = (
        f"{'; '.join(map(str, sets))}. Iterations on one thread, so that times add up: one is what kernels do whose "
        "work is worth several threads, what kernels do that are too small for that, and all else, in Python. The "
        "last two are the serial share; BLAS is called inside kernels only. The least share of the turns for each. At "
        f"most {worst:.3f} of an iteration is serial."
    )
    return rows, note


def _row(setting: Setting, samples: Samples, name: str, iterations: int, turns: int) -> dict[str, Any]:
    setting.show(f"serial: {name}, {samples.X.shape[0]} samples")
    model = model_of(name, samples, setting.scale.thread_rank, iterations)
    found = [_shares(model, samples.X) for _ in range(turns)]
    spent, shares = min(found, key=lambda pair: (pair[0] - pair[1].shared) / pair[0])
    small, rest = shares.alone, spent - shares.shared - shares.alone
    return {
        "data": samples.name,
        "n": samples.X.shape[0],
        "model": name,
        "iteration ms": 1e3 * spent,
        "shared ms": 1e3 * shares.shared,
        "small kernels ms": 1e3 * small,
        "one thread ms": 1e3 * rest,
        "kernels": shares.calls,
        "serial share": (small + rest) / spent,
    }


def _shares(model: Any, X: Any) -> tuple[float, threads.Shares]:
    """Seconds of an iteration, and of what it does inside kernels; the first two are left out."""
    seen: list[tuple[float, threads.Shares]] = []
    with ExitStack() as alone, threads.measured() as shares:

        def look(iteration: Iteration) -> None:
            if iteration.number == 0:
                # What comes before the iterations may use all threads.
                alone.enter_context(threads.limit(1))
            seen.append((time.perf_counter(), replace(shares)))

        watched(model, X, look)
    (begun, before), (ended, after), count = seen[2], seen[-1], len(seen) - 3
    parts = (getattr(after, part) - getattr(before, part) for part in ("shared", "alone", "calls"))
    shared, small, calls = (part / count for part in parts)
    return (ended - begun) / count, threads.Shares(shared, small, round(calls))
