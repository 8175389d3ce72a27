"""``manifact reproduce``: one experiment or all of them, from data files to pages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from manifact.backends import threads
from manifact.datasets.home import user_cache
from manifact.experiments.reproduce import experiment_files, kept_runs, what_holds
from manifact.experiments.reproduce.comparison_page import Page, Rows, Runs
from manifact.experiments.reproduce.job_runner import Runner, StoredRunner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.many_experiments import Experiments, RefusedError
from manifact.experiments.reproduce.page_index import foreign, write_index
from manifact.experiments.reproduce.svg_charts import MissingMatplotlibError
from manifact.utils import checks
from manifact.utils.files import writable
from manifact.utils.progress import showing

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def reproduce(
    names: Sequence[str],
    quick: bool = False,
    jobs: int | None = None,
    results: str | os.PathLike[str] = "results/reproduce",
    cache: str | os.PathLike[str] | None = None,
    console: Console | None = None,
) -> None:
    """Run the experiments and write their pages; ``names`` may be "all".

    One whose data are not here does not keep the others from being run: it is refused at the end. Runs that lie beside
    the pages, and which this code did, are not done again.
    """
    chosen = _chosen(names)
    folder = _own_folder(Path(results) / "quick" if quick else Path(results))
    console = console or Console()
    runner = StoredRunner(_store(cache))
    for name in chosen:
        kept_runs.adopt(folder, name, runner.store)

    def written(page: Page) -> None:
        file = page.write(folder)
        write_index(folder)
        console.print(Markdown(page.markdown()) if console.is_terminal else page.title, markup=False)
        console.print(str(file), highlight=False, soft_wrap=True, markup=False)

    every = Experiments(runner, partial(make_page, quick=quick, kept=folder), written)
    with showing(console.is_terminal):
        try:
            every.run(chosen, jobs or threads.count())
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"interrupted: what is done is kept in {runner.store.folder}, the same command goes on there"
            ) from None
    with every.refusing(what_holds.NAME):  # there may be pages of another version
        if (over_all := what_holds.page(folder)) is not None:
            console.print(str(over_all.write(folder)), highlight=False, soft_wrap=True, markup=False)
            write_index(folder)
    if every.refused:
        raise RefusedError("\n".join(every.refused.values()))


def show_names(console: Console | None = None) -> None:
    """Print every experiment with its title."""
    console = console or Console()
    table = Table("name", "what", box=None)
    for name in experiment_files.names():
        table.add_row(name, experiment_files.load(name).title)
    console.print(table)


def make_page(name: str, runner: Runner, quick: bool = False, kept: Path | None = None) -> Page:
    """The page of one experiment, with the warnings of its runs at the end, and where these come from.

    The runs are put into the folder ``kept``, where there is one, for whoever gets the page.
    """
    experiment = experiment_files.load(name, quick)
    runner = runner.for_a_page()
    kind = import_module(f"manifact.experiments.reproduce.kinds.{experiment.kind}")
    try:
        page: Page = kind.reproduce(experiment, runner)
    except FileNotFoundError as missing:
        raise RefusedError(f"{name} needs data that are not here: {missing}") from missing
    except MissingMatplotlibError as missing:
        raise RefusedError(f"{name}: {missing}") from missing
    warned = [warnings_table(runner.warned)] if runner.warned else []
    if kept is not None:
        kept_runs.keep(kept, name, runner.done.values(), runner.store)
    return replace(page, blocks=[*page.blocks, *warned], runs=Runs.of(runner.days))


def warnings_table(warned: Mapping[tuple[str, str], Iterable[str]]) -> Rows:
    """Method, warning and number of runs; ``warned`` has the runs by method and text."""
    alike: dict[tuple[str, str], tuple[str, set[str]]] = {}
    for (method, text), runs in sorted(warned.items()):
        alike.setdefault((method, _NUMBER.sub("#", text)), (text, set()))[1].update(runs)
    rows = [{"method": method, "warning": text, "runs": len(runs)} for (method, _), (text, runs) in alike.items()]
    note = "The number of runs that warned so. Of messages that differ only in their numbers, one is shown."
    return Rows("Warnings", rows, note)


def default_cache() -> Path:
    """The folder where results of single runs are kept."""
    return user_cache() / "runs"


def _chosen(names: Sequence[str]) -> list[str]:
    known = experiment_files.names()
    for name in names:
        try:
            checks.option("NAME", name, [*known, "all"])
        except ValueError as error:
            raise RefusedError(str(error)) from error
    return known if "all" in names else list(dict.fromkeys(names))


def _store(cache: str | os.PathLike[str] | None) -> Store:
    try:
        return Store(writable("--cache", Path(cache) if cache else default_cache()))
    except ValueError as error:
        raise RefusedError(str(error)) from error


def _own_folder(folder: Path) -> Path:
    """The folder for the pages, before any work is done: it can be written, and its list of pages is ours."""
    try:
        writable("--results", folder)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    theirs = foreign(folder)
    if theirs is not None:
        raise RefusedError(f"--results={str(folder)!r} has a {theirs.name} that is not ours: give another folder")
    return folder
