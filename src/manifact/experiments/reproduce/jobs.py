"""Independent runs: shared out over cores, each stored on disk by its full settings as soon as it is done.

A run that is interrupted or killed loses only what was in flight: the next one finds the rest in the store and gives
the same numbers.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from manifact._version import __version__
from manifact.experiments.code_digest import numerical_code
from manifact.experiments.reproduce import recorded_warnings
from manifact.experiments.reproduce.job_workers import working
from manifact.utils.cached_properties import cached_property
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
        return _key(self._text)

    @cached_property
    def _text(self) -> str:
        known = {"task": self.task, "version": __version__, "code": numerical_code()}
        return _text(known | dict(self.settings))

    def run(self) -> dict[str, Any]:
        """Do the work; what it warned of is part of the result."""
        with recorded_warnings.recorded() as found:
            result: dict[str, Any] = import_module(f"{TASKS}.{self.task}").run(self.settings)
        return result | {recorded_warnings.KEY: recorded_warnings.texts(found)} if found else result


def _text(settings: Mapping[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


#: How a result names the day on which it came.
DAY = "day"


@dataclass(frozen=True)
class Store:
    """Results as small JSON files, each beside the settings it belongs to and the day on which it came."""

    folder: Path

    def get(self, job: Job) -> dict[str, Any] | None:
        """The stored result, or None; a torn or foreign file counts as none."""
        try:
            stored = self.stored(job)
            result: dict[str, Any] = stored["result"]
            return result if stored["settings"] == json.loads(job._text) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def stored(self, job: Job) -> dict[str, Any]:
        """All settings and the result, as they are stored."""
        found: dict[str, Any] = json.loads(self._file(job.key).read_text(encoding="utf-8"))
        return found

    def put(self, job: Job, result: Mapping[str, Any]) -> None:
        """Store a result; the file appears whole or not at all."""
        self._write(json.loads(job._text), {**result, DAY: date.today().isoformat()})

    def adopt(self, settings: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
        """Store what another store had of a job; False where a result is there already."""
        if self._file(_key(_text(settings))).exists():
            return False
        self._write(settings, result)
        return True

    def _write(self, settings: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        file = self._file(_key(_text(settings)))
        file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, json.dumps({"settings": settings, "result": result}))

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def run_jobs(
    jobs: Sequence[Job], store: Store, workers: int = 1, advance: Advance = lambda amount: None
) -> list[dict[str, Any]]:
    """The results of the jobs, in their order: what the store has is read, the rest is done and stored."""
    missing = not_stored(jobs, store)
    advance(len(jobs) - len(missing))
    shared, alone = groups_of(missing)
    with working(partial(serve, store), workers if len(shared) > 1 else 1, advance) as crew:
        for group in shared:
            crew.add(group, owner=None)
        while (ended := crew.next()) is not None:
            if ended.failure is not None:
                raise ended.failure
    for group in alone:
        serve(store, group, advance)
    return stored_results(jobs, store)


def not_stored(jobs: Iterable[Job], store: Store) -> list[Job]:
    """Each job once that the store has no result of."""
    return list({job.key: job for job in jobs if store.get(job) is None}.values())


def stored_results(jobs: Sequence[Job], store: Store) -> list[dict[str, Any]]:
    """The results of jobs that have been done, in their order."""
    found = []
    for job in jobs:
        result = store.get(job)
        if result is None:
            raise RuntimeError(
                f"the result of {job.task} could not be read back from {store.folder}: is the disk full?"
            )
        found.append(result)
    return found


def groups_of(jobs: Iterable[Job]) -> tuple[list[list[Job]], list[list[Job]]]:
    """Groups that may be done side by side, and those that want the machine to themselves."""
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        groups.setdefault(job.group or job.key, []).append(job)
    ordered = list(groups.values())
    # In random order what is done is a fair sample of what is left, and so the time left is a fair estimate.
    random.Random(0).shuffle(ordered)
    return [group for group in ordered if not group[0].alone], [group for group in ordered if group[0].alone]


def serve(store: Store, group: Sequence[Job], advance: Advance) -> None:
    """Do a group, one job after the other; what somebody else has done meanwhile is not done again."""
    for job in group:
        if store.get(job) is None:
            store.put(job, job.run())
        advance(1)
