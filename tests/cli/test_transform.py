"""V on standard output and as JSON."""

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_fit import QUICK, run


@pytest.fixture
def model(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("fit", make("txt"), *QUICK, "-q", "-o", "m.safetensors")
    Path("new.txt").write_text("cat dog\n\nhammer saw\n")
    return "m.safetensors"


def test_every_way_out_has_the_same_numbers(model):
    run("transform", model, "new.txt", "-o", "V.npy", "-q")
    V = np.load("V.npy")
    for options in ((), ("-o", "-"), ("-q",)):
        result = run("transform", model, "new.txt", *options)
        assert ("note: 1 of 3 lines is blank" in result.stderr) == (options != ("-q",))
        header, *rows = csv.reader(StringIO(result.stdout))
        assert header == ["name", "part0", "part1"]
        assert [row[0] for row in rows] == ["1", "3"]
        np.testing.assert_array_equal(np.array([row[1:] for row in rows], dtype=float), V)
    shown = json.loads(run("transform", model, "new.txt", "--json").stdout)
    assert [row["name"] for row in shown] == ["1", "3"]
    np.testing.assert_array_equal([row["parts"] for row in shown], V)


def test_what_has_no_word_is_zero_and_ends_with_one(model):
    Path("new.txt").write_text("cat dog\nzzz\n")
    result = run("transform", model, "new.txt", code=1)
    assert result.stdout.splitlines()[2] == "2,0.0,0.0"
    assert "1 of 2 samples have no word that is known" in result.stderr


def test_nothing_is_printed_if_it_is_written(model):
    result = run("transform", model, "new.txt", "-o", "V.csv", "-q")
    assert result.stdout == ""
    assert Path("V.csv").read_text() == run("transform", model, "new.txt").stdout
