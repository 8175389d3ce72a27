"""The command line."""

from __future__ import annotations

from typing import Annotated

import typer

from manifact.cli import papers, using
from manifact.cli.fitting import fit

app = typer.Typer(
    help=(
        "Find the parts that samples are made of, and the clusters they form: non-negative matrix factorisation that "
        "respects the geometry of the data.\n\n"
        "Start with `manifact demo`, or with data of your own: `manifact fit DATA -k 20`, then `manifact report`."
    ),
    epilog="Exit codes: 0 done, 1 partly done, 2 refused (one sentence says why), 130 interrupted.",
    pretty_exceptions_show_locals=False,
    rich_markup_mode="markdown",
    no_args_is_help=False,
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


for _command in (fit, using.report, using.predict, using.transform, using.info, using.demo):
    app.command(rich_help_panel="With your data")(_command)
for _command in (papers.reproduce, papers.data, papers.bench):
    app.command(rich_help_panel="With the papers' data")(_command)


def main() -> None:
    """Entry point of the ``manifact`` command."""
    app()
