import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from manifact import __version__
from manifact.cli import app

runner = CliRunner()
COMMANDS = ("fit", "select", "report", "predict", "transform", "info", "demo", "reproduce", "data", "bench")
#: Their pages name models and what graphs may be.
LOOKING_UP = ("fit", "select")


def test_version():
    assert runner.invoke(app, ["--version"]).stdout == f"manifact {__version__}\n"


def test_help_lists_the_commands_and_exit_codes():
    for arguments in ([], ["--help"]):
        result = runner.invoke(app, arguments)
        assert result.exit_code == 0
        for command in COMMANDS:
            assert f" {command} " in result.stdout
        assert "130" in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command):
    result = runner.invoke(app, [command, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "Usage" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], *([command, "--help"] for command in COMMANDS if command not in LOOKING_UP)],
)
def test_help_loads_nothing_heavy(arguments):
    code = (
        f"import sys; from manifact.cli import app; app({arguments}, standalone_mode=False);"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'numba') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("manifact tr", "transform"),
        ("manifact fit data.csv --model ln", None),
        ("manifact fit --model lp", "lpnmf"),
        ("manifact fit --graph-weight h", "heat"),
    ],
)
def test_the_shell_completes(typed, offered):
    words = typed.split(" ")
    asked = {"_MANIFACT_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    code = "from manifact.cli import app; app(prog_name='manifact')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | asked)
    assert done.stdout.split() == ([offered] if offered else [])
