"""A fit reads its data once: no folder is walked and no document is split into words a second time."""

import json

import pytest
from tests.cli.conftest import N, documents
from tests.io.counting import count_analysed, count_walked
from typer.testing import CliRunner

import manifact
from manifact.cli import app
from manifact.report.report_inputs import checked


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize("more", [[], ["--report", "page.html", "--clusters", "clusters.csv"]])
def test_each_document_once_and_each_folder_once(make, monkeypatch, more):
    folder = make("texts")
    analysed, walked = count_analysed(monkeypatch), count_walked(monkeypatch)
    run("fit", folder, "-k", "2", "-q", *more)
    assert sum(analysed.values()) == N
    assert set(analysed) == set(documents())
    assert walked == {str(folder): 1}


def test_a_folder_of_images_is_walked_once(make, monkeypatch):
    folder = make("images")
    walked = count_walked(monkeypatch)
    run("fit", folder, "-k", "2", "-q")
    assert walked == {str(folder): 1}


def test_new_documents_are_split_into_words_once(make, monkeypatch):
    folder = make("texts")
    run("fit", folder, "-k", "2", "-q", "-o", "m.safetensors")
    analysed, walked = count_analysed(monkeypatch), count_walked(monkeypatch)
    run("predict", "m.safetensors", folder, "--json")
    assert sum(analysed.values()) == N
    assert walked == {str(folder): 1}


def test_a_class_may_be_called_none(tmp_path):
    """The summary and the page count the same samples: of three groups, the last is half "None" and half "a"."""
    rows = [f"{classes},{','.join('9' if i // 4 == group else '0' for group in range(3))}" for i, classes in
            enumerate(["a"] * 4 + ["b"] * 4 + ["None"] * 2 + ["a"] * 2)]  # fmt: skip
    (tmp_path / "x.csv").write_text("\n".join(["class,x,y,z", *rows]) + "\n")
    options = ("--label", "class", "-k", "3", "--model", "nmf", "-o", "m.safetensors", "--json", "-q")
    shown = json.loads(run("fit", tmp_path / "x.csv", *options).stdout)
    assert shown["accuracy"] == pytest.approx(10 / 12)
    page = checked(manifact.load("m.safetensors"))
    assert page.classes == ["None", "a", "b"]
    assert (page.class_of >= 0).all()
