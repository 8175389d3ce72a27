"""The command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from manifact.experiments.bench import SECTIONS

app = typer.Typer(
    help="Non-negative matrix factorisation that respects the geometry of the data.",
    pretty_exceptions_show_locals=False,
)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        from manifact import __version__

        typer.echo(f"manifact {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@contextmanager
def _told(*refusals: type[Exception]) -> Iterator[None]:
    """Tell what is refused or interrupted in one sentence, and end with the exit code that scripts expect."""
    try:
        yield
    except refusals as refusal:
        typer.echo(refusal, err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt as interrupt:
        typer.echo(str(interrupt) or "interrupted", err=True)
        raise typer.Exit(130) from None


@app.command()
def demo() -> None:
    """Cluster handwritten digits and Python's own documentation with every model; needs no network."""
    from manifact.demo import run

    run()


@app.command()
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
    from manifact.experiments.bench import command

    with _told(command.RefusedError):
        command.bench(only or (), data, repeats, quick, results)


@app.command()
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
    from manifact.experiments.reproduce import command

    with _told(command.RefusedError):
        if names:
            command.reproduce(names, quick, jobs, results, cache)
        else:
            command.show_names()


@app.command()
def data(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Data sets to download, or all. Default: list them.")
    ] = None,
    home: Annotated[Path | None, typer.Option(help="The data home. Default: $MANIFACT_DATA or a user cache.")] = None,
) -> None:
    """List the papers' data sets and where they are, or download them."""
    from manifact.datasets import command

    with _told(ValueError, ImportError, OSError):
        done = command.get(names, home) if names else command.show(home)
    raise typer.Exit(0 if done else 1)


def main() -> None:
    """Entry point of the ``manifact`` command."""
    app()
