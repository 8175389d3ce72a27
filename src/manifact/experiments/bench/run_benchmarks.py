"""Sections one after another: shown while they run, printed and written as soon as they are done."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from manifact.datasets import NAMES
from manifact.experiments.bench import SECTIONS
from manifact.experiments.bench.benchmark_samples import Samples, prepared
from manifact.experiments.bench.benchmark_settings import QUICK, Scale, Setting, UnavailableError
from manifact.experiments.result_tables import formatted, write
from manifact.models.collapse import CollapseWarning
from manifact.utils import checks
from manifact.utils.files import writable

REPEATS = 5
QUICK_REPEATS = 3


class RefusedError(Exception):
    """An option that cannot be followed, in one sentence, before anything is measured."""


def bench(
    only: Sequence[str] = (),
    data: str | None = None,
    repeats: int | None = None,
    quick: bool = False,
    results: str | os.PathLike[str] = "results",
    console: Console | None = None,
    documents: int | None = None,
) -> None:
    """Measure the sections (all of them by default) and write ``bench-<section>`` files."""
    try:
        for name in only:
            checks.option("--only", name, SECTIONS)
        samples = _samples(data)
        folder = writable("--results", Path(results))
    except (ValueError, FileNotFoundError) as error:
        raise RefusedError(str(error)) from error
    console = console or Console()
    scale = (QUICK if quick else Scale()).of_documents(documents)
    repeats = repeats or (QUICK_REPEATS if quick else REPEATS)
    for name, section in SECTIONS.items():
        if only and name not in only:
            continue
        with console.status(name) as status, warnings.catch_warnings():
            # Time is measured here, with the papers' λ: nobody reads V.
            warnings.simplefilter("ignore", CollapseWarning)
            setting = Setting(samples, repeats, scale, show=status.update)
            try:
                rows, note = import_module(f"manifact.experiments.bench.{section.module}").measure(setting)
            except UnavailableError as reason:
                console.print(f"[bold]{section.title}[/bold]: not measured. {reason}\n", highlight=False)
                continue
            except KeyboardInterrupt:
                raise KeyboardInterrupt(f"interrupted in {name}: the sections before it are in {folder}") from None
            page = write(f"bench-{name}", section.title, note, rows, folder)
        console.print(f"[bold]{section.title}[/bold]", _table(rows), f"{note}\n{page}\n", sep="\n", highlight=False)


def _samples(name: str | None) -> Samples | None:
    if name is None:
        return None
    checks.option("--data", name, NAMES)
    return prepared(name)


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    columns = list(rows[0])
    lines = [columns, *([formatted(row.get(column, "")) for column in columns] for row in rows)]
    if len(columns) > 2 * len(rows):
        # Few rows of many numbers are read from top to bottom.
        lines = [list(line) for line in zip(*lines, strict=True)]
    table = Table(*lines[0])
    for line in lines[1:]:
        table.add_row(*line)
    return table
