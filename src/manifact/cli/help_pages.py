"""The help of a command whose options depend on the models there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from typer.core import TyperCommand

from manifact.cli import choices, model_defaults
from manifact.cli.options import GraphSettings, ModelParameters

_DESCRIBED: dict[str, Callable[[str], str]] = {
    **{field.name: model_defaults.described for field in fields(ModelParameters)},
    **{field.name: model_defaults.described_of_graph for field in fields(GraphSettings)},
}
#: Always given, or told by its own help: it depends on the data.
_OWN_WORDS = ("random_state", "metric")


class ModelsCommand(TyperCommand):
    """A command that looks up the names and defaults of its options when its help is asked for, and not before."""

    def look_up(self) -> None:
        """Fill in what options may be and what they are by default."""
        for parameter in self.params:
            name = str(parameter.name)
            if names := choices.names(name):
                parameter.metavar = "|".join(names)
            if name in _DESCRIBED and name not in _OWN_WORDS:
                text = _DESCRIBED[name](name)
                known = (getattr(parameter, "help", None) or "").removesuffix(text).strip()
                parameter.help = f"{known} {text}".strip()  # type: ignore[attr-defined]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        self.look_up()
        super().format_help(ctx, formatter)
