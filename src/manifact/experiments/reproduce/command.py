"""``manifact reproduce``: one experiment or all of them, from data files to pages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from manifact import checks
from manifact.backends import threads
from manifact.datasets.home import user_cache
from manifact.experiments.reproduce import spec
from manifact.experiments.reproduce.draw import MissingMatplotlibError
from manifact.experiments.reproduce.index import write_index
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.page import Page
from manifact.experiments.reproduce.setting import Setting


class RefusedError(Exception):
    """What cannot be done as asked, in one sentence."""


def reproduce(
    names: Sequence[str],
    quick: bool = False,
    jobs: int | None = None,
    results: str | os.PathLike[str] = "results/reproduce",
    cache: str | os.PathLike[str] | None = None,
    console: Console | None = None,
) -> None:
    """Run the experiments and write their pages; ``names`` may be "all"."""
    console = console or Console()
    setting = Setting(
        Store(Path(cache) if cache else default_cache()), jobs or threads.count(), show=console.is_terminal
    )
    folder = Path(results) / "quick" if quick else Path(results)
    for name in _chosen(names):
        page = make_page(name, quick, setting)
        written = page.write(folder)
        write_index(folder)
        console.print(Markdown(page.markdown()) if console.is_terminal else page.title)
        console.print(f"{written}", highlight=False, soft_wrap=True)


def show_names(console: Console | None = None) -> None:
    """Print every experiment with its title."""
    console = console or Console()
    table = Table("name", "what", box=None)
    for name in spec.names():
        table.add_row(name, spec.load(name).title)
    console.print(table)


def make_page(name: str, quick: bool, setting: Setting) -> Page:
    """The page of one experiment."""
    experiment = spec.load(name, quick)
    kind = import_module(f"manifact.experiments.reproduce.kinds.{experiment.kind}")
    try:
        page: Page = kind.reproduce(experiment, setting)
    except FileNotFoundError as missing:
        raise RefusedError(f"{name} needs data that are not here: {missing}") from missing
    except MissingMatplotlibError as missing:
        raise RefusedError(f"{name}: {missing}") from missing
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted in {name}: what is done is kept in {setting.store.folder}, the same command goes on there"
        ) from None
    return page


def default_cache() -> Path:
    """The folder where results of single runs are kept."""
    return user_cache() / "runs"


def _chosen(names: Sequence[str]) -> list[str]:
    known = spec.names()
    if not names or "all" in names:
        return known
    for name in names:
        try:
            checks.option("NAME", name, [*known, "all"])
        except ValueError as error:
            raise RefusedError(str(error)) from error
    return list(dict.fromkeys(names))
