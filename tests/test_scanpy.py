"""scanpy's tools and plots take what we write, and we choose the genes that scanpy chooses."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import manifact.anndata as tools
from manifact import GNMF, AffinityNMF
from manifact.datasets import load
from manifact.io.preparation.variable_genes import most_variable
from manifact.metrics import nmi

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    sc = pytest.importorskip("scanpy", reason="scanpy is not installed: pip install scanpy")
# Its imports and plots take long; what of us goes into an AnnData object is tested in test_anndata.py.
pytestmark = [pytest.mark.nightly, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def blood():
    """700 blood cells that scanpy ships, scaled as its tutorials leave them, with our results."""
    import matplotlib

    matplotlib.use("Agg")
    adata = sc.datasets.pbmc68k_reduced()
    return adata, tools.fit(adata, AffinityNMF(10, random_state=0))


@pytest.fixture(autouse=True)
def _closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_real_cells_as_scanpy_leaves_them(blood):
    adata, model = blood
    assert adata.X.min() < 0
    assert adata.uns["manifact"]["matrix"] == "log-normalised values of .raw"
    assert model.n_features_in_ == adata.var["highly_variable"].sum()
    assert nmi(adata.obs["bulk_labels"].cat.codes.to_numpy(), model.labels_) > 0.6
    assert nmi(adata.obs["louvain"].cat.codes.to_numpy(), model.labels_) > 0.7
    # Markers that every textbook has: B cells, and cytotoxic ones.
    genes = [set(tools.top_genes(model, 10)[str(part)]) for part in range(10)]
    assert any({"CD79A", "MS4A1"} <= part for part in genes)
    assert any({"GNLY", "NKG7"} <= part for part in genes)


def test_a_file_of_before_anndata_0_7(blood, tmp_path):
    from manifact.io.cell_results import results_of, write_file
    from manifact.io.readers import h5ad, read, read_graph

    file = Path(sc.__file__).parent / "datasets" / "10x_pbmc68k_reduced.h5ad"
    if not file.exists():
        pytest.skip("scanpy no longer ships this file")
    adata, model = blood
    found = read(file, label="louvain")
    assert found.matrix == "log-normalised values of .raw"
    np.testing.assert_array_equal(found.X.toarray(), adata.raw.X.toarray())
    assert found.labels.tolist() == [int(name) for name in adata.obs["louvain"]]
    np.testing.assert_array_equal(h5ad.read_map(file)[1], adata.obsm["X_umap"])
    assert read_graph("obsp:connectivities", file).nnz == adata.obsp["connectivities"].nnz
    results = results_of(model, model.representation_, model.labels_)
    write_file(file, tmp_path / "now.h5ad", results, found.names)
    now = sc.read_h5ad(tmp_path / "now.h5ad")
    np.testing.assert_array_equal(now.obsm["X_manifact"], adata.obsm["X_manifact"])
    np.testing.assert_array_equal(now.X, adata.X)


def test_scanpys_neighbours_as_the_graph(blood):
    adata = blood[0].copy()
    model = tools.fit(adata, GNMF(11, random_state=0), graph="connectivities", key="graph")
    assert nmi(adata.obs["louvain"].cat.codes.to_numpy(), model.labels_) > 0.85


def test_embeddings_are_drawn(blood):
    adata = blood[0].copy()
    axes = sc.pl.umap(adata, color="manifact", show=False)
    assert len(axes.get_legend_handles_labels()[0]) == 10
    assert len(adata.uns["manifact_colors"]) == 10
    for basis in ("X_manifact", "manifact"):
        axes = sc.pl.embedding(adata, basis=basis, color="manifact", components="1,2", show=False)
        drawn = np.vstack([part.get_offsets() for part in axes.collections])
        np.testing.assert_allclose(drawn[:700], adata.obsm["X_manifact"][:, :2], rtol=1e-5)


def test_a_part_is_drawn_over_the_umap(blood):
    adata = blood[0].copy()
    adata.obs["part 3"] = adata.obsm["X_manifact"][:, 3]
    assert sc.pl.umap(adata, color="part 3", show=False) is not None
    assert sc.get.obs_df(adata, obsm_keys=[("X_manifact", 3)]).iloc[:, 0].tolist() == adata.obs["part 3"].tolist()


def test_genes_of_parts_are_drawn_by_cluster(blood):
    adata, model = blood
    markers = tools.top_genes(model, 3).to_dict("list")
    for draw in (sc.pl.matrixplot, sc.pl.dotplot, sc.pl.stacked_violin, sc.pl.heatmap):
        assert draw(adata, markers, groupby="manifact", show=False) is not None


def test_ranked_genes_are_drawn_as_scanpys_own(blood):
    adata = blood[0].copy()
    axes = sc.pl.rank_genes_groups(adata, key="manifact", n_genes=5, show=False)
    assert len(axes) == 10
    assert {text.get_text() for text in axes[0].texts} == set(adata.uns["manifact"]["names"]["0"][:5])
    for draw in (sc.pl.rank_genes_groups_dotplot, sc.pl.rank_genes_groups_matrixplot):
        drawn = draw(adata, key="manifact", n_genes=2, show=False)
        assert "mainplot_ax" in drawn
    frame = sc.get.rank_genes_groups_df(adata, "0", key="manifact")
    assert frame["names"].tolist() == adata.uns["manifact"]["names"]["0"].tolist()
    assert frame["logfoldchanges"].iloc[0] > 0
    assert frame["pvals"].isna().all(), "nothing was tested"


def test_clusters_are_tested_against_each_other(blood):
    adata = blood[0].copy()
    sc.tl.rank_genes_groups(adata, "manifact", method="wilcoxon")
    assert set(sc.get.rank_genes_groups_df(adata, None)["group"]) == set(adata.obs["manifact"].cat.categories)


def test_neighbours_in_v(blood):
    adata = blood[0].copy()
    sc.pp.neighbors(adata, use_rep="X_manifact", key_added="v")
    near = adata.obsp["v_connectivities"].tocoo()
    labels = adata.obs["manifact"].to_numpy()
    assert (labels[near.row] == labels[near.col]).mean() > 0.9


def test_scanpys_pipeline_on_raw_counts(home):
    known = load("pbmc3k", home)
    import anndata

    adata = anndata.AnnData(sparse.csr_matrix(known.X[:400].astype(np.float32)))
    adata.var_names = [str(name) for name in known.feature_names]
    adata.layers["counts"] = adata.X.copy()
    sc.pp.filter_genes(adata, min_cells=3)
    sc.pp.normalize_total(adata)
    sc.pp.log1p(adata)
    X = tools.prepare(adata, scale="none", genes="all")[1]
    np.testing.assert_allclose(X.toarray(), adata.X.toarray(), rtol=1e-4)
    sc.pp.highly_variable_genes(adata, n_top_genes=300)
    assert (most_variable(sparse.csr_array(adata.X), 300) == adata.var["highly_variable"]).mean() > 0.999
    sc.pp.scale(adata)
    tools.fit(adata, GNMF(4, random_state=0))
    assert adata.uns["manifact"]["matrix"] == "counts of layers['counts']"
    assert (adata.varm["manifact"].any(axis=1) <= adata.var["highly_variable"]).all()


def test_what_the_how_to_says(blood, tmp_path, monkeypatch):
    from tests.test_docs import DOCS, blocks
    from typer.testing import CliRunner

    from manifact.cli import app

    if not DOCS.is_dir():
        pytest.skip("the documentation is not part of this distribution")
    monkeypatch.chdir(tmp_path)
    sc.datasets.pbmc68k_reduced().write_h5ad("cells.h5ad")
    page = DOCS / "howto" / "cells.md"
    (command,) = (line for line in blocks(page, "sh")[0].splitlines() if line)
    said = CliRunner().invoke(app, command.split()[1:])
    assert said.exit_code == 0, said.output
    told = " ".join(said.output.split())
    lines = blocks(page, "text")[0].splitlines()
    assert len(lines) == 2
    assert all(" ".join(line.split()) in told for line in lines)
    assert {"programs.h5ad", "programs.html"} <= {path.name for path in tmp_path.iterdir()}
    again = sc.read_h5ad("programs.h5ad")
    np.testing.assert_array_equal(again.obsm["X_manifact"], blood[0].obsm["X_manifact"])
    assert again.obs["manifact"].tolist() == blood[0].obs["manifact"].tolist()
