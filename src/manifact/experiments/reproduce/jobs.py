"""Independent runs: shared out over cores, each stored on disk by its full settings as soon as it is done.

A run that is interrupted or killed loses only what was in flight: the next one finds the rest in the store and gives
the same numbers.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import random
import signal
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from manifact._version import __version__
from manifact.backends import threads
from manifact.experiments.code_digest import numerical_code
from manifact.experiments.reproduce import recorded_warnings
from manifact.utils.files import write_text
from manifact.utils.progress import Advance

TASKS = "manifact.experiments.reproduce.tasks"


@dataclass(frozen=True)
class Job:
    """A task and everything its result depends on, as plain JSON values; the code is added to them."""

    #: A module of `tasks`, whose ``run(settings)`` does the work.
    task: str
    settings: Mapping[str, Any]
    #: Jobs of one group share what is costly to prepare, and run one after another in one process.
    group: str = ""
    #: Has to have the machine to itself, because it measures time.
    alone: bool = field(default=False, compare=False)

    @cached_property
    def key(self) -> str:
        """The name under which the result is stored."""
        return hashlib.sha256(self._text.encode()).hexdigest()[:32]

    @cached_property
    def _text(self) -> str:
        known = {"task": self.task, "version": __version__, "code": numerical_code()}
        return json.dumps(known | dict(self.settings), sort_keys=True)

    def run(self) -> dict[str, Any]:
        """Do the work; what it warned of is part of the result."""
        with recorded_warnings.recorded() as found:
            result: dict[str, Any] = import_module(f"{TASKS}.{self.task}").run(self.settings)
        return result | {recorded_warnings.KEY: recorded_warnings.texts(found)} if found else result


#: How a result names the day on which it came.
DAY = "day"


@dataclass(frozen=True)
class Store:
    """Results as small JSON files, each beside the settings it belongs to and the day on which it came."""

    folder: Path

    def get(self, job: Job) -> dict[str, Any] | None:
        """The stored result, or None; a torn or foreign file counts as none."""
        try:
            stored = json.loads(self._file(job).read_text(encoding="utf-8"))
            result: dict[str, Any] = stored["result"]
            return result if stored["settings"] == json.loads(job._text) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, job: Job, result: Mapping[str, Any]) -> None:
        """Store a result; the file appears whole or not at all."""
        file = self._file(job)
        file.parent.mkdir(parents=True, exist_ok=True)
        result = {**result, DAY: date.today().isoformat()}
        write_text(file, json.dumps({"settings": json.loads(job._text), "result": result}))

    def _file(self, job: Job) -> Path:
        return self.folder / job.key[:2] / f"{job.key}.json"


def run_jobs(
    jobs: Sequence[Job], store: Store, workers: int = 1, advance: Advance = lambda amount: None
) -> list[dict[str, Any]]:
    """The results of the jobs, in their order: what the store has is read, the rest is done and stored."""
    found = {job.key: result for job in jobs if (result := store.get(job)) is not None}
    missing = {job.key: job for job in jobs if job.key not in found}
    advance(len(jobs) - len(missing))
    groups = _groups(missing.values())
    shared = [group for group in groups if not group[0].alone]
    if workers > 1 and len(shared) > 1:
        _in_processes(shared, store, workers, advance)
    else:
        # One thread, as in a worker: the last digits of a sum depend on how many share it.
        with threadpool_limits(1), threads.limit(1):
            for group in shared:
                _serve(group, store, advance)
    for group in groups:
        if group[0].alone:
            _serve(group, store, advance)
    for key, job in missing.items():
        result = store.get(job)
        if result is None:
            raise RuntimeError(
                f"the result of {job.task} could not be read back from {store.folder}: is the disk full?"
            )
        found[key] = result
    return [found[job.key] for job in jobs]


def _groups(jobs: Iterable[Job]) -> list[list[Job]]:
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        groups.setdefault(job.group or job.key, []).append(job)
    ordered = list(groups.values())
    # In random order what is done is a fair sample of what is left, and so the time left is a fair estimate.
    random.Random(0).shuffle(ordered)
    return ordered


def _serve(group: Sequence[Job], store: Store, advance: Advance = lambda amount: None) -> int:
    for job in group:
        store.put(job, job.run())
        advance(1)
    return len(group)


def _in_processes(groups: Sequence[Sequence[Job]], store: Store, workers: int, advance: Advance) -> None:
    # Fresh interpreters rather than forks: a fork would inherit the threads of BLAS in whatever state they are.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)
    try:
        pending: set[Future[int]] = {pool.submit(_serve, group, store) for group in groups}
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                advance(future.result())
    except BaseException:
        _stop(pool)
        raise
    pool.shutdown()


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the workers now: what they have in flight is done again the next time."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()


#: What the libraries beneath NumPy and scikit-learn read when they are loaded.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def _begin() -> None:
    """Make a worker: one thread, deaf to Ctrl-C (its parent decides), gone when its parent is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    # Two workers with two threads each on two cores wait for each other more than they work. Libraries that are
    # loaded already are told, those that come later read it.
    os.environ.update(dict.fromkeys(THREADS, "1"))
    threadpool_limits(1)


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
