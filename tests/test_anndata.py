"""AnnData objects in, results in the object."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import manifact
import manifact.anndata as tools
from manifact import GNMF, LCCF, NMF, AffinityNMF
from manifact.metrics import nmi

anndata = pytest.importorskip("anndata", reason="AnnData objects need anndata")

N, M, K = 150, 60, 3
TYPES = np.arange(N) % K


def counts(seed=0):
    """Three types of cells, each with twenty genes of its own."""
    rng = np.random.default_rng(seed)
    rate = np.full((N, M), 0.3)
    for kind in range(K):
        rate[kind == TYPES, 20 * kind : 20 * (kind + 1)] = 3
    return rng.poisson(rate * rng.uniform(0.5, 2, (N, 1))).astype(np.float32)


def cells(seed=0, X=None, **more):
    X = sparse.csr_matrix(counts(seed)) if X is None else X
    obs = pd.DataFrame({"type": pd.Categorical([f"t{i}" for i in TYPES])}, index=[f"c{i}" for i in range(N)])
    return anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=[f"g{i}" for i in range(M)]), **more)


def scaled(adata):
    """As scanpy leaves it: logarithms in .raw, scaled values in X."""
    raw = adata.copy()
    raw.X = np.log1p(raw.X.toarray())
    adata.raw = raw
    adata.X = (raw.X - raw.X.mean(axis=0)) / raw.X.std(axis=0)
    return adata


def test_results_are_where_scanpy_looks_for_them():
    adata = cells()
    model = tools.fit(adata, AffinityNMF(K, random_state=0))
    np.testing.assert_array_equal(adata.obsm["X_manifact"], model.representation_)
    np.testing.assert_array_equal(adata.varm["manifact"], model.components_.T)
    assert adata.obs["manifact"].cat.categories.tolist() == ["0", "1", "2"]
    assert adata.obs["manifact"].astype(int).tolist() == model.labels_.tolist()
    assert nmi(TYPES, model.labels_) > 0.95
    told = adata.uns["manifact"]
    assert (told["model"], told["version"], told["matrix"]) == ("AffinityNMF", manifact.__version__, "counts of X")
    assert told["params"]["n_components"] == K
    assert told["preparation"].startswith("brought to the median depth of")
    # The genes of a part are those of the type that its cluster is.
    for part in range(K):
        kind = TYPES[model.labels_ == part][0]
        assert {int(name[1:]) // 20 for name in told["names"][str(part)][:10]} == {kind}
    assert (np.diff(told["scores"]["0"]) <= 0).all()
    assert told["scores"]["0"].min() >= 0 < told["scores"]["0"][0]


def test_results_survive_a_file(tmp_path):
    adata = cells()
    tools.fit(adata, NMF(K, random_state=0), key="programs")
    adata.write_h5ad(tmp_path / "x.h5ad")
    again = anndata.read_h5ad(tmp_path / "x.h5ad")
    np.testing.assert_array_equal(again.obsm["X_programs"], adata.obsm["X_programs"])
    assert again.obs["programs"].tolist() == adata.obs["programs"].tolist()
    assert again.uns["programs"]["names"]["0"].tolist() == adata.uns["programs"]["names"]["0"].tolist()
    assert again.uns["programs"]["params"]["groupby"] == "programs"


def test_scaled_values_are_passed_over():
    adata = scaled(cells())
    before = adata.X.copy()
    model = tools.fit(adata, AffinityNMF(K, random_state=0))
    assert adata.uns["manifact"]["matrix"] == "log-normalised values of .raw"
    assert nmi(TYPES, model.labels_) > 0.95
    np.testing.assert_array_equal(adata.X, before)
    with pytest.raises(ValueError, match="layer names scaled values of X and AffinityNMF takes no negative values"):
        tools.fit(adata, AffinityNMF(K), layer="X")
    tools.fit(adata, LCCF(K, random_state=0), layer="X", key="concepts")
    assert adata.obsm["X_concepts"].shape == (N, K)
    del adata.raw
    with pytest.raises(ValueError, match=r"adata has no counts and no log-normalised values: X has negative values"):
        tools.fit(adata, AffinityNMF(K))
    with pytest.raises(ValueError, match=r"adata has no layer 'counts', but 'X': choose one with layer="):
        tools.fit(adata, AffinityNMF(K), layer="counts")


def test_genes_that_were_left_out_have_zeros():
    adata = cells()
    adata.var["highly_variable"] = np.arange(M) % 2 == 0
    model = tools.fit(adata, NMF(K, random_state=0))
    assert model.components_.shape == (K, 30)
    np.testing.assert_array_equal(adata.varm["manifact"][::2], model.components_.T)
    assert not adata.varm["manifact"][1::2].any()
    assert adata.uns["manifact"]["genes"].tolist() == adata.var_names[::2].tolist()


def test_genes_of_raw_that_are_no_longer_there():
    adata = cells()
    adata.raw = adata
    adata = adata[:, ::-3].copy()
    model = tools.fit(adata, NMF(K, random_state=0))
    assert model.components_.shape == (K, M)
    place = [int(name[1:]) for name in adata.var_names]
    np.testing.assert_array_equal(adata.varm["manifact"], model.components_.T[place])


def test_views_and_backed_objects(tmp_path):
    adata = cells()
    whole = adata.copy()
    view = adata[::2]
    model = tools.fit(view, NMF(K, random_state=0))
    assert view.obsm["X_manifact"].shape == (N // 2, K)
    assert "manifact" not in adata.obs
    np.testing.assert_array_equal(adata.X.toarray(), whole.X.toarray())
    adata.write_h5ad(tmp_path / "x.h5ad")
    backed = anndata.read_h5ad(tmp_path / "x.h5ad", backed="r")
    V = tools.transform(backed, model)
    np.testing.assert_allclose(V, tools.transform(adata, model), rtol=1e-6)
    np.testing.assert_array_equal(backed.obsm["X_manifact"], V)
    refit = tools.fit(backed, NMF(K, random_state=0))
    np.testing.assert_array_equal(refit.representation_, tools.fit(adata, NMF(K, random_state=0)).representation_)
    for use in (lambda view: tools.fit(view, NMF(K)), lambda view: tools.transform(view, model)):
        with pytest.raises(
            ValueError, match=r"adata is a view of an object that is backed by a file.*: pass adata.to_m"
        ):
            use(backed[:50])
    np.testing.assert_allclose(tools.transform(backed[:50], model, key=None), V[:50], rtol=1e-6)
    backed.file.close()


def test_an_unsorted_matrix_is_left_alone():
    X = sparse.csr_matrix(counts())
    for row in range(N):
        part = slice(X.indptr[row], X.indptr[row + 1])
        X.indices[part], X.data[part] = X.indices[part][::-1], X.data[part][::-1]
    X.has_sorted_indices = X.has_canonical_format = False
    adata = cells(X=X.copy())
    tools.fit(adata, NMF(K, random_state=0, max_iter=3))
    np.testing.assert_array_equal(adata.X.indices, X.indices)


def test_other_cells_with_their_genes_in_another_order():
    model = tools.fit(cells(), AffinityNMF(K, random_state=0))
    other = cells(seed=1)[:, ::-1].copy()
    V = tools.transform(other, model)
    assert V.shape == (N, K)
    np.testing.assert_array_equal(other.obsm["X_manifact"], V)
    assert nmi(TYPES, other.obs["manifact"].astype(int)) > 0.95
    np.testing.assert_array_equal(other.varm["manifact"], model.components_.T[::-1])
    np.testing.assert_allclose(tools.transform(cells(seed=1), model, key=None), V, rtol=1e-4, atol=1e-6)
    with pytest.warns(UserWarning, match=r"adata lacks 1 of the model's 60 genes \(g0\)"):
        tools.transform(other[:, :-1].copy(), model)


def test_counts_are_preferred_for_a_model_of_counts():
    model = tools.fit(cells(), NMF(K, random_state=0))
    adata = cells()
    logged = adata.copy()
    logged.X = np.log1p(logged.X.toarray())
    adata.raw = logged
    tools.transform(adata, model)
    assert adata.uns["manifact"]["matrix"] == "counts of X"


def test_the_graph_of_the_cells():
    adata = cells()
    adata.obsp["connectivities"] = sparse.csr_matrix((TYPES[:, None] == TYPES).astype(float) - np.eye(N))
    model = tools.fit(adata, GNMF(K, random_state=0), graph="connectivities")
    assert model.graph_.W.nnz == K * (N // K) * (N // K - 1)
    with pytest.raises(ValueError, match=r"graph='distances' is not in obsp, which has 'connectivities': choose"):
        tools.fit(adata, GNMF(K), graph="distances")
    with pytest.raises(ValueError, match="graph='connectivities' needs a model with a graph, NMF has none"):
        tools.fit(adata, NMF(K), graph="connectivities")
    with pytest.raises(ValueError, match=r"which has nothing: run scanpy.pp.neighbors first"):
        tools.fit(cells(), GNMF(K), graph="connectivities")


def test_a_model_by_its_name():
    adata = cells()
    assert type(tools.fit(adata, "gnmf", 4)) is GNMF
    assert adata.obsm["X_manifact"].shape == (N, 4)
    with pytest.raises(ValueError, match="model='umap' is not known"):
        tools.fit(adata, "umap")
    with pytest.raises(ValueError, match="n_components=3 goes with a name"):
        tools.fit(adata, NMF(2), 3)
    with pytest.raises(TypeError, match="must be a model such as"):
        tools.fit(adata, NMF)
    with pytest.raises(TypeError, match="adata is a ndarray, not an AnnData object"):
        tools.fit(counts(), NMF(2))


def test_a_model_of_a_file_is_written_into_its_cells(tmp_path):
    adata = cells()
    model = tools.fit(adata, AffinityNMF(K, random_state=0))
    model.save(tmp_path / "m.safetensors")
    again, fresh = manifact.load(tmp_path / "m.safetensors"), cells()
    tools.write(fresh, again)
    np.testing.assert_array_equal(fresh.obsm["X_manifact"], adata.obsm["X_manifact"])
    assert fresh.uns["manifact"]["matrix"] == "counts of X"
    with pytest.raises(ValueError, match="fitted to 150 cells and adata has 149: pass those, or use transform"):
        tools.write(fresh[1:].copy(), again)
    with pytest.raises(ValueError, match="cells of other names, or in another order: use transform"):
        tools.write(fresh[::-1].copy(), again)


def test_a_model_that_was_fitted_to_a_matrix():
    adata = cells()
    model = NMF(K, random_state=0).fit(adata.X[:, :30])
    with pytest.raises(ValueError, match=r"30 features without names and adata has 60 genes: give genes="):
        tools.write(adata, model)
    tools.write(adata, model, genes=adata.var_names[:30])
    np.testing.assert_array_equal(adata.varm["manifact"][:30], model.components_.T)
    assert not adata.varm["manifact"][30:].any()
    tools.write(adata, NMF(K, random_state=0).fit(adata.X))
    assert adata.varm["manifact"][30:].any()
    with pytest.raises(ValueError, match="does not know how its cells were prepared"):
        tools.transform(adata, model)


def test_top_genes_are_a_frame():
    adata = cells()
    model = tools.fit(adata, NMF(K, random_state=0))
    frame = tools.top_genes(model, 4)
    assert frame.shape == (4, K)
    assert [frame[str(part)].tolist() for part in range(K)] == model.top_features(4)
    assert tools.top_genes(model, 500).shape == (M, K)


def test_a_bare_object_is_pointed_to_this_module():
    for use in (NMF(2).fit, AffinityNMF(2).fit_predict, tools.fit(cells(), NMF(2)).transform):
        with pytest.raises(TypeError, match=r"X is an AnnData object.*manifact.anndata.fit\(adata, model\) finds its"):
            use(cells())


def test_x_for_other_purposes():
    preparation, X = tools.prepare(cells(), genes=20)
    assert sparse.issparse(X)
    assert X.shape == (N, 20)
    assert preparation.described.endswith("20 of 60 genes (the 20 most variable)")


def test_the_page_shows_the_map_of_the_object(tmp_path):
    adata = cells()
    model = tools.fit(adata, NMF(K, random_state=0))
    adata.obsm["X_umap"] = np.random.default_rng(0).normal(size=(N, 2))
    page = tools.report(adata, model, tmp_path / "x.html", labels="type")
    assert '"map":"obsm[\'X_umap\']"' in page.read_text().replace(": ", ":")
    assert '"map":null' in tools.report(adata, model, tmp_path / "y.html", map="own").read_text().replace(": ", ":")
    with pytest.raises(ValueError, match="map='pca' is not in obsm, which has 'X_manifact', 'X_umap'"):
        tools.report(adata, model, tmp_path / "z.html", map="pca")
    with pytest.raises(ValueError, match="labels='louvain' is not in obs, which has type, manifact"):
        tools.report(adata, model, tmp_path / "z.html", labels="louvain")
    assert not (tmp_path / "z.html").exists()


def test_clusters_of_other_cells_with_one_search_of_neighbours(monkeypatch):
    adata = cells()
    model = tools.fit(adata[::2].copy(), AffinityNMF(K, random_state=0))
    new, searches, once = adata[1::2].copy(), [], model.graph_.tie
    monkeypatch.setattr(model.graph_, "tie", lambda *given: searches.append(1) or once(*given))
    found = tools.predict(new, model)
    assert len(searches) == 1
    assert nmi(TYPES[1::2], found) > 0.9
    assert new.obs["manifact"].astype(int).tolist() == found.tolist()
    np.testing.assert_array_equal(new.obsm["X_manifact"], tools.transform(new, model, key=None))
    assert dir(tools) == sorted(tools.__all__)


def test_programs_of_scaled_values_are_named_by_what_they_have(tmp_path):
    adata = scaled(cells())
    model = tools.fit(adata, LCCF(K, random_state=0), layer="X")
    assert model.components_.min() < 0
    told = adata.uns["manifact"]
    for part in range(K):
        weights = model.components_[part]
        order = [adata.var_names.get_loc(name) for name in told["names"][str(part)]]
        np.testing.assert_array_equal(order, np.argsort(-weights, kind="stable")[: len(order)])
        np.testing.assert_allclose(told["scores"][str(part)], weights[order], rtol=1e-6)
        assert tools.top_genes(model, 3)[str(part)].tolist() == model.top_features(3)[part]
    tools.report(adata, model, tmp_path / "a.html")  # of the matrix that was fitted, which is not the one auto takes
    with pytest.raises(ValueError, match=r"other cells than the model was fitted to, or other values \(cell 0\)"):
        tools.report(adata[::-1].copy(), model, tmp_path / "b.html")


def test_a_backed_object_that_does_not_fit_is_read_in_blocks(tmp_path):
    adata = cells()
    expected = tools.fit(adata, NMF(K, random_state=0))
    cells().write_h5ad(tmp_path / "x.h5ad")
    backed = anndata.read_h5ad(tmp_path / "x.h5ad", backed="r")
    model = tools.fit(backed, NMF(K, random_state=0), memory="16K", scratch=tmp_path)
    assert backed.isbacked
    np.testing.assert_allclose(model.components_, expected.components_, rtol=1e-3, atol=1e-4)
    assert model.preparation_.to_dict() == expected.preparation_.to_dict()
    assert backed.obs["manifact"].tolist() == adata.obs["manifact"].tolist()
    V = tools.transform(backed, expected, memory="16K", key="again")
    np.testing.assert_allclose(V, tools.transform(adata, expected, key=None), rtol=1e-5, atol=1e-6)
    assert tools.predict(backed, expected, memory="16K", key=None).tolist() == expected.labels_.tolist()
    backed.file.close()


def test_a_named_model_of_a_backed_object(tmp_path):
    cells().write_h5ad(tmp_path / "x.h5ad")
    backed = anndata.read_h5ad(tmp_path / "x.h5ad", backed="r")
    model = tools.fit(backed, "affinity", K, memory="16K")
    assert type(model.graph).__name__ == "LandmarkGraph"
    assert nmi(TYPES, model.labels_) > 0.9
    backed.file.close()


def test_a_matrix_of_a_file_is_refused_with_what_to_do(tmp_path):
    cells = anndata.AnnData(sparse.csr_matrix(np.eye(4, 3)))
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    with pytest.raises(TypeError, match="to_memory"):
        NMF(2).fit(backed.X)
