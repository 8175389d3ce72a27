"""``manifact reproduce``: the papers' tables and figures, run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manifact.cli.exit_codes import errors_in_one_sentence


def reproduce(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Experiments by name, or all. Default: list them.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every experiment.")] = False,
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

    Finished runs are kept: an interrupted command goes on where it stopped and gives the same numbers. Pages are
    written as soon as their runs are done; the last one, what-holds, says what came out of every claim of the papers.
    """
    from manifact.experiments.reproduce import reproduce_papers

    with errors_in_one_sentence(context, reproduce_papers.RefusedError):
        if names or every:
            reproduce_papers.reproduce(["all"] if every else names or [], quick, jobs, results, cache)
        else:
            reproduce_papers.show_names()
