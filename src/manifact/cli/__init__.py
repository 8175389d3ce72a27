"""The command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from manifact.cli import bench, data, demo, fit, info, predict, report, reproduce, select, transform
from manifact.cli.examples import epilog
from manifact.cli.help_pages import GraphCommand, HelpCommand, HelpGroup, ModelsCommand

app = typer.Typer(
    help=(
        "Find the parts that samples are made of, and the clusters they form: non-negative matrix factorisation that "
        "respects the geometry of the data.\n\n"
        "Start with `manifact demo`, or with data of your own: `manifact fit DATA`, then `manifact report`."
    ),
    cls=HelpGroup,
    epilog="Exit codes: 0 done, 1 partly done, 2 refused (one sentence says why), 130 interrupted, 143 terminated.",
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


app.command(rich_help_panel="With your data", cls=ModelsCommand, epilog=epilog("fit"))(fit.fit)
app.command(rich_help_panel="With your data", cls=GraphCommand, epilog=epilog("select"))(select.select)
_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "With your data": (report.report, predict.predict, transform.transform, info.info, demo.demo),
    "With the papers' data": (reproduce.reproduce, data.data, bench.bench),
}
for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel, cls=HelpCommand, epilog=epilog(_command.__name__))(_command)


def main() -> None:
    """Entry point of the ``manifact`` command."""
    app()
