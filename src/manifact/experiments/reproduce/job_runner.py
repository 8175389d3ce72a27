"""What a kind of experiment is told: how to have jobs done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from manifact.experiments.reproduce import recorded_warnings
from manifact.experiments.reproduce.experiment_samples import SAMPLES, digest
from manifact.experiments.reproduce.jobs import DAY, Job, Store, not_stored, run_jobs, stored_results
from manifact.utils.progress import showing, steps

#: For readers of a page, and how often there is a run: neither makes another run.
WORDS = ("what", "repeats")
#: What is stored with a result and is noted for the page, so that a kind of experiment sees what its task returned.
NOTED = (DAY, recorded_warnings.KEY)


class MissingRunsError(Exception):
    """Jobs whose results are wanted and not there."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        super().__init__(f"{len(jobs)} runs are not done")
        self.jobs = jobs


@dataclass(frozen=True)
class Runner:
    """Where results are kept, and how many jobs run at once."""

    store: Store
    workers: int = 1
    show: bool = False
    #: Method and warning -> the jobs that warned so, of all that were run.
    warned: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    #: The days on which the results came.
    days: set[str] = field(default_factory=set)
    #: All jobs that were run, by their keys.
    done: dict[str, Job] = field(default_factory=dict)

    def run(self, title: str, jobs: Sequence[Job]) -> list[dict[str, Any]]:
        """The results of the jobs, in their order; what they warned of is noted in ``warned``."""
        results = self._results(title, jobs)
        for job, result in zip(jobs, results, strict=True):
            self.done[job.key] = job
            self.days.update({result[DAY]} if DAY in result else ())
            for text in result.get(recorded_warnings.KEY, ()):
                self.warned.setdefault((job.settings.get("method", job.task), text), set()).add(job.key)
        return [{name: value for name, value in result.items() if name not in NOTED} for result in results]

    def for_a_page(self) -> Self:
        """The same, with nothing noted yet."""
        return replace(self, warned={}, days=set(), done={})

    def _results(self, title: str, jobs: Sequence[Job]) -> list[dict[str, Any]]:
        with showing(self.show), steps(title, len(jobs)) as advance:
            return run_jobs(jobs, self.store, self.workers, advance)


@dataclass(frozen=True)
class StoredRunner(Runner):
    """Does no job: what is not stored is asked for by `MissingRunsError`."""

    def _results(self, title: str, jobs: Sequence[Job]) -> list[dict[str, Any]]:
        if missing := not_stored(jobs, self.store):
            raise MissingRunsError(missing)
        return stored_results(jobs, self.store)


def job(task: str, settings: Mapping[str, Any], alone: bool = False, part: str = "") -> Job:
    """A job on a data set, which knows the data by their content.

    Jobs on the same samples run in one process; ``part`` parts them where that would be too much for one.
    """
    settings = {key: value for key, value in settings.items() if key not in WORDS}
    group = json.dumps([part, {key: settings.get(key) for key in SAMPLES}]) if "data" in settings else ""
    if "data" in settings:
        settings["digest"] = digest(settings["data"])
    return Job(task, settings, group, alone)
