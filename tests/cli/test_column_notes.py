"""What a person is told of a table: copies, codes, constants, far values, values below zero."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

import manifact
from manifact.cli import app, data_notes


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def wine():
    return load_wine(as_frame=True).data


def fit(frame, *asked, code=0, name="w.csv"):
    frame.to_csv(name, index=False)
    result = CliRunner().invoke(app, ["fit", name, "-k", "3", "--json", "--overwrite", *asked])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout) if code == 0 else result.stderr


def test_a_clean_table_has_no_notes(wine):
    shown = fit(wine)
    assert shown["notes"] == []
    assert shown["scaling"] == "each column from its smallest value (0.01) to its largest (1.01)"


def test_parts_of_a_table_name_the_columns_they_have_more_of(wine):
    parts = fit(wine)["top_features"]
    clusters = manifact.load("w.safetensors").labels_
    grower = {int(np.bincount(load_wine().target[clusters == part]).argmax()): part for part in range(3)}
    assert parts[grower[0]][:2] == ["proline", "alcohol"]
    assert parts[grower[1]][:2] == ["od280/od315_of_diluted_wines", "hue"]
    assert parts[grower[2]][:3] == ["nonflavanoid_phenols", "malic_acid", "color_intensity"]
    assert not {"flavanoids", "hue"} & set(parts[grower[2]])


def test_copies(wine):
    shown = fit(pd.concat([wine, wine[:20], wine[:5]]))
    assert shown["notes"] == ["25 of 203 samples are copies of others"]


def test_samples_that_say_nothing_are_no_copies():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])
    assert data_notes.copies(X) == ["1 of 4 samples is a copy of another"]
    assert data_notes.copies(X[::2]) == []


def test_one_value_for_all(wine):
    assert fit(wine.assign(flat=7))["notes"] == ["column 'flat' has one value for all samples"]


def test_a_typing_error_that_makes_the_scale(wine):
    wine.loc[3, "ash"] = 1e6
    (note,) = fit(wine)["notes"]
    assert "column 'ash': a few values are so far from the others" in note


def test_codes_of_classes(wine):
    (note,) = fit(wine.assign(grower=load_wine().target))["notes"]
    assert note == (
        "column 'grower' has only a few values (0, 1, 2): if these are codes of classes, use --label grower or "
        "--drop grower"
    )
    shown = fit(wine.assign(grower=load_wine().target), "--label", "grower")
    assert (shown["notes"], shown["nmi"] > 0.8) == ([], True)
    assert fit(wine.assign(organic=np.arange(178) % 2))["notes"] == [], "yes and no may well be a feature"


def test_values_below_zero_are_no_problem_unless_somebody_asks_for_raw_columns(wine):
    wine["ash"] -= 2
    wine["hue"] -= 10
    assert fit(wine)["notes"] == []
    told = fit(wine, "--scale", "unit", code=2)
    below = int((wine["ash"] < 0).sum())
    assert f"w.csv has values below zero in columns 'ash' ({below}), 'hue' (178)" in told
    assert "--scale-columns range" in told
    fit(wine, "--scale", "none", "--model", "cf")


def test_one_unit_is_said(wine):
    pixels = pd.DataFrame(np.random.default_rng(0).random((40, 60)), columns=[f"p{i}" for i in range(60)])
    (note,) = fit(pixels)["notes"]
    assert note.startswith("columns are taken to be of one unit (60 columns are of one size): --scale-columns range")


def predict_notes(model, file, *asked):
    result = CliRunner().invoke(app, ["predict", model, file, *asked])
    assert result.exit_code == 0, result.output
    return [line for line in result.stderr.splitlines() if line.startswith("note")], result.stdout


def test_new_columns_in_another_order_are_the_same_samples(wine):
    fit(wine)
    wine[wine.columns[::-1]].to_csv("turned.csv", index=False)
    told, clusters = predict_notes("w.safetensors", "turned.csv")
    assert told == []
    assert clusters == predict_notes("w.safetensors", "w.csv")[1]
    wine.loc[4, "ash"] = 0.1
    wine[wine.columns[::-1]].to_csv("turned.csv", index=False)
    (note,) = predict_notes("w.safetensors", "turned.csv")[0]
    assert "1 value is below the smallest of the training samples" in note


@pytest.mark.parametrize("name", ["new.csv", "new.parquet"])
def test_columns_that_the_model_does_not_know(wine, name):
    fit(wine.assign(remark="good"), "--drop", "remark")
    new = wine.assign(remark="bad", weight=3, note="x")
    new.to_csv(name, index=False) if name.endswith("csv") else new.to_parquet(name)
    (note,) = predict_notes("w.safetensors", name)[0]
    assert "2 columns ('weight', 'note') are not among the model's and not looked at" in note


def test_columns_without_a_header_are_called_by_their_numbers_in_the_file(wine):
    named = fit(wine)["top_features"]
    wine.insert(0, "who", [f"bottle {i}" for i in range(len(wine))])
    wine.insert(4, "dropped", 1)
    wine.to_csv("bare.csv", index=False, header=False)
    result = CliRunner().invoke(app, ["fit", "bare.csv", "-k", "3", "--json", "--drop", "5"])
    places = {column: f"column {number}" for number, column in enumerate(wine.columns, start=1)}
    assert json.loads(result.stdout)["top_features"] == [[places[column] for column in part] for part in named]


def test_decimal_commas_are_remembered(wine):
    wine.to_csv("eu.csv", index=False, decimal=",")
    result = CliRunner().invoke(app, ["fit", "eu.csv", "-k", "3", "--decimal", ","])
    assert result.exit_code == 0, result.output
    told, clusters = predict_notes("eu.safetensors", "eu.csv")
    assert told == []
    wine.to_csv("w.csv", index=False)
    assert predict_notes("eu.safetensors", "w.csv", "--decimal", ".") == ([], clusters)
