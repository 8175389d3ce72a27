"""``manifact bench``: speed and memory beside other packages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manifact.cli.exit_codes import errors_in_one_sentence
from manifact.experiments.bench import SECTIONS


def bench(
    context: typer.Context,
    only: Annotated[
        list[str] | None, typer.Option(help=f"A section to run, may be repeated: {', '.join(SECTIONS)}. Default: all.")
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="A data set of the data home. Default: documents in the shape of TDT2.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Turns of each method. Default: 5, or 3 with --quick.")
    ] = None,
    documents: Annotated[
        int | None,
        typer.Option(
            min=10_000, help="Synthetic documents of streams, of blocks on disk and of clusters. Default: 10^6."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Less of everything: minutes, not hours.")] = False,
    results: Annotated[Path, typer.Option(help="Folder for the tables.")] = Path("results"),
) -> None:
    """Measure speed and memory beside other packages, in turns, and write the tables."""
    from manifact.experiments.bench import run_benchmarks

    with errors_in_one_sentence(context, run_benchmarks.RefusedError):
        run_benchmarks.bench(only or (), data, repeats, quick, results, documents=documents)
