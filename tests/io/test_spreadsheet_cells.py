import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifact.io.readers import read
from manifact.io.spreadsheet_cells import protected, unprotected
from manifact.io.writers import write_labels, write_matrix

FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "'=1",
    "''-x",
    "plain",
    "'tis",
    "-5",
    "+2e3",
]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_no_cell_of_a_table_is_a_formula(tmp_path, ending):
    file = tmp_path / f"x.{ending}"
    write_matrix(file, np.ones((len(FORMULAS), 2)), FORMULAS, ["=a", "-b"])
    with file.open(newline="") as content:
        rows = list(csv.reader(content, delimiter="\t" if ending == "tsv" else ","))
    cells = [cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r")]
    assert cells == ["-5", "+2e3"], "numbers stay numbers"
    found = read(file)
    assert (found.names, found.feature_names) == (FORMULAS, ["=a", "-b"])
    write_labels(file, np.arange(len(FORMULAS)), FORMULAS, FORMULAS)
    assert read(file, label="words", name="name").names == FORMULAS
    assert read(file, kind="documents", text="cluster", name="name").names == FORMULAS


def test_a_record_and_an_array_hold_names_as_they_are(tmp_path):
    write_labels(tmp_path / "x.jsonl", np.arange(2), ["=a", "b"])
    assert '"=a"' in (tmp_path / "x.jsonl").read_text()
    write_matrix(tmp_path / "x.npz", np.ones((2, 2)), ["=a", "b"])
    assert read(tmp_path / "x.npz").names == ["=a", "b"]


@given(st.text(alphabet="'=+-@\t\r1a "))
def test_every_name_comes_back(name):
    assert unprotected(protected(name)) == name or protected(name) == name


@given(st.lists(st.text(alphabet="'=+-@1a").filter(lambda name: name.strip()), unique=True))
def test_names_that_differ_stay_different(names):
    written = [protected(name) for name in names]
    assert len(set(written)) == len(written)
