"""Clusters on the command line: one number for one thing, wherever it is shown."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import ANIMALS, TOOLS
from tests.cli.test_fit import QUICK, run

import manifact
from manifact.report.page_encoding import script_json
from manifact.report.page_payload import payload
from manifact.report.report_inputs import checked

PLANTS = ["oak", "fern", "moss", "birch", "clover", "thistle"]


@pytest.fixture
def texts(tmp_path, monkeypatch):
    """Documents of three subjects in unequal numbers, one of them empty."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    subjects = [ANIMALS] * 30 + [TOOLS] * 18 + [PLANTS] * 9
    lines = [" ".join(rng.choice(words, 9)) for words in subjects] + ["the and of"]
    Path("t.txt").write_text("\n".join(lines) + "\n")
    return "t.txt"


def table_of(terminal):
    """Samples and words of each part, as the terminal shows them."""
    rows = re.findall(r"^ +(\d+) +([\d,]+) +(\w+(?:, \w+)*) *$", terminal, flags=re.MULTILINE)
    return [int(size) for _, size, _ in rows], [words.split(", ") for _, _, words in rows]


@pytest.mark.parametrize("model", [["--model", "gnmf", "--graph-reg", "1"], ["--model", "affinity"]])
def test_every_place_counts_the_same_clusters(texts, model, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")  # words in one line
    fit = ["fit", texts, *model, "-k", "3", "--seed", "0", "--max-iter", "40", "--overwrite"]
    terminal = run(*fit, "--clusters", "c.csv").stdout
    shown = json.loads(run(*fit, "--json", "--report", "r.html").stdout)
    predicted = json.loads(run("predict", "t.safetensors", "--json", code=1).stdout)
    loaded = manifact.load("t.safetensors")

    clusters = [row["cluster"] for row in predicted]
    sizes = [clusters.count(part) for part in range(3)]
    assert sorted(sizes) == [9, 18, 30]
    assert loaded.labels_.tolist() == [-1 if cluster is None else cluster for cluster in clusters]
    assert clusters[-1] is None
    assert shown["cluster_sizes"] == sizes
    assert table_of(terminal) == (sizes, shown["top_features"])
    page = payload(loaded, checked(loaded))
    assert page["parts"]["size"] == sizes
    assert script_json(page["samples"]["cluster"]) in Path("r.html").read_text()
    with open("c.csv") as stream:
        written = [row["cluster"] for row in csv.DictReader(stream)]
    assert written == ["" if cluster is None else str(cluster) for cluster in clusters]

    # The words beside a number are those of its samples.
    for row in predicted[:-1]:
        number = int(row["name"])
        subject = ANIMALS if number <= 30 else TOOLS if number <= 48 else PLANTS
        assert row["words"] == shown["top_features"][row["cluster"]]
        assert set(row["words"][:4]) <= set(subject)
    lines = run("predict", "t.safetensors", code=1).stdout.splitlines()
    assert lines[0] == f"1\t{clusters[0]}\t{', '.join(predicted[0]['words'])}"
    assert lines[-1].rstrip("\n") == "58\t\t"


def test_who_cannot_be_placed_is_left_blank(texts):
    run("fit", texts, *QUICK, "-q")
    Path("new.txt").write_text("cat dog otter\nzzz\nhammer saw\n")
    result = run("predict", "t.safetensors", "new.txt", "-q", code=1)
    assert [line.split("\t")[1] for line in result.stdout.splitlines()][1] == ""
    assert "1 of 3 samples have no word that is known, so their clusters are left blank: 2" in result.stderr
    blank = json.loads(run("predict", "t.safetensors", "new.txt", "--json", code=1).stdout)[1]
    assert blank == {"name": "2", "cluster": None, "words": None}
    run("predict", "t.safetensors", "new.txt", "-q", "-o", "c.npy", code=1)
    assert np.load("c.npy")[1] == -1
    Path("known.txt").write_text("cat dog otter\nhammer saw\n")
    run("predict", "t.safetensors", "known.txt", code=0)


def test_documents_of_nothing_but_strange_words_are_refused(texts):
    run("fit", texts, *QUICK, "-q")
    Path("new.txt").write_text("zzz\nyyy\n")
    refused = run("predict", "t.safetensors", "new.txt", code=2).stderr
    assert refused == (
        "none of the 2 samples of new.txt has a word that the model's parts have: give it data like those that it was "
        "fitted on\n"
    )


def test_a_table_is_no_text(texts):
    run("fit", texts, *QUICK, "-q")
    Path("cars.csv").write_text("name,mpg,weight\ncat saw,18,3504\nbuick,15,3693\n")
    refused = run("predict", "t.safetensors", "cars.csv", code=2).stderr
    assert "cars.csv is a table with 2 columns of numbers and the model was fitted to documents" in refused
    assert refused.count("\n") == 1
    assert run("predict", "t.safetensors", "cars.csv", "--text", "name", code=1).stdout.startswith("0\t")


def test_clusters_of_former_commands(texts):
    result = run("fit", texts, *QUICK, "--set", "assign=null", "-q")
    assert "--set assign=null has gone: clusters are made by k-means" in result.stderr
    assert manifact.load("t.safetensors").assign == "kmeans"


def test_lines_keep_their_numbers(texts):
    run("fit", texts, *QUICK, "-q")
    Path("gaps.txt").write_text("\ncat dog otter\n\n\nhammer saw\n")
    result = run("predict", "t.safetensors", "gaps.txt", "--json")
    assert [row["name"] for row in json.loads(result.stdout)] == ["2", "5"]
    assert "note: 3 of 5 lines are blank and left out: names are the numbers of lines" in result.stderr
    assert run("predict", "t.safetensors", "gaps.txt", "-q", "-o", "c.csv").stderr == ""
    assert [line.split(",")[0] for line in Path("c.csv").read_text().splitlines()] == ["name", "2", "5"]


def test_files_that_cannot_be_read_are_named_and_left_out(texts):
    run("fit", texts, *QUICK, "-q")
    Path("new").mkdir()
    for name, content in (("a.txt", b"cat dog"), ("b.txt", b"caf\xe9"), ("c.txt", b"")):
        Path("new", name).write_bytes(content)
    result = run("predict", "t.safetensors", "new", code=1)
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["a.txt"]
    assert "2 of 3 files are skipped (--strict stops at the first): b.txt is not UTF-8 (byte 3)" in result.stderr
    assert "; c.txt is empty" in result.stderr
    assert run("predict", "t.safetensors", "new", "-q", code=1).stderr == result.stderr[result.stderr.index("note: ") :]
    refused = run("predict", "t.safetensors", "new", "--strict", "-q", code=2).stderr
    assert refused.startswith("new/b.txt is not UTF-8")
    assert "give --encoding='cp1252'" in refused
    assert run("predict", "t.safetensors", "new", "--encoding", "cp1252", code=1).stdout.count("\n") == 2


def test_a_picture_beside_texts_is_named_and_no_failure(texts):
    run("fit", texts, *QUICK, "-q")
    Path("new").mkdir()
    for name, content in (("a.eml", b"cat dog"), ("b.png", b"\x89PNG\r\n"), ("LGPL-2.1", b"hammer saw")):
        Path("new", name).write_bytes(content)
    result = run("predict", "t.safetensors", "new", "--kind", "documents", "--strict", "-q")
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["LGPL-2.1", "a.eml"]
    assert result.stderr == "note: 1 file (.png) is not text and left out: b.png\n"


def test_an_encoding_is_not_taken_over_to_other_files(texts):
    Path("l.txt").write_bytes("\n".join(["été forêt"] * 5 + ["mer plage"] * 5).encode("cp1252"))
    run("fit", "l.txt", *QUICK, "--encoding", "cp1252", "-q")
    assert "été" in manifact.load("l.safetensors").preparation_.feature_names
    Path("new.txt").write_text("été\n")
    assert json.loads(run("predict", "l.safetensors", "new.txt", "--json").stdout)[0]["cluster"] is not None
    run("predict", "l.safetensors", "l.txt")
    run("report", "l.safetensors", "-q")
