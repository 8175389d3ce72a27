"""AnnData files."""

import sys

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.io.readers.helpers import counts, refused, same, sparse_counts

from manifact.datasets import load
from manifact.io.readers import h5ad, read, read_graph

pytestmark = pytest.mark.filterwarnings("ignore:Variable names are not unique", "ignore:Observation names")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "x.h5ad"


def cells(X, **more):
    n, m = counts().shape
    obs = pd.DataFrame(
        {"kind": pd.Categorical(["u", "v", None, "u", "v", "v", "u"]), "batch": range(n)},
        index=[f"c{i}" for i in range(n)],
    )
    return anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=[f"g{i}" for i in range(m)]), **more)


@pytest.mark.parametrize("X", [counts().astype(np.float32), sparse_counts(), sparse.csc_array(sparse_counts())])
def test_x_with_names_and_labels(file, X):
    cells(X).write_h5ad(file)
    found = read(file, label="kind")
    same(found.X, sparse.csr_array(X) if sparse.issparse(X) else X)
    assert (found.names, found.feature_names) == ([f"c{i}" for i in range(7)], [f"g{i}" for i in range(5)])
    assert found.labels.tolist() == ["u", "v", "", "u", "v", "v", "u"]
    assert read(file, label="batch").labels.tolist() == list(range(7))


def test_layers(file):
    cells(counts().astype(float), layers={"raw": sparse_counts(1)}).write_h5ad(file)
    same(read(file, layer="raw").X, sparse_counts(1))
    with refused(file, "has no layer 'other', but 'raw', 'X': choose one with layer=…"):
        read(file, layer="other")
    cells(None, layers={"raw": sparse_counts(1)}).write_h5ad(file)
    same(read(file).X, sparse_counts(1))
    with refused(file, "has no layer 'X', but 'raw': choose one with layer=…"):
        read(file, kind="table")


def test_the_matrix_that_makes_sense_is_found(file):
    data = cells(counts().astype(np.float32))
    data.raw = data
    data = data[:, :3].copy()
    data.X = data.X - 1.5
    data.var["highly_variable"] = [True, False, True]
    data.write_h5ad(file)
    found = read(file)
    assert (found.kind, found.matrix, found.values) == ("cells", "counts of .raw", "counts")
    same(found.X, counts().astype(np.float32))
    assert found.feature_names == [f"g{i}" for i in range(5)]
    assert found.highly_variable.tolist() == [True, False, True, False, False]
    scaled = read(file, layer="X")
    assert (scaled.matrix, scaled.X.shape) == ("scaled values of X", (7, 3))
    as_it_is = read(file, kind="table")
    assert (as_it_is.kind, as_it_is.X.shape) == ("table", (7, 3))
    data.raw = None
    data.write_h5ad(file)
    with refused(file, "has no counts and no log-normalised values: X has negative values"):
        read(file)


def test_a_map_of_the_cells(file):
    data = cells(counts().astype(np.float32))
    data.obsm["X_tsne"], data.obsm["X_mine"] = np.ones((7, 2)), np.zeros((7, 3))
    data.write_h5ad(file)
    assert h5ad.read_map(file)[0] == "X_tsne"
    assert h5ad.read_map(file, "mine")[0] == "X_mine"
    assert h5ad.read_map(file, "X_mine")[1].shape == (7, 3)
    with refused(file, "has no obsm/umap, but X_mine, X_tsne: choose one with map="):
        h5ad.read_map(file, "umap")
    cells(counts().astype(np.float32)).write_h5ad(file)
    assert h5ad.read_map(file) is None


def test_real_cells_with_their_graph(home, file):
    known = load("pbmc3k", home)
    X = sparse.csr_matrix(known.X[:300].astype(np.float32))
    W = sparse.random_array((300, 300), density=0.02, random_state=0, format="csr")
    data = anndata.AnnData(X, var=pd.DataFrame(index=known.feature_names), obsp={"connectivities": W})
    data.write_h5ad(file)
    same(read(file).X, sparse.csr_array(X))
    assert read(file).feature_names == known.feature_names.tolist()
    same(read_graph("obsp:connectivities", file), sparse.csr_array(W))
    with refused(file, "has no obsp/distances, but connectivities"):
        read_graph("obsp:distances", file)


def test_genes_of_one_name_are_told_apart(file):
    data = cells(counts().astype(float))
    data.var_names = ["A", "B", "A", "A", "C"]
    data.write_h5ad(file)
    assert read(file).feature_names == ["A", "B", "A-1", "A-2", "C"]


def test_broken(file):
    X = counts().astype(float)
    X[1, 2] = np.nan
    cells(X).write_h5ad(file)
    with refused(file, "has nan in row 2, column 3"):
        read(file)
    with refused(file, "has no 'q' in obs, but kind, batch"):
        cells(counts().astype(float)).write_h5ad(file)
        read(file, label="q")
    with h5py.File(file, "w") as stored:
        stored["X"] = counts()
    with refused(file, "has no table obs"):
        read(file)
    with h5py.File(file, "w") as stored:
        stored["other"] = 1
    with refused(file, "has no X"):
        read(file)
    file.write_bytes(b"")
    with refused(file, "is empty"):
        read(file)
    file.write_text("no HDF5")
    with refused(file, "is not an HDF5 file"):
        read(file)


def test_wrong_indices(file):
    cells(sparse_counts()).write_h5ad(file)
    with h5py.File(file, "r+") as stored:
        stored["X/indices"][0] = 77
    with refused(file):
        read(file)


def test_without_anndata(file, monkeypatch):
    cells(sparse_counts()).write_h5ad(file)
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ImportError, match=r"x.h5ad needs anndata: pip install anndata$"):
        read(file)
