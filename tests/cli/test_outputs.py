"""Rows that were left out stay in their places, whatever is written."""

import csv
import json

import numpy as np
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

import manifact
from manifact.cli import app
from manifact.cli.outputs import with_left_out

HOLES = [3, 7, 20]


@pytest.fixture
def messy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = load_wine(as_frame=True).data
    frame.loc[HOLES, "ash"] = np.nan
    frame["note"] = ["so so", "good one"] * 89
    frame.to_csv("w.csv", index=False)
    return frame


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def rows(file):
    with open(file, newline="") as stream:
        return list(csv.DictReader(stream))


def test_places():
    labels, names = with_left_out([5, 6], ["b", "d"], [0, 2], ["a", "c"])
    assert (labels.tolist(), names) == ([-1, 5, -1, 6], ["a", "b", "c", "d"])
    V, names = with_left_out(np.ones((2, 3)), None, [1], ["x"])
    assert (V.tolist(), names) == ([[1, 1, 1], [0, 0, 0], [1, 1, 1]], ["0", "x", "1"])
    assert with_left_out([1, 2], None, (), ())[1] is None


def test_clusters_predict_and_transform_agree_on_rows_that_were_left_out(messy):
    told = run("fit", "w.csv", "-k", 3, "--drop", "note", "--missing", "drop", "--clusters", "c.csv").stdout
    assert "3 of 178 rows are left out for 3 missing values in column 'ash'" in " ".join(told.split())
    written = rows("c.csv")
    assert [row["name"] for row in written] == [str(i) for i in range(178)]
    assert [i for i, row in enumerate(written) if row["cluster"] == ""] == HOLES
    own = json.loads(run("predict", "w.safetensors", "--json", code=1).stdout)
    assert [row["cluster"] for row in own] == [int(row["cluster"]) if row["cluster"] else None for row in written]
    new = json.loads(run("predict", "w.safetensors", "w.csv", "--json", code=1).stdout)
    assert [row["name"] for row in new] == [row["name"] for row in written]
    assert sum(a["cluster"] == b["cluster"] for a, b in zip(own, new, strict=True)) >= 176
    run("transform", "w.safetensors", "w.csv", "-o", "V.csv", "-q", code=1)
    V = np.array([[float(row[f"part{i}"]) for i in range(3)] for row in rows("V.csv")])
    assert np.flatnonzero(~V.any(axis=1)).tolist() == HOLES
    assert [row["name"] for row in rows("V.csv")] == [row["name"] for row in written]
    assert manifact.io.read("V.csv").X.shape == (178, 3), "the column of names is no part"
    run("report", "w.safetensors", "-q")


def test_means_leave_nobody_out(messy):
    run("fit", "w.csv", "-k", 3, "--drop", "note", "--missing", "mean", "-q")
    assert len(manifact.load("w.safetensors").labels_) == 178
    told = run("predict", "w.safetensors", "w.csv", "-o", "c.csv").stderr
    assert "3 missing values in column 'ash' become the mean of the column" in told


def test_new_samples_may_lack_what_training_samples_had(messy):
    messy.drop(columns="note").dropna().to_csv("whole.csv", index=False)
    run("fit", "whole.csv", "-k", 3, "-q")
    assert "--missing='mean'" in run("predict", "whole.safetensors", "w.csv", code=2).stderr
    assert len(run("predict", "whole.safetensors", "w.csv", "--missing", "mean").stdout.splitlines()) == 178
    blank = run("predict", "whole.safetensors", "w.csv", "--missing", "drop", code=1).stdout.splitlines()
    assert [i for i, line in enumerate(blank) if line.split("\t")[1] == ""] == HOLES


def test_another_matrix_of_the_same_rows_follows(messy):
    np.save("e.npy", np.random.default_rng(0).random((178, 4)))
    asked = ["fit", "w.csv", "-k", 3, "--drop", "note", "--missing", "drop", "--graph-from", "e.npy", "-q"]
    run(*asked)
    run("predict", "w.safetensors", "w.csv", "--graph-from", "e.npy", code=1)
