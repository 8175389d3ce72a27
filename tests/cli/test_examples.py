import shlex

import pytest
import typer
from typer.testing import CliRunner

from manifact.cli import app
from manifact.cli.examples import EXAMPLES

ROOT = typer.main.get_command(app)
LINES = [line for lines in EXAMPLES.values() for line in lines.values()]


def test_every_command_has_one():
    assert set(EXAMPLES) == set(ROOT.commands)
    for name, lines in EXAMPLES.items():
        assert lines
        assert all(shlex.split(line)[:2] == ["manifact", name] for line in lines.values())


@pytest.mark.parametrize("line", LINES)
def test_the_program_understands_it(line):
    _, name, *typed = shlex.split(line)
    # Options that it does not have and values that it cannot read are refused here.
    ROOT.commands[name].make_context(name, typed)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_its_help_shows_it(name):
    text = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"}).stdout
    assert all(line in text for line in EXAMPLES[name].values())


def test_experiments_and_sets_that_are_named_are_there():
    from manifact.datasets import sources
    from manifact.experiments.reproduce.experiment_files import names

    assert shlex.split(EXAMPLES["reproduce"]["One table, in minutes"])[2] in names()
    assert shlex.split(EXAMPLES["data"]["Download one set"])[2] in sources.SETS
