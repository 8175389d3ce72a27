"""``.. commandline::`` writes the help of every command into the page, so that it says what the program says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PROGRAM = "manifact"


class CommandLine(SphinxDirective):
    """A section for each command, with its usage, its help and its options."""

    def run(self) -> list[nodes.Node]:
        """The sections, in the order in which ``manifact --help`` lists the commands."""
        import typer

        from manifact.cli import app
        from manifact.cli.help_pages import ModelsCommand

        root = typer.main.get_command(app)
        for command in root.commands.values():
            if isinstance(command, ModelsCommand):
                command.look_up()
        return [section(name, command) for name, command in root.commands.items() if not command.hidden]


def section(name: str, command: Any) -> nodes.section:
    """What ``manifact NAME --help`` says."""
    context = command.make_context(f"{PROGRAM} {name}", [], resilient_parsing=True)
    node = nodes.section("", nodes.title("", "", nodes.literal("", f"{PROGRAM} {name}")), ids=[f"{PROGRAM}-{name}"])
    node["names"] = [f"{PROGRAM}-{name}"]
    node += [nodes.paragraph("", "", *inline(text)) for text in paragraphs(command.help or "")]
    usage = re.sub(r"\s+", " ", command.get_usage(context)).removeprefix("Usage: ")
    node += nodes.literal_block(usage, usage, language="text")
    for panel, records in panels(command, context).items():
        node += nodes.rubric("", panel)
        node += nodes.definition_list("", *map(definition, records), classes=["options"])
    node += [nodes.paragraph("", "", *inline(text)) for text in paragraphs(command.epilog or "")]
    return node


def panels(command: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    """Names and help of arguments and options under the titles that the program groups them by."""
    found: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and parameter.name != "help":
            title = "Arguments" if parameter.param_type_name == "argument" else "Options"
            found.setdefault(getattr(parameter, "rich_help_panel", None) or title, []).append(record)
    return found


def definition(record: tuple[str, str]) -> nodes.definition_list_item:
    """An option and what it does."""
    names, text = record
    term = nodes.term("", "", nodes.literal("", names))
    return nodes.definition_list_item("", term, nodes.definition("", nodes.paragraph("", "", *inline(text))))


def paragraphs(text: str) -> list[str]:
    """The help without its line breaks."""
    return [re.sub(r"\s+", " ", part).strip() for part in re.split(r"\n\s*\n|\f|\b\x08", text) if part.strip()]


def inline(text: str) -> Iterator[nodes.Node]:
    """Text in which what stands in backquotes is code."""
    for position, part in enumerate(re.split(r"`+", text)):
        if part:
            yield nodes.literal("", part) if position % 2 else nodes.Text(part)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("commandline", CommandLine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
