import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from tests.cli.conftest import table
from tests.cli.test_fit import in_an_empty_folder, run  # noqa: F401

import manifact
from manifact.graphs import KNNGraph


@pytest.fixture
def data():
    """Four groups in 160 rows and 30 columns of counts, and names and classes beside them."""
    rng = np.random.default_rng(0)
    groups = np.arange(160) % 4
    X = rng.poisson(1 + 6 * (np.arange(30)[None, :] % 4 == groups[:, None]))
    lines = [",".join(["name", "class", *(f"x{i}" for i in range(30))])]
    lines += [",".join([f"s{i}", f"g{groups[i]}", *map(str, row)]) for i, row in enumerate(X)]
    path = Path("counts of things.csv")
    path.write_text("\n".join(lines) + "\n")
    return path


READING = ["--name", "name", "--label", "class"]


def selected(data, *options):
    return json.loads(run("select", data, *READING, *options, "--json").stdout)


def test_what_is_chosen_is_what_select_and_fit_choose(data):
    found = selected(data)
    assert found["n_components"] == 4
    run("fit", data, *READING, "-o", "m.safetensors", "-q")
    model = manifact.load("m.safetensors")
    assert found["candidates"] == model.selection_.candidates
    assert (found["features"], found["n_neighbors"]) == (
        model.selection_.best["features"],
        model.selection_.best["n_neighbors"],
    )
    assert found["criterion"] == model.selection_.criterion
    assert found["seconds"] > 0


def test_tables_a_mark_and_the_next_command(data):
    text = run("select", data, *READING).stdout
    assert "Graphs: bits that two halves of the features say alike, ± standard error:" in text
    assert "Numbers of components, for the chosen graph:" in text
    assert "Chosen: 4 components, " in text
    assert text.count("←") in (2, 3)
    last = text.splitlines()[-1]
    assert last.startswith("fit it    manifact fit 'counts of things.csv' --name name --label class -k 4 --neighbors ")


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-k", "3,4", "--neighbors", "4,8"],
        ["-k", "3", "--graph", "knn"],
        ["-k", "3,4", "--directions", "6", "--balance", "0.5", "--neighbors", "4,8"],
        ["-k", "3,4", "--scale", "none", "--metric", "cosine"],
    ],
)
def test_the_next_command_builds_the_chosen_graph(data, options):
    found = selected(data, *options)
    words = shlex.split(found["fit"])
    assert words[:2] == ["manifact", "fit"]
    shown = json.loads(run(*words[1:], "--json", "-o", "m.safetensors", "--overwrite").stdout)
    assert shown["n_components"] == found["n_components"]
    assert (shown["graph"]["features"], shown["graph"]["n_neighbors"]) == (found["features"], found["n_neighbors"])
    assert shown["graph"]["chosen_from"] == 0
    assert shown["accuracy"] is not None


def test_a_given_graph_is_given_again(data):
    X = np.loadtxt(data, delimiter=",", skiprows=1, usecols=range(2, 32))
    sparse.save_npz("W.npz", KNNGraph(7).build(X).W)
    found = selected(data, "--graph", "W.npz", "-k", "2,4,9")
    assert found["n_components"] == 4
    assert "features" not in found
    assert [row["n_components"] for row in found["candidates"]] == [2, 4, 9]
    assert sorted(shlex.split(found["fit"])[3:]) == sorted([*READING, "--graph", "W.npz", "-k", "4"])
    np.save("E.npy", X)
    again = selected(data, "--graph-from", "E.npy", "--neighbors", "7", "-k", "2,4,9")
    assert again["n_components"] == 4
    assert "--graph-from E.npy" in again["fit"]
    assert "--neighbors 7" in again["fit"]


def test_a_known_number_of_parts_leaves_the_graph_to_choose(data):
    found = selected(data, "-k", "4")
    assert {row["n_components"] for row in found["candidates"]} == {4}
    assert found["criterion"].startswith("graphs are compared by the bits")
    text = run("select", data, *READING, "-k", "4").stdout
    assert "Numbers of components" not in text


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_it_is_drawn(data, ending):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    text = run("select", data, *READING, "-k", "3,4", "--graph", "knn", "--plot", f"p.{ending}").stdout
    assert f"plot      p.{ending}" in text
    assert Path(f"p.{ending}").stat().st_size > 5000
    refused = run("select", data, "--plot", f"p.{ending}", code=2).stderr
    assert "is there already: pass --overwrite" in refused
    assert selected(data, "-k", "3,4", "--graph", "knn", "--plot", f"p.{ending}", "--overwrite")["files"] == {
        "plot": f"p.{ending}"
    }


@pytest.mark.parametrize("kind", ["jsonl", "images", "h5ad", "sparse npz"])
def test_data_are_read_as_fit_reads_them(kind, make):
    options = {"h5ad": ["--graph", "obsp:connectivities"]}.get(kind, ["--graph", "knn"])
    found = json.loads(run("select", make(kind), "-k", "2,3", *options, "--json").stdout)
    assert found["n_components"] in (2, 3)
    assert len([row for row in found["candidates"] if row["share"] is not None]) == 2


def test_quiet_says_nothing(data):
    assert run("select", data, *READING, "-k", "3,4", "--graph", "knn", "-q").output == ""


def test_files_that_are_skipped_are_noted(make):
    folder = make("texts")
    (folder / "animals" / "bad.txt").write_bytes(b"PK\x03\0binary")
    assert "note: 1 of 61 files is skipped" in run("select", folder, "-k", "2,3", "--graph", "knn").stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-k", "few"], "-k='few' must be a whole number >= 1, several such as 5,30, or auto"),
        (["-k", "2,0"], "-k='2,0' must be a whole number >= 1"),
        (["-k", "2,59"], "n_components=59 is too many to compare here: give at most 20"),
        (
            ["--graph", "auto", "--directions", "3"],
            "--graph auto chooses what --directions says: leave one of them out",
        ),
        (["--graph", "knn", "--neighbors", "auto"], "--neighbors auto is for --graph auto: give one number"),
        (["--graph", "no.npz"], "no.npz"),
        (["--graph", "x.npz", "--neighbors", "3"], "--graph='x.npz' is a graph already: leave out --neighbors"),
        (["--plot", "p.doc"], "--plot='p.doc' must end in one of .png, .svg, .pdf"),
        (["--plot", "no/p.png"], "--plot='no/p.png' is in a folder that does not exist"),
        (["--layer", "x"], "layer"),
    ],
)
def test_refusals_are_one_sentence(options, sentence, make):
    result = run("select", make("npy"), *options, code=2)
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_data_that_fit_would_refuse_are_refused(make):
    np.save("signed.npy", table() - 3)
    refused = run("select", "signed.npy", "--scale", "none", code=2).stderr
    assert "has values below zero" in refused
    assert run("select", "nowhere.csv", code=2).stderr == "nowhere.csv does not exist: check the path\n"


def test_its_page_speaks_of_one_graph():
    text = " ".join(run("select", "--help").stdout.split())
    assert "Default: binary." in text
    assert "spnmf" not in text
    assert "--landmarks" not in text
