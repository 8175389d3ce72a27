"""``manifact data``: the papers' data sets, where they are and how they come here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manifact.cli.exit_codes import errors_in_one_sentence

if TYPE_CHECKING:
    from rich.console import Console

    from manifact.datasets.home import Folder
    from manifact.datasets.sources import Entry

ALL = "all"


def data(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Data sets to download, or all. Default: list them.")
    ] = None,
    home: Annotated[Path | None, typer.Option(help="The data home. Default: $MANIFACT_DATA or a user cache.")] = None,
    unverified: Annotated[
        bool, typer.Option("--unverified", help="Also download files whose checksum is not known.")
    ] = False,
) -> None:
    """List the papers' data sets and where they are, or download them."""
    with errors_in_one_sentence(context, ValueError, ImportError, OSError):
        from manifact.utils.terminal_text import safe_console

        if names:
            complete = download(names, home, safe_console(), unverified)
        else:
            complete = True
            show(home, safe_console())
    raise typer.Exit(0 if complete else 1)


@dataclass(frozen=True)
class Row:
    """A data set as a line of a table; ``file`` is where it is here, if it is."""

    name: str
    samples: int
    features: int
    classes: int
    kind: str
    file: Path | None
    source: str

    @property
    def present(self) -> bool:
        """Whether `manifact.datasets.load` finds it."""
        return self.file is not None


@dataclass(frozen=True)
class Download:
    """What became of a download: the file it is in, or one sentence on why there is none."""

    name: str
    file: Path | None
    problem: str | None = None


def rows(home: Folder = None) -> list[Row]:
    """Every data set that `manifact.datasets.load` knows; reads no data."""
    from manifact.datasets import sources

    return [_row(entry, home) for entry in sources.SETS.values()]


def show(home: Folder, console: Console) -> None:
    """Print the table of data sets."""
    from rich.table import Table

    from manifact.datasets.home import data_home

    table = Table("name", "samples", "features", "classes", "kind", "here", box=None)
    for row in rows(home):
        where = row.file.name if row.file else f"no: manifact data {row.name}"
        table.add_row(row.name, *map(str, (row.samples, row.features, row.classes)), row.kind, where)
    console.print(table)
    console.print(f"Data home: {data_home(home)}", highlight=False, soft_wrap=True, markup=False)


def download(names: Iterable[str], home: Folder, console: Console, unverified: bool = False) -> bool:
    """Download the named sets ("all": every one) and print what became of each; whether all of them are here."""
    complete = True
    for outcome in downloads(names, home, console.is_terminal, unverified):
        told = outcome.problem or f"{outcome.name}: {outcome.file}"
        console.print(told, highlight=False, soft_wrap=True, markup=False)
        complete &= outcome.problem is None
    return complete


def downloads(
    names: Iterable[str], home: Folder = None, progress: bool = True, unverified: bool = False
) -> list[Download]:
    """The outcome for each name; one that fails does not keep the others from coming."""
    from manifact.datasets import sources
    from manifact.utils import checks

    names = list(names)
    for name in names:
        checks.option("NAME", name, [*sources.SETS, ALL])
    return [_download(name, home, progress, unverified) for name in (sources.SETS if ALL in names else names)]


def _row(entry: Entry, home: Folder) -> Row:
    from manifact.datasets.home import find

    files = find(entry.name, home)
    kind = "{} {} x {}".format(entry.kind, *entry.image_shapes[0]) if entry.image_shapes else entry.kind
    source = entry.sources[0][0].address if entry.sources else entry.page
    file = files[0] if files else None
    return Row(entry.name, entry.n_samples, entry.n_features, entry.n_classes, kind, file, source)


def _download(name: str, home: Folder, progress: bool, unverified: bool) -> Download:
    from manifact.datasets.fetching import fetch
    from manifact.datasets.home import find

    try:
        fetch(name, home, progress, unverified=unverified)
    except (OSError, ValueError) as problem:
        return Download(name, None, str(problem))
    return Download(name, find(name, home)[0])
