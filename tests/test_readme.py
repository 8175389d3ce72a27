"""What the README says is what is there."""

from pathlib import Path

from benchmarks.readme import filled

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def test_its_numbers_come_from_results():
    assert filled(README) == README


def test_continuous_integration_runs_its_test_command():
    command = next(line for line in README.splitlines() if line.endswith("-m pytest"))
    assert command in (ROOT / ".ci" / "run").read_text().splitlines()
