"""The command line."""

from __future__ import annotations

from typing import Annotated

import typer

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


@app.command()
def demo() -> None:
    """Cluster handwritten digits and Python's own documentation with every model; needs no network."""
    from manifact.demo import run

    run()


def main() -> None:
    """Entry point of the ``manifact`` command."""
    app()
