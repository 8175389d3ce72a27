from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer.testing import CliRunner

from manifact.cli.option_groups import given, with_option_groups


def doubled(parameter, text):
    return {parameter: 2 * text}


@dataclass(frozen=True)
class Size:
    height: Annotated[int, typer.Option(help="How tall.", rich_help_panel="Shape")] = 1
    n_columns: Annotated[str | None, typer.Option("--columns", "-c"), doubled] = None
    flat: Annotated[bool, typer.Option("--flat")] = False


@dataclass(frozen=True)
class Place(Size):
    folder: Annotated[Path | None, typer.Option()] = None


def run(function, *arguments, **how):
    app = typer.Typer()
    app.command()(function)
    return CliRunner().invoke(app, arguments, **how)


def test_a_command_has_the_options_of_its_groups():
    seen = []

    @with_option_groups
    def command(*, name: Annotated[str, typer.Argument()], first: Place, verbose: bool = False) -> None:
        """Do it."""
        seen.append((name, first, verbose))

    assert run(command, "a", "--height", "3", "-c", "x", "--folder", "here", "--verbose").exit_code == 0
    assert run(command, "b").exit_code == 0
    assert seen == [("a", Place(3, "x", False, Path("here")), True), ("b", Place(), False)]
    page = run(command, "--help", env={"COLUMNS": "120"}).stdout
    assert "Do it." in page
    assert "Shape" in page
    assert "How tall." in page
    assert "[default: 1]" in page
    assert "--first" not in page


def test_only_what_was_used_is_given_and_is_read():
    assert given(Size()) == {"height": 1}
    assert given(Place(2, "ab", True)) == {"height": 2, "n_columns": {"n_columns": "abab"}, "flat": True}


def test_a_group_whose_name_is_one_of_its_options():
    seen = []

    @with_option_groups
    def command(*, height: Size) -> None:
        seen.append(height)

    assert run(command, "--height", "5").exit_code == 0
    assert seen == [Size(5)]
