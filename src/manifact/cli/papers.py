"""Commands for the papers' experiments, their data, and measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manifact.cli.telling import told
from manifact.experiments.bench import SECTIONS


def bench(
    only: Annotated[
        list[str] | None, typer.Option(help=f"A section to run, may be repeated: {', '.join(SECTIONS)}. Default: all.")
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="A data set of the data home. Default: documents in the shape of TDT2.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Turns of each method. Default: 5, or 3 with --quick.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Less of everything: minutes, not hours.")] = False,
    results: Annotated[Path, typer.Option(help="Folder for the tables.")] = Path("results"),
) -> None:
    """Measure speed and memory beside other packages, in turns, and write the tables."""
    from manifact.experiments.bench import run_benchmarks

    with told(run_benchmarks.RefusedError):
        run_benchmarks.bench(only or (), data, repeats, quick, results)


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Experiments by name, or all. Default: list them.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A faithful subset: minutes, not hours.")] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs at once. Default: one on each core.")] = None,
    results: Annotated[Path, typer.Option(help="Folder for the pages; quick ones go to a folder in it.")] = Path(
        "results/reproduce"
    ),
    cache: Annotated[
        Path | None, typer.Option(help="Folder for finished runs. Default: manifact/runs in the user's cache.")
    ] = None,
) -> None:
    """Run the papers' tables and figures again and set their numbers beside ours.

    Finished runs are kept: an interrupted command goes on where it stopped and gives the same numbers.
    """
    from manifact.experiments.reproduce import reproduce_papers

    with told(reproduce_papers.RefusedError):
        if names:
            reproduce_papers.reproduce(names, quick, jobs, results, cache)
        else:
            reproduce_papers.show_names()


def data(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Data sets to download, or all. Default: list them.")
    ] = None,
    home: Annotated[Path | None, typer.Option(help="The data home. Default: $MANIFACT_DATA or a user cache.")] = None,
) -> None:
    """List the papers' data sets and where they are, or download them."""
    from manifact.datasets import command

    with told(ValueError, ImportError, OSError):
        done = command.get(names, home) if names else command.show(home)
    raise typer.Exit(0 if done else 1)
