"""``manifact info``: what a model file holds."""

from __future__ import annotations

import typer

from manifact.cli import summary
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence
from manifact.cli.options import JsonOption, ModelArgument
from manifact.cli.printed_lines import say
from manifact.cli.standard_input import check_there


def info(context: typer.Context, model: ModelArgument, json: JsonOption = False) -> None:
    """Show what a model file holds."""
    with errors_in_one_sentence(context, *REFUSALS):
        check_there(model=model)
        import manifact

        found = summary.of(manifact.load(model), None, {"model": model})
    say(found.json()) if json else found.show()
