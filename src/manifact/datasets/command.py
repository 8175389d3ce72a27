"""What the command line tells about the data sets, and does with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from manifact.datasets.fetching import fetch
from manifact.datasets.home import Folder, data_home, find
from manifact.datasets.sources import NAMES, SETS, Entry
from manifact.utils import checks


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
class Outcome:
    """What became of a download: the file it is in, or one sentence on why there is none."""

    name: str
    file: Path | None
    problem: str | None = None


def describe(home: Folder = None) -> list[Row]:
    """Every data set that `manifact.datasets.load` knows; reads no data."""
    return [_row(entry, home) for entry in SETS.values()]


def fetch_many(names: Iterable[str] = NAMES, home: Folder = None, progress: bool = True) -> list[Outcome]:
    """The outcome for each name; one that fails does not keep the others from coming."""
    names = list(names)
    for name in names:
        checks.option("name", name, SETS)
    return [_outcome(name, home, progress) for name in names]


def show(home: Folder = None, console: Console | None = None) -> bool:
    """Print the table of data sets; true."""
    table = Table("name", "samples", "features", "classes", "kind", "here", box=None)
    for row in describe(home):
        where = row.file.name if row.file else f"no: manifact data {row.name}"
        table.add_row(row.name, *map(str, (row.samples, row.features, row.classes)), row.kind, where)
    console = console or Console()
    console.print(table)
    console.print(f"Data home: {data_home(home)}", highlight=False, soft_wrap=True, markup=False)
    return True


def get(names: Iterable[str], home: Folder = None, console: Console | None = None) -> bool:
    """Download the named sets ("all": every one) and print what became of each; whether all of them are here."""
    names = list(names)
    for name in names:
        checks.option("NAME", name, [*NAMES, "all"])
    console = console or Console()
    outcomes = fetch_many(NAMES if "all" in names else names, home, progress=console.is_terminal)
    for outcome in outcomes:
        told = outcome.problem or f"{outcome.name}: {outcome.file}"
        console.print(told, highlight=False, soft_wrap=True, markup=False)
    return all(outcome.problem is None for outcome in outcomes)


def _row(entry: Entry, home: Folder) -> Row:
    files = find(entry.name, home)
    kind = "{} {} x {}".format(entry.kind, *entry.image_shapes[0]) if entry.image_shapes else entry.kind
    source = entry.sources[0][0].address if entry.sources else entry.page
    file = files[0] if files else None
    return Row(entry.name, entry.n_samples, entry.n_features, entry.n_classes, kind, file, source)


def _outcome(name: str, home: Folder, progress: bool) -> Outcome:
    try:
        fetch(name, home, progress)
    except (OSError, ValueError) as problem:
        return Outcome(name, None, str(problem))
    return Outcome(name, find(name, home)[0])
