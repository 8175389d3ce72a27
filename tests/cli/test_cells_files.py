"""Cells on the command line: the matrix is found, results go back, the page takes the cells' own map."""

import json

import numpy as np
import pytest
from scipy import io, sparse
from typer.testing import CliRunner

import manifact
from manifact.cli import app

anndata = pytest.importorskip("anndata", reason="AnnData files need anndata")

N, M = 120, 40
TYPES = np.arange(N) % 2


def counts(seed=0):
    rate = np.where((np.arange(M) < 20) == (TYPES[:, None] == 0), 3.0, 0.3)
    return np.random.default_rng(seed).poisson(rate).astype(np.float32)


def cells(seed=0):
    adata = anndata.AnnData(sparse.csr_matrix(counts(seed)))
    adata.obs_names, adata.var_names = [f"c{i}" for i in range(N)], [f"g{i}" for i in range(M)]
    adata.obs["type"] = [f"t{i}" for i in TYPES]
    return adata


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Scaled cells with their counts in a layer and a map."""
    monkeypatch.chdir(tmp_path)
    adata = cells()
    adata.layers["counts"] = adata.X.copy()
    X = adata.X.toarray()
    adata.X = (X - X.mean(axis=0)) / X.std(axis=0)
    adata.obsm["X_umap"] = np.random.default_rng(0).normal(size=(N, 2)).astype(np.float32)
    adata.write_h5ad("cells.h5ad")
    return tmp_path / "cells.h5ad"


def run(*arguments, code=0):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return " ".join((done.output if code == 0 else done.stderr).split())


def map_of_page(file):
    text = file.read_text()
    start = text.index('"map":') + len('"map":')
    return json.JSONDecoder().raw_decode(text[start:].lstrip())[0]


def test_the_matrix_is_found_and_told(data):
    told = run("fit", data, "-k", 2, "--label", "type")
    assert "AffinityNMF of 120 cells × 40 genes with 2 parts" in told
    assert "note factorised counts of layers['counts'], brought to the median depth of" in told
    assert "accuracy 1.000" in told
    model = manifact.load("cells.safetensors")
    assert model.source_["matrix"] == "counts of layers['counts']"
    assert model.preparation_.kind == "cells"
    outcome = json.loads(run("fit", data, "-k", 2, "--overwrite", "--json"))
    assert outcome["notes"][0].startswith("factorised counts of layers['counts']")


def test_another_matrix(data):
    told = run("fit", data, "-k", 2, "--layer", "X", code=2)
    assert told.startswith("--layer names scaled values of X and AffinityNMF takes no negative values")
    run("fit", data, "-k", 2, "--layer", "X", "--model", "lccf")
    told = run("fit", data, "-k", 2, "--layer", "spliced", "--overwrite", code=2)
    assert told.endswith("has no layer 'spliced', but 'counts', 'X': choose one with --layer=…")


def test_genes(data):
    assert "× 7 genes" in run("fit", data, "-k", 2, "--genes", 7)
    told = run("fit", data, "-k", 2, "--genes", "some", "--overwrite", code=2)
    assert told.startswith("--genes='some' must be a number of genes such as 2000, or one of auto, all")


def test_results_in_a_copy(data):
    content = data.read_bytes()
    assert "cells copy.h5ad" in run("fit", data, "-k", 2, "--write", "copy.h5ad")
    assert data.read_bytes() == content
    after, model = anndata.read_h5ad("copy.h5ad"), manifact.load("cells.safetensors")
    np.testing.assert_array_equal(after.obsm["X_manifact"], model.representation_)
    assert after.obs["manifact"].astype(int).tolist() == model.labels_.tolist()
    assert after.varm["manifact"].shape == (M, 2)
    assert after.uns["manifact"]["matrix"] == "counts of layers['counts']"
    told = run("fit", data, "-k", 2, "--write", "copy.h5ad", "--output", "other.safetensors", code=2)
    assert told.startswith("--write='copy.h5ad' is there already: pass --overwrite")
    assert not (data.parent / "other.safetensors").exists()


def test_results_in_the_file_itself(data):
    run("fit", data, "-k", 2, "--write", data)
    after = anndata.read_h5ad(data)
    assert after.obsm["X_manifact"].shape == (N, 2)
    assert after.obsm["X_umap"].shape == (N, 2)
    content = data.read_bytes()
    told = run("fit", data, "-k", 2, "--write", data, "-o", "b.safetensors", code=2)
    assert "already: pass --overwrite to replace them, or give another --key=…" in told
    assert data.read_bytes() == content
    run("fit", data, "-k", 2, "--write", data, "-o", "b.safetensors", "--key", "again")
    assert {"X_manifact", "X_again"} <= set(anndata.read_h5ad(data).obsm)
    run("fit", data, "-k", 3, "--write", data, "-o", "b.safetensors", "--overwrite")
    assert anndata.read_h5ad(data).obsm["X_manifact"].shape == (N, 3)


def test_what_cells_cannot_be_written_to(data, tmp_path):
    assert (
        run("fit", data, "--write", "x.loom", code=2) == "--write='x.loom' must end in .h5ad: that is what is written"
    )
    np.save("x.npy", counts())
    told = run("fit", "x.npy", "-k", 2, "--write", "x.h5ad", code=2)
    assert told == "--write='x.h5ad' is for cells and x.npy holds table: leave it out, or say --kind=cells"
    run("fit", "x.npy", "-k", 2, "--kind", "cells", "--write", "x.h5ad")
    np.testing.assert_array_equal(anndata.read_h5ad("x.h5ad").X, counts())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cells.h5ad", "x.h5ad", "x.npy", "x.safetensors"]


def test_new_cells(data):
    run("fit", data, "-k", 2)
    new = cells(seed=1)[:, ::-1].copy()
    new.write_h5ad("new.h5ad")
    told = run("predict", "cells.safetensors", "new.h5ad", "--write", "placed.h5ad")
    assert told.endswith("cells placed.h5ad (120 samples)")
    after = anndata.read_h5ad("placed.h5ad")
    labels = after.obs["manifact"].astype(int).to_numpy()
    assert max((labels == TYPES).mean(), (labels != TYPES).mean()) == 1
    assert after.obsm["X_manifact"].shape == (N, 2)
    model = manifact.load("cells.safetensors")
    np.testing.assert_array_equal(after.varm["manifact"], model.components_.T[::-1])
    assert after.uns["manifact"]["matrix"] == "counts of X"
    run("transform", "cells.safetensors", "new.h5ad", "-o", "v.npy")
    np.testing.assert_allclose(np.load("v.npy"), after.obsm["X_manifact"], rtol=1e-6)


def test_new_cells_that_lack_genes(data):
    run("fit", data, "-k", 2)
    cells(seed=1)[:, 2:].copy().write_h5ad("new.h5ad")
    done = CliRunner().invoke(app, ["predict", "cells.safetensors", "new.h5ad", "-o", "c.csv"])
    assert done.exit_code == 0
    assert "note: new.h5ad lacks 2 of the model's 40 genes (g0, g1): they count as not seen" in done.stderr
    few = cells(seed=1)[:, 30:].copy()
    few.write_h5ad("few.h5ad")
    told = run("predict", "cells.safetensors", "few.h5ad", code=2)
    assert told.startswith(
        "few.h5ad lacks 30 of the model's 40 genes (g0, g1, g2, g3, g4, …); its genes are called g30"
    )


def test_training_cells_afterwards(data):
    run("fit", data, "-k", 2)
    run("predict", "cells.safetensors", "--write", "late.h5ad")
    model = manifact.load("cells.safetensors")
    np.testing.assert_array_equal(anndata.read_h5ad("late.h5ad").obsm["X_manifact"], model.representation_)
    changed = anndata.read_h5ad(data)[::-1].copy()
    changed.write_h5ad(data)
    told = run("predict", "cells.safetensors", "--write", "later.h5ad", code=2)
    assert "cells.h5ad has changed since the model was fitted" in told
    np.save("x.npy", counts())
    run("fit", "x.npy", "-k", 2)
    told = run("predict", "x.safetensors", "--write", "later.h5ad", code=2)
    assert told == "--write needs cells and x.safetensors does not say where they are: name DATA"


def test_the_page_takes_the_map_of_the_cells(data):
    run("fit", data, "-k", 2, "--report", "a.html")
    assert map_of_page(data.with_name("a.html")) == "obsm['X_umap']"
    run("report", "cells.safetensors", "-o", "b.html")
    assert data.with_name("b.html").read_text() == data.with_name("a.html").read_text()
    run("report", "cells.safetensors", "-o", "c.html", "--map", "own")
    assert map_of_page(data.with_name("c.html")) is None
    told = run("report", "cells.safetensors", "-o", "d.html", "--map", "X_pca", code=2)
    assert told.endswith("has no obsm/X_pca, but X_umap: choose one with --map=…, or leave it out")
    assert not data.with_name("d.html").exists()
    np.save("x.npy", counts())
    told = run("fit", "x.npy", "-k", 2, "--report", "x.html", "--map", "umap", code=2)
    assert told == "--map='umap' is for .h5ad files, which have maps: leave it out"


def test_cells_of_10x(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    io.mmwrite("run/matrix.mtx", sparse.csc_matrix(counts().T.astype(int)))
    (tmp_path / "run/barcodes.tsv").write_text("".join(f"c{i}\n" for i in range(N)))
    (tmp_path / "run/features.tsv").write_text("".join(f"E{i}\tg{i}\tGene Expression\n" for i in range(M)))
    told = run("fit", "run", "-k", 2, "--write", "run.h5ad")
    assert "factorised counts of matrix.mtx, brought to the median depth" in told
    after = anndata.read_h5ad("run.h5ad")
    np.testing.assert_array_equal(after.X.toarray(), counts())
    assert after.obs["manifact"].nunique() == 2
    # A file of the same cells is prepared alike.
    cells().write_h5ad("same.h5ad")
    run("predict", "run.safetensors", "same.h5ad", "--write", "same2.h5ad")
    again = anndata.read_h5ad("same2.h5ad")
    assert again.obs["manifact"].tolist() == after.obs["manifact"].tolist()
