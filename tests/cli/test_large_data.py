"""Data that are larger than the memory they may take."""

import csv
import gc
import json

import anndata
import numpy as np
import pytest
from scipy import sparse
from tests.cli.test_fit import run

import manifact
from manifact.io.out_of_core import spool_writer

K, N = 4, 160
LITTLE = ["--memory", "50K"]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("here")
    monkeypatch.chdir(folder)
    (folder / "scratch").mkdir()
    return folder


@pytest.fixture
def topics():
    """Documents of four topics, as words."""
    rng = np.random.default_rng(0)
    parts = rng.dirichlet(np.full(80, 0.05), K)
    return [rng.choice(80, 30, p=parts[number % K]) for number in range(N)]


@pytest.fixture
def documents(in_an_empty_folder, topics):
    file = in_an_empty_folder / "d.jsonl"
    with file.open("w") as content:
        for number, words in enumerate(topics):
            text = " ".join(f"w{chr(97 + word // 9)}{chr(97 + word % 9)}" for word in words)
            content.write(json.dumps({"key": f"k{number}", "text": text, "topic": number % K}) + "\n")
    return file


@pytest.fixture
def counts(topics):
    return np.array([np.bincount(words, minlength=80) for words in topics], dtype=np.float32)


def test_the_same_model_at_once_and_in_blocks(documents):
    options = ["fit", documents, "-m", "nmf", "-k", str(K), "--label", "topic", "--name", "key"]
    run(*options, "-o", "whole.safetensors", "-q")
    shown = json.loads(run(*options, *LITTLE, "--scratch", "scratch", "-o", "blocks.safetensors", "--json").stdout)
    whole, blocks = manifact.load("whole.safetensors"), manifact.load("blocks.safetensors")
    np.testing.assert_allclose(blocks.components_, whole.components_, rtol=1e-8, atol=1e-10)
    assert blocks.labels_.tolist() == whole.labels_.tolist()
    assert blocks.preparation_.to_dict() == whole.preparation_.to_dict()
    assert (blocks.source_["fingerprint"] == whole.source_["fingerprint"]).all()
    assert blocks.source_["names"][:2] == ["k0", "k1"]
    assert shown["out_of_core"]["blocks"] > 1
    assert shown["out_of_core"]["memory"] == 50 << 10
    assert shown["accuracy"] == 1
    assert shown["coherence"] == pytest.approx(whole.source_["coherence"])
    told = run("info", "blocks.safetensors").stdout.replace("\n", " ")
    assert f"{shown['out_of_core']['blocks']} blocks of rows" in told
    assert json.loads(run("info", "whole.safetensors", "--json").stdout)["out_of_core"] is None
    # A command of its own takes this with it when it ends; here the test's process goes on.
    gc.collect()
    assert list((documents.parent / "scratch").iterdir()) == [], "what is on disk goes with the command"
    run("report", "blocks.safetensors", "-q")


def test_new_samples_in_blocks(documents):
    run("fit", documents, "-m", "nmf", "-k", str(K), "-q", "--name", "key", "-o", "m.safetensors")
    with documents.open("a") as content:
        content.write('{"key": "odd", "text": "zzz"}\n')
    for ending in ("npy", "parquet"):
        for name, limit in (("whole", []), ("blocks", LITTLE)):
            result = run("transform", "m.safetensors", documents, *limit, "-o", f"{name}.{ending}", code=1)
            assert "1 of 161 samples have no word that is known" in " ".join(result.stderr.split())
        whole, blocks = (manifact.io.read(f"{name}.{ending}") for name in ("whole", "blocks"))
        np.testing.assert_allclose(blocks.X, whole.X, rtol=1e-12)
        assert blocks.names == whole.names
    for options in ([], ["-o", "c.csv", "--overwrite"]):
        found = [run("predict", "m.safetensors", documents, *limit, *options, code=1).stdout for limit in ([], LITTLE)]
        assert found[0] == found[1]
    with open("c.csv", newline="") as content:
        assert [row[:2] for row in csv.reader(content)][-1] == ["odd", ""]


def test_documents_without_names_are_told_how_to_get_them(documents):
    run("fit", documents, "-m", "nmf", "-k", str(K), "-q", "-o", "m.safetensors")
    told = "note: samples are called by their places from 0: if a field names them, say with --name which one\n"
    little = ["--memory", "5K"]
    result = run("predict", "m.safetensors", documents, *little)
    assert result.stdout.startswith("0\t")
    assert told in result.stderr
    assert told in run("transform", "m.safetensors", documents, *little, "-o", "V.npy").stderr
    assert told not in run("predict", "m.safetensors", documents, *little, "-q").stderr
    named = run("predict", "m.safetensors", documents, *little, "--name", "key")
    assert named.stdout.startswith("k0\t")
    assert told not in named.stderr


def test_everything_by_itself(documents):
    shown = json.loads(run("fit", documents, *LITTLE, "--landmarks", "60", "--label", "topic", "--json").stdout)
    k = shown["n_components"]
    assert (shown["model"], shown["parameters"]["n_components"]) == ("AffinityNMF", k)
    assert shown["nmi"] > 0.8
    assert shown["notes"][0] == f"{k} parts were chosen on 160 of the 160 samples (-k sets others)"
    assert manifact.load("d.safetensors").graph.n_landmarks == 60


def test_cells_in_blocks_are_written_back(in_an_empty_folder, counts):
    cells = anndata.AnnData(sparse.csr_matrix(counts))
    cells.write_h5ad("c.h5ad")
    run("fit", "c.h5ad", "-m", "nmf", "-k", str(K), "-q", "-o", "whole.safetensors")
    result = run("fit", "c.h5ad", "-m", "nmf", "-k", str(K), *LITTLE, "--write", "out.h5ad", "-o", "m.safetensors")
    assert "factorised counts of X, brought to the median depth of 30 and log1p" in " ".join(result.stdout.split())
    V = manifact.load("m.safetensors").representation_
    np.testing.assert_allclose(V, manifact.load("whole.safetensors").representation_, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(anndata.read_h5ad("out.h5ad").obsm["X_manifact"], V)


def test_what_is_refused(in_an_empty_folder, counts, monkeypatch):
    np.save("x.npy", counts)
    for option, name in (("--report", "r.html"), ("--write", "w.h5ad")):
        result = run("fit", "x.npy", "--kind", "cells", *LITTLE, option, name, code=2)
        assert f"{option}='{name}' needs all samples in memory, and x.npy does not fit into 50.0 KiB" in result.stderr
    assert "--memory='lots' must be a size such as 500M, 4G" in run("fit", "x.npy", "--memory", "lots", code=2).stderr
    assert "--scratch='none' is no folder" in run("fit", "x.npy", *LITTLE, "--scratch", "none", code=2).stderr
    result = run("fit", "x.npy", *LITTLE, "--graph-weight", "heat", code=2)
    assert "--graph-weight has no meaning for landmarks, the graph of data larger than memory" in result.stderr
    np.save("x.npy", counts - 1)
    result = run("fit", "x.npy", *LITTLE, "-m", "nmf", code=2)
    assert "x.npy has values below zero in columns number 1" in result.stderr
    monkeypatch.setattr(spool_writer, "require_disk", _full)
    assert "the disk is full" in run("fit", "x.npy", *LITTLE, "-m", "nmf", code=2).stderr


def _full(n_bytes, place, what):
    raise MemoryError("the disk is full")
