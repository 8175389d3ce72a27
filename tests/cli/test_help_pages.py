import re

import pytest
import typer
from typer.testing import CliRunner

from manifact.cli import app

runner = CliRunner()
ROOT = typer.main.get_command(app)
PAGES = [[], *([name] for name in ROOT.commands)]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page[0] if page else "manifact")


def shown(page: list[str], columns: int = 200) -> str:
    result = runner.invoke(app, [*page, "--help"], env={"COLUMNS": str(columns), "TERMINAL_WIDTH": str(columns)})
    assert result.exit_code == 0
    return result.stdout


def flags(page: list[str]) -> list[str]:
    command = ROOT.commands[page[0]] if page else ROOT
    context = command.make_context("manifact", [], resilient_parsing=True)
    return [
        parameter.opts[0]
        for parameter in command.get_params(context)
        if parameter.param_type_name == "option" and parameter.is_flag
    ]


@each_page
def test_flags_take_nothing(page):
    text = shown(page)
    assert "--help" in flags(page)
    for flag in flags(page):
        (line,) = re.findall(rf"^│ +(?:\*? +)?{flag}[ ,].*$", text, re.MULTILINE)
        names_and_type = re.split(r"  +(?=[A-Z][a-z]|A )", line.strip("│ "))[0]
        assert all(word.startswith("-") for word in names_and_type.split()), line


@each_page
def test_types_are_in_plain_words(page):
    text = shown(page)
    assert not re.search(r"<\w|\bBOOLEAN\b|\bINTEGER\b|\bFLOAT\b|list\[", text)
    assert "[default:" not in text


def test_every_option_says_what_it_does():
    for page in PAGES:
        command = ROOT.commands[page[0]] if page else ROOT
        for parameter in command.params:
            assert re.search(r"[a-zλ]{2}", re.sub(r"Default: .*", "", parameter.help or "")), (page, parameter.name)


def test_what_everybody_needs_comes_first():
    panels = re.findall(r"^╭─ (.+?) ─", shown(["fit"]), re.MULTILINE)
    assert panels[:4] == ["Arguments", "Options", "Output", "Reading the data"]
    assert panels[-2:] == ["The graph", "The model in detail"]


@pytest.mark.parametrize("columns", [80, 100])
def test_names_of_models_and_starts_are_not_broken(columns):
    text = shown(["fit"], columns)
    for name in ("spnmf", "nndsvda", "spectral", "simplex", "argmax"):
        assert re.search(rf"\b{name}\b", text), name
    assert "auto|auto" not in text
    assert "auto, auto" not in text


def test_help_twice_says_everything_once():
    command = ROOT.commands["fit"]
    for _ in range(2):
        command.look_up()
        texts = [
            parameter.help for parameter in command.get_params(command.make_context("f", [], resilient_parsing=True))
        ]
    assert max(text.count("Default: ") for text in texts if text) == 1
    assert max(text.count("One of ") for text in texts if text) == 1
