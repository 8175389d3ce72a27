"""Help pages in plain words: what options take, in which order they stand, and what depends on the models there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup

from manifact.cli import choices, model_defaults
from manifact.cli.help_headings import DETAILS, GRAPH, IMAGES, OUT, READ, TEXT
from manifact.cli.options import GraphSettings, ModelParameters, NeighborSettings
from manifact.utils.terminal_text import printable

#: Panels from what everybody needs to what few do; others stand before the graph's.
_FIRST, _LAST = (None, OUT, READ, TEXT, IMAGES), (GRAPH, DETAILS)
#: What Typer calls the type of an option, and what it is called on our pages.
_WORDS = {"int": "N", "float": "NUMBER", "str": "NAME", "text": "NAME", "path": "PATH"}
_OF_MODELS: dict[str, Callable[[str], str]] = {
    **{field.name: model_defaults.described for field in fields(ModelParameters)},
    **{field.name: model_defaults.described_of_graph for field in fields(GraphSettings)},
}
_OF_THE_GRAPH: dict[str, Callable[[str], str]] = {
    field.name: lambda name: model_defaults.described_of_graph(name, "affinity") for field in fields(NeighborSettings)
}
#: Always given, or told by its own help: it depends on the data.
_OWN_WORDS = ("random_state", "metric")
#: Names that are listed in the help of an option rather than beside it, where they would be broken anywhere.
_LONG = 30


@contextmanager
def _quoted_safely() -> Iterator[None]:
    """A refusal inside the block quotes arguments, where a shell may have put names of files."""
    try:
        yield
    except Exception as refused:  # Typer has a class for them, and which one depends on its version
        if isinstance(getattr(refused, "message", None), str):
            refused.message = printable(refused.message)  # type: ignore[attr-defined]
        raise


class _PlainHelp:
    """What every page has."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for parameter in self.params:  # type: ignore[attr-defined]
            _say_default(parameter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What is left of the arguments."""
        with _quoted_safely():
            found: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        return found

    def get_params(self, ctx: Any) -> list[Any]:
        """Arguments and options, in plain words and in order."""
        found = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            _reword(parameter, ctx)
        return sorted(found, key=_place)


class HelpGroup(_PlainHelp, TyperGroup):
    """The program."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first argument names."""
        with _quoted_safely():
            return super().resolve_command(ctx, args)


class HelpCommand(_PlainHelp, TyperCommand):
    """A command."""


class ModelsCommand(HelpCommand):
    """A command that looks up the names and defaults of its options when its help is asked for, and not before."""

    described: ClassVar[Mapping[str, Callable[[str], str]]] = _OF_MODELS

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        #: What options say without what is looked up.
        self._own_help = {str(parameter.name): getattr(parameter, "help", None) or "" for parameter in self.params}

    def look_up(self) -> None:
        """Fill in what options may be and what they are by default."""
        for parameter in self.params:
            name = str(parameter.name)
            told = self._own_help[name]
            if names := choices.names(name):
                parameter.metavar = "|".join(names)
                if len(parameter.metavar) > _LONG:
                    parameter.metavar = "NAME"
                    told += f" One of {', '.join(names)}."
            if name in self.described and name not in _OWN_WORDS:
                told += f" {self.described[name](name)}"
            parameter.help = told.strip()  # type: ignore[attr-defined]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        self.look_up()
        super().format_help(ctx, formatter)


class GraphCommand(ModelsCommand):
    """A command that has the options of a graph and no models."""

    described: ClassVar[Mapping[str, Callable[[str], str]]] = _OF_THE_GRAPH


def _reword(parameter: Any, ctx: Any) -> None:
    """What a parameter takes, as people say it."""
    if parameter.param_type_name == "argument":
        # Its help says what it is; Typer would add "<path>".
        parameter.display_type_rich = lambda ctx: None
        return
    if getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    elif parameter.metavar is None:
        parameter.metavar = _word_for(parameter, ctx)


def _say_default(parameter: Any) -> None:
    """A default in the words that all others have, instead of Typer's."""
    flag = getattr(parameter, "is_flag", False)
    if parameter.param_type_name == "option" and not flag and parameter.show_default and parameter.default is not None:
        parameter.help = f"{parameter.help or ''} Default: {parameter.default}.".strip()
        parameter.show_default = False


def _word_for(parameter: Any, ctx: Any) -> str | None:
    shown = getattr(parameter, "display_type", None) or parameter.make_metavar
    told = str(shown(ctx)).strip("<>[]").removeprefix("list[")
    if "|" in told:
        return told
    return next((word for kind, word in _WORDS.items() if told.lower().startswith(kind)), None)


def _place(parameter: Any) -> tuple[int, int]:
    panel = getattr(parameter, "rich_help_panel", None)
    if panel in _FIRST:
        return 0, _FIRST.index(panel)
    return (2, _LAST.index(panel)) if panel in _LAST else (1, 0)
