"""A-LPNMF on documents that are on disk, in a process that the system lets have 3 GiB and no more."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from manifact.datasets.synthetic import synthetic_document_blocks
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.graphs import LandmarkGraph
from manifact.io.out_of_core.spool_writer import SpoolWriter
from manifact.models import ALPNMF

GIB = 1 << 30
LIMIT = 3 * GIB
RANK, LANDMARKS, ITERATIONS = 20, 1000, 10
WORDS, FEATURES = 103, 50_000
#: Rows of a block, about 60 MiB of X.
ROWS = 50_000
#: What the C library and BLAS set aside for each thread counts against the limit; our threads call BLAS on one each.
FEW_ROOMS = {"MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1"}
#: Seconds between two looks at the memory.
LOOKS = 0.05


def measure(setting: Setting) -> Outcome:
    """A row for each number of documents."""
    rows: list[dict[str, Any]] = []
    for n in setting.scale.out_of_core_documents:
        setting.show(f"out of core: {n} documents")
        with TemporaryDirectory(prefix="manifact-bench-") as folder:
            job = json.dumps({"n": n, "folder": folder})
            command, own = [sys.executable, "-m", __name__, job], os.environ | FEW_ROOMS
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=own)
        rows.append(json.loads(done.stdout.splitlines()[-1]))
    for row in rows:
        row["μs per document"] = 1e6 * row["s per iteration"] / row["n"]
    note = (
        f"Synthetic documents of about 100 words out of {FEATURES}, float64, in files on disk; k = {RANK}, "
        f"{LANDMARKS} landmarks, {ITERATIONS} iterations from the model's own start. RLIMIT_DATA of the process is "
        f"{LIMIT / GIB:g} GiB: memory that it writes, but for mapped files, which the system takes back when it needs "
        "room. Its peak is the most that was seen of that, and of what was resident besides; choosing landmarks and "
        "the start are in the seconds before the first iteration. X is read twice in an iteration."
    )
    return rows, note


def fit_within_limit(n: int, folder: str) -> dict[str, Any]:
    """What a fit takes, in this process, which has a limit from now on."""
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    writer = SpoolWriter(folder, what="the documents")
    for block in synthetic_document_blocks(n, FEATURES, WORDS, dtype=np.float64):
        writer.append(block)
    with writer.finished(ROWS) as X:
        X.memory, X.scratch = LIMIT, folder
        ticks: list[float] = []
        model = ALPNMF(RANK, graph=LandmarkGraph(LANDMARKS), random_state=0, max_iter=ITERATIONS, tol=0)
        with _Watch() as watch:
            begun = time.perf_counter()
            model.fit(X, callbacks=lambda iteration: ticks.append(time.perf_counter()))
            spent = time.perf_counter() - begun
        return {
            "n": n,
            "X GiB": X.nbytes / GIB,
            "blocks": X.n_blocks,
            "s before": ticks[0] - begun,
            "s per iteration": median(np.diff(ticks)[1:].tolist()),
            "s in all": spent,
            "peak GiB": watch.anonymous / GIB,
            "peak with files GiB": watch.resident / GIB,
            "objective": float(model.objective_[-1]),
        }


class _Watch:
    """The most memory that was seen inside the block: written by the process, and resident in all."""

    def __init__(self) -> None:
        self.anonymous = self.resident = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(LOOKS):
            status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
            anonymous, resident = (int(status[name].split()[0]) * 1024 for name in ("RssAnon", "VmRSS"))
            self.anonymous, self.resident = max(self.anonymous, anonymous), max(self.resident, resident)


if __name__ == "__main__":
    print(json.dumps(fit_within_limit(**json.loads(sys.argv[1]))))
