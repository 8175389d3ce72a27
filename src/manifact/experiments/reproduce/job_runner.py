"""What a kind of experiment is told: how to have jobs done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from manifact.experiments.reproduce import recorded_warnings
from manifact.experiments.reproduce.experiment_samples import SAMPLES, digest
from manifact.experiments.reproduce.jobs import Job, Store, run_jobs
from manifact.utils.progress import showing, steps

#: For readers of a page, and how often there is a run: neither makes another run.
WORDS = ("what", "repeats")


@dataclass(frozen=True)
class Runner:
    """Where results are kept, and how many jobs run at once."""

    store: Store
    workers: int = 1
    show: bool = False
    #: Method and warning -> the jobs that warned so, of all that were run.
    warned: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def run(self, title: str, jobs: Sequence[Job]) -> list[dict[str, Any]]:
        """The results of the jobs, in their order; what they warned of is noted in ``warned``."""
        with showing(self.show), steps(title, len(jobs)) as advance:
            results = run_jobs(jobs, self.store, self.workers, advance)
        for job, result in zip(jobs, results, strict=True):
            for text in result.get(recorded_warnings.KEY, ()):
                self.warned.setdefault((job.settings.get("method", job.task), text), set()).add(job.key)
        return results


def job(task: str, settings: Mapping[str, Any], alone: bool = False, part: str = "") -> Job:
    """A job on a data set, which knows the data by their content.

    Jobs on the same samples run in one process; ``part`` parts them where that would be too much for one.
    """
    settings = {key: value for key, value in settings.items() if key not in WORDS}
    group = json.dumps([part, {key: settings.get(key) for key in SAMPLES}]) if "data" in settings else ""
    if "data" in settings:
        settings["digest"] = digest(settings["data"])
    return Job(task, settings, group, alone)
