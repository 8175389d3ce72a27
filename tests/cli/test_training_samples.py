"""The training samples are found again where they are, and others are never shown for them."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import table
from tests.cli.test_fit import QUICK, run

import manifact


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def turned(path, header=0):
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:header], *lines[header:][::-1]]) + "\n")


@pytest.mark.parametrize("kind", ["txt", "npy"])
def test_samples_in_another_order_are_refused(make, kind):
    data = make(kind)
    run("fit", data, *QUICK, "-q")
    run("report", "a.safetensors", "-q", "-o", "before.html")
    if kind == "npy":
        np.save(data, table()[::-1])
    else:
        turned(data)
    told = run("report", "a.safetensors", code=2).stderr
    assert "has changed since the model was fitted (sample 0" in told
    assert "fit again, or pass --no-samples" in " ".join(told.split())
    assert not Path("a.html").exists()
    run("report", "a.safetensors", "--no-samples", "-q")
    assert Path("a.html").stat().st_size < Path("before.html").stat().st_size


def test_other_values_under_the_same_names_are_refused(make):
    data = make("csv")
    run("fit", data, *QUICK, "-q")
    lines = data.read_text().splitlines()
    cells = lines[5].split(",")
    lines[5] = ",".join([*cells[:30], str(float(cells[30]) + 1), *cells[31:]])
    data.write_text("\n".join(lines) + "\n")
    assert "(sample 4, 's4', is not what it was)" in " ".join(run("report", "a.safetensors", code=2).stderr.split())


@pytest.mark.parametrize("kind", ["txt", "csv", "images", "texts"])
def test_files_without_a_fingerprint(make, kind):
    run("fit", make(kind), *QUICK, "--model", "gnmf", "-q", "-o", "m.safetensors")
    model = manifact.load("m.safetensors")
    assert len(model.source_.pop("fingerprint")) == 60
    model.save("former.safetensors")
    run("report", "former.safetensors", "-q")
    if kind == "txt":
        turned(Path("a.txt"))
        assert "has changed" in run("report", "former.safetensors", "--overwrite", code=2).stderr


def test_data_beside_the_model_are_found_from_elsewhere(make, tmp_path, monkeypatch):
    make("txt")
    run("fit", "a.txt", *QUICK, "-q")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "not shown" not in run("report", "../a.safetensors").stderr
    Path("a.txt").write_text("\n".join(["another cat"] * 60))  # what lies where they were goes first, and is refused
    assert "a.txt has changed" in run("report", "../a.safetensors", "--overwrite", code=2).stderr
    run("report", "../a.safetensors", "../a.txt", "--overwrite", "-q")


def test_clusters_are_not_written_beside_other_cells(tmp_path):
    anndata = pytest.importorskip("anndata", reason="anndata is not installed")
    counts = np.random.default_rng(0).poisson(3, (60, 40)).astype("f4")
    anndata.AnnData(counts).write_h5ad("cells.h5ad")
    fitted = json.loads(run("fit", "cells.h5ad", *QUICK, "--json").stdout)
    run("predict", "cells.safetensors", "--write", "copy.h5ad", "-q")
    assert (anndata.read_h5ad("copy.h5ad").obs["manifact"] == "0").sum() == fitted["cluster_sizes"][0]
    anndata.AnnData(counts[::-1].copy()).write_h5ad("cells.h5ad")
    told = run("predict", "cells.safetensors", "--write", "other.h5ad", code=2).stderr
    assert "has changed since the model was fitted" in told
    assert not Path("other.h5ad").exists()


def said_to_be_at(place, **changes):
    """A model file from somebody who says that its samples are elsewhere."""
    model = manifact.load("a.safetensors")
    model.source_ = {**model.source_, "path": str(place), **changes}
    model.save("b.safetensors")
    return "b.safetensors"


def test_a_model_file_does_not_have_other_files_read(make, tmp_path, monkeypatch):
    data = make("txt")
    run("fit", data, *QUICK, "-q")
    (tmp_path / "ours").mkdir()
    monkeypatch.chdir(tmp_path / "ours")
    Path("../a.safetensors").rename("a.safetensors")
    told = " ".join(run("report", said_to_be_at(data)).stderr.split())
    assert f"they are {data}, name that after the model if it is yours" in told
    assert "horse cat" not in Path("b.html").read_text()
    with_samples = run("report", "b.safetensors", data, "--overwrite")
    assert "not shown" not in with_samples.stderr
    (tmp_path / "ours" / "link.txt").symlink_to(data)
    assert "name that after the model" in " ".join(
        run("report", said_to_be_at("link.txt"), "--overwrite").stderr.split()
    )


def test_a_model_file_does_not_keep_a_report_waiting(make):
    run("fit", make("txt"), *QUICK, "-q")
    os.mkfifo("pipe.txt")
    for place in ("pipe.txt", "/dev/zero", "/proc/self/mem"):
        assert "not shown" in run("report", said_to_be_at(place), "--overwrite").stderr


def test_samples_that_nothing_tells_from_others_are_asked_for(make):
    run("fit", make("txt"), *QUICK, "--model", "nmf", "-q")
    model = manifact.load("a.safetensors")
    del model.source_["fingerprint"]
    model.save("b.safetensors")
    assert "name that after the model" in " ".join(run("report", "b.safetensors").stderr.split())
    assert "not shown" not in run("report", "b.safetensors", "a.txt", "--overwrite").stderr


def test_data_elsewhere_are_named_in_what_to_do_next(make, tmp_path, monkeypatch):
    data = make("txt")
    (tmp_path / "ours").mkdir()
    monkeypatch.chdir(tmp_path / "ours")
    assert f"manifact report a.safetensors {data}" in " ".join(run("fit", data, *QUICK).stdout.split())


def test_cells_of_others_are_not_copied(tmp_path, monkeypatch):
    anndata = pytest.importorskip("anndata", reason="anndata is not installed")
    anndata.AnnData(np.random.default_rng(0).poisson(3, (60, 40)).astype("f4")).write_h5ad("cells.h5ad")
    run("fit", "cells.h5ad", *QUICK, "-q", "-o", "a.safetensors")
    (tmp_path / "ours").mkdir()
    monkeypatch.chdir(tmp_path / "ours")
    Path("../a.safetensors").rename("a.safetensors")
    told = run("predict", said_to_be_at(tmp_path / "cells.h5ad"), "--write", "copy.h5ad", code=2).stderr
    assert "name it as DATA if it is yours" in " ".join(told.split())
    assert not Path("copy.h5ad").exists()
