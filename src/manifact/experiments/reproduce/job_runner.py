"""What a kind of experiment is told: how to have jobs done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manifact.experiments.reproduce.experiment_samples import SAMPLES, digest
from manifact.experiments.reproduce.jobs import Job, Store, run_jobs
from manifact.utils.progress import showing, steps

#: For readers of a page: a change of words does not make another run.
WORDS = ("what",)


@dataclass(frozen=True)
class Runner:
    """Where results are kept, and how many jobs run at once."""

    store: Store
    workers: int = 1
    show: bool = False

    def run(self, title: str, jobs: Sequence[Job]) -> list[dict[str, Any]]:
        """The results of the jobs, in their order."""
        with showing(self.show), steps(title, len(jobs)) as advance:
            return run_jobs(jobs, self.store, self.workers, advance)


def job(task: str, settings: Mapping[str, Any], alone: bool = False, part: str = "") -> Job:
    """A job on a data set, which knows the data by their content.

    Jobs on the same samples run in one process; ``part`` parts them where that would be too much for one.
    """
    settings = {key: value for key, value in settings.items() if key not in WORDS}
    group = json.dumps([part, {key: settings.get(key) for key in SAMPLES}]) if "data" in settings else ""
    if "data" in settings:
        settings["digest"] = digest(settings["data"])
    return Job(task, settings, group, alone)
