from typer.testing import CliRunner

from manifact import __version__
from manifact.cli import app

runner = CliRunner()


def test_version():
    assert runner.invoke(app, ["--version"]).stdout == f"manifact {__version__}\n"


def test_help_lists_the_commands():
    for arguments in ([], ["--help"]):
        result = runner.invoke(app, arguments)
        assert result.exit_code == 0
        assert "demo" in result.stdout
