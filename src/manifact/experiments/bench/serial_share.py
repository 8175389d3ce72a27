"""How much of an iteration other threads cannot take over: what Amdahl's law says about any number of cores."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from manifact.backends import threads
from manifact.experiments.bench.benchmark_samples import Samples, documents
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.measured_models import model_of
from manifact.experiments.bench.timing import warm, watched

NAMES = ("NMF", "NMF, bcd", "NMF, divergence", "GNMF", "LPNMF", "AffinityNMF")


def measure(setting: Setting) -> Outcome:
    """A row for each model and data set."""
    sets = [next(setting.sets("tdt2"))]
    if setting.scale.serial_documents:
        sets.append(documents(setting.scale.serial_documents))
    rows = []
    for samples in sets:
        for name in NAMES:
            setting.show(f"serial: {name}, {samples.X.shape[0]} samples")
            rows.append({"data": samples.name, "n": samples.X.shape[0], "model": name} | _row(setting, samples, name))
    worst = max(row["serial share"] for row in rows)
    note = (
        f"{'; '.join(map(str, sets))}. All on one thread, so that times add up: an iteration is what kernels do whose "
        "work is worth several threads, what kernels do that are too small for that, and all else, in Python and "
        "NumPy. The last two are the serial share; BLAS is called inside kernels only. The least of the turns for "
        f"each. At most {worst:.3f} of an iteration is serial."
    )
    return rows, note


def _row(setting: Setting, samples: Samples, name: str) -> dict[str, Any]:
    model = model_of(name, samples, setting.scale.thread_rank, setting.scale.thread_iterations)
    with threads.limit(1):
        warm(model.fit, samples.X)
        found = [_shares(model, samples.X) for _ in range(setting.repeats)]
    spent, shares = min(found, key=lambda pair: (pair[0] - pair[1].shared) / pair[0])
    small, rest = shares.alone, spent - shares.shared - shares.alone
    return {
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
    with threads.measured() as shares:
        watched(model, X, lambda iteration: seen.append((time.perf_counter(), replace(shares))))
    (begun, before), (ended, after), count = seen[2], seen[-1], len(seen) - 3
    parts = (getattr(after, part) - getattr(before, part) for part in ("shared", "alone", "calls"))
    shared, alone, calls = (part / count for part in parts)
    return (ended - begun) / count, threads.Shares(shared, alone, round(calls))
