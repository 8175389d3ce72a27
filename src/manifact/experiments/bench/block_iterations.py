"""One iteration on X in one memory, in blocks, on disk and by Dask's threads: what going over blocks costs."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from manifact.backends.block_samples import ArrayBlocks
from manifact.experiments.bench.benchmark_samples import documents
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.timing import RESOLUTION, in_turns, summary
from manifact.graphs import LandmarkGraph
from manifact.io.out_of_core.spool_writer import SpoolWriter
from manifact.models import ALPNMF, NMF

RANK, ROWS, ITERATIONS = 20, 50_000, 5
MODELS: dict[str, Callable[[], Any]] = {
    "NMF, mu": lambda: NMF(RANK, solver="mu", init="random", random_state=0),
    "NMF, divergence, mu": lambda: NMF(RANK, loss="kullback-leibler", solver="mu", init="random", random_state=0),
    "A-LPNMF": lambda: ALPNMF(RANK, graph=LandmarkGraph(1000, landmarks="random"), init="random", random_state=0),
}


def measure(setting: Setting) -> Outcome:
    """A row for each model."""
    samples = documents(setting.scale.block_documents, 50_000)
    rows = []
    with TemporaryDirectory(prefix="manifact-bench-") as folder:
        ways = _ways(samples.X, folder)
        for name, make in MODELS.items():
            tasks = {way: partial(_turn, make, X) for way, X in ways.items()}
            found = in_turns(tasks, setting.repeats, partial(_show, setting, name))
            row: dict[str, Any] = {"model": name}
            for way, values in found.items():
                row |= summary(f"{way} s", values)
            whole = found["one memory"]
            for way in (way for way in ways if way != "one memory"):
                ratios = [value / other for value, other in zip(found[way], whole, strict=True)]
                row |= summary(f"{way} / one memory", ratios)
            rows.append(row)
    note = (
        f"{samples}, k = {RANK}, blocks of {ROWS} rows; the median of {ITERATIONS} iterations after the first, and of "
        f"{setting.repeats} turns. In blocks: of an array in memory. On disk: of mapped files, which the system keeps "
        "in its cache as long as there is room. Dask: its threads, as many as cores, one kernel thread each."
    )
    return rows, note


def _ways(X: Any, folder: str) -> dict[str, Callable[[], Any]]:
    writer = SpoolWriter(folder, what="the documents")
    writer.append(X)
    spooled = writer.finished(ROWS)
    ways: dict[str, Callable[[], Any]] = {
        "one memory": lambda: X,
        "blocks": lambda: ArrayBlocks(X, ROWS),
        "disk": lambda: spooled,
    }
    if find_spec("dask") is not None:
        samples = import_module("manifact.backends.dask").DaskSamples
        ways["Dask"] = lambda: samples.of_blocks(ArrayBlocks(X, ROWS))
    return ways


def _turn(make: Callable[[], Any], X: Callable[[], Any], turn: int) -> float:
    return _iteration(make(), X())


def _show(setting: Setting, name: str, text: str) -> None:
    setting.show(f"blocks, {name}: {text}")


def _iteration(model: Any, X: Any) -> float:
    """Median seconds of an iteration; the first, which also lays things out, is left out."""
    ticks: list[float] = []
    model.set_params(max_iter=ITERATIONS + 1, tol=0)
    model.fit(X, callbacks=lambda iteration: ticks.append(time.perf_counter()))
    # The number of iterations that are done is behind by one where values are formulas: differences are not.
    return max(float(np.median(np.diff(ticks)[1:])), RESOLUTION)
