"""Experiments whose runs share the workers: no core waits for the last run of one while another has some left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial

from manifact.experiments.reproduce.comparison_page import Page
from manifact.experiments.reproduce.job_runner import MissingRunsError, StoredRunner
from manifact.experiments.reproduce.job_workers import Workers, working
from manifact.experiments.reproduce.jobs import Job, groups_of, serve
from manifact.utils.progress import Tally, open_steps

#: What ends an experiment, and not the others.
FAILURES = (OSError, ValueError, BrokenProcessPool)


class RefusedError(Exception):
    """What cannot be done as asked, in one sentence."""


@dataclass
class Experiments:
    """Makes pages of what is stored; a page that lacks runs says which, and is asked again once they are done.

    So it does not matter how many stages an experiment has: what is chosen in one round is tested in the next.
    """

    runner: StoredRunner
    page_of: Callable[[str, StoredRunner], Page]
    finished: Callable[[Page], None]
    #: Name -> why there is no page.
    refused: dict[str, str] = field(default_factory=dict)

    def run(self, names: Sequence[str], workers: int) -> None:
        """All pages that can be had, each as soon as its runs are done."""
        asking = list(names)
        while asking:
            alone = _Round(self).run(asking, workers)
            for name, groups in alone.items():
                with self.refusing(name):
                    for group in groups:
                        serve(self.runner.store, group, lambda amount: None)
            asking = [name for name in alone if name not in self.refused]

    def refusing(self, name: str) -> _Refusing:
        """A failure inside the block is the end of that experiment alone."""
        return _Refusing(self, name)


@dataclass
class _Refusing:
    experiments: Experiments
    name: str

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, failure: BaseException | None, traceback: object) -> bool:
        if isinstance(failure, RefusedError):
            self.experiments.refused[self.name] = str(failure)
        elif isinstance(failure, FAILURES):
            self.experiments.refused[self.name] = f"{self.name} could not be run to its end: {failure}"
        else:
            return False
        return True


class _Round:
    """From the pages that are wanted to those whose runs want the machine to themselves."""

    def __init__(self, experiments: Experiments) -> None:
        self._experiments = experiments
        self._left: dict[str, int] = {}
        self._alone: dict[str, list[list[Job]]] = {}

    def run(self, names: Sequence[str], workers: int) -> dict[str, list[list[Job]]]:
        """Pages of all that can be done side by side; the others' groups of runs."""
        served = partial(serve, self._experiments.runner.store)
        with open_steps("runs") as tally, working(served, workers, tally.advance) as crew:
            for name in names:
                self._ask(name, crew, tally)
            while (ended := crew.next()) is not None:
                name = str(ended.owner)
                self._left[name] -= 1
                with self._experiments.refusing(name):
                    if ended.failure is not None:
                        raise ended.failure
                if not self._left[name] and name not in self._alone and name not in self._experiments.refused:
                    self._ask(name, crew, tally)
        return self._alone

    def _ask(self, name: str, crew: Workers, tally: Tally) -> None:
        with self._experiments.refusing(name):
            try:
                page = self._experiments.page_of(name, self._experiments.runner)
            except MissingRunsError as missing:
                side_by_side, alone = groups_of(missing.jobs)
                self._left[name] = len(side_by_side)
                if alone:
                    self._alone[name] = alone
                for group in side_by_side:
                    tally.more(len(group))
                    crew.add(group, name)
                return
            self._experiments.finished(page)
