"""Cells of any length are looked at once: time grows with them, and not with their square."""

import subprocess
import sys

import pytest

from manifact.io.readers.delimited_cells import has_decimal_comma, has_point, is_number, may_be_thousands

LONG = 400_000
#: Cells that nearly are a number, in every way of writing.
NEARLY = ["1" * LONG + "x", " " * LONG + "x", "1." + "1" * LONG + "x", "1,111" * LONG, "1e" * LONG, ".5" * LONG]


def test_a_long_cell_takes_no_longer_than_it_is():
    """A minute was not enough for a tenth of one of them: in a process of its own, this would not end."""
    program = (
        "import sys; from manifact.io.readers.column_problems import kind_of; from manifact.io.readers.delimited_cells "
        "import is_text; print(*(kind_of(cell) and is_text(cell) for cell in sys.stdin.read().split('|')))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input="|".join(NEARLY), capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["True"] * len(NEARLY)


@pytest.mark.parametrize("cell", ["1", "-1.5", ".5", "1.", "+1e5", "1.5E-3", " 2 "])
def test_numbers(cell):
    assert is_number(cell)
    assert has_point(cell) == ("." in cell)


@pytest.mark.parametrize("cell", ["", ".", "e5", "1e", "1.5.2", "--1", "1 2", "0x1", "١"])
def test_what_are_no_numbers(cell):
    assert not any(judge(cell) for judge in (is_number, has_decimal_comma, may_be_thousands))
