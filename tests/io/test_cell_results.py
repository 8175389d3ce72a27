"""Results written into AnnData files: nothing else is touched, and nothing is lost."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from manifact import NMF
from manifact.io import Samples
from manifact.io.cell_results import check_file, results_of, top_genes_of, write_file, write_new_file

anndata = pytest.importorskip("anndata", reason="AnnData files need anndata")

X = np.random.default_rng(0).poisson(2, (30, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def model():
    return NMF(3, random_state=0).fit(pd.DataFrame(X[:, :6], columns=[f"g{i}" for i in range(6)]))


@pytest.fixture
def file(tmp_path):
    adata = anndata.AnnData(sparse.csr_matrix(X), var=pd.DataFrame({"n": range(8)}, index=[f"g{i}" for i in range(8)]))
    adata.obs["batch"] = pd.Categorical(["a", "b"] * 15)
    adata.obsm["X_pca"] = X[:, :2]
    adata.uns["note"] = {"deep": "kept"}
    adata.raw = adata
    adata.write_h5ad(tmp_path / "x.h5ad")
    return tmp_path / "x.h5ad"


def results(model, key="manifact"):
    return results_of(model, model.representation_, model.labels_, key, "counts of X")


def same_otherwise(before, after):
    np.testing.assert_array_equal(after.X.toarray(), before.X.toarray())
    np.testing.assert_array_equal(after.raw.X.toarray(), before.raw.X.toarray())
    pd.testing.assert_frame_equal(after.obs[before.obs.columns], before.obs)
    pd.testing.assert_frame_equal(after.var, before.var)
    np.testing.assert_array_equal(after.obsm["X_pca"], before.obsm["X_pca"])
    assert after.uns["note"]["deep"] == "kept"


@pytest.mark.parametrize("itself", [False, True])
def test_a_copy_or_the_file_itself(file, model, itself):
    before, content = anndata.read_h5ad(file), file.read_bytes()
    target = file if itself else file.with_name("out.h5ad")
    write_file(file, target, results(model))
    after = anndata.read_h5ad(target)
    same_otherwise(before, after)
    np.testing.assert_array_equal(after.obsm["X_manifact"], model.representation_)
    assert after.obs["manifact"].astype(int).tolist() == model.labels_.tolist()
    np.testing.assert_array_equal(after.varm["manifact"][:6], model.components_.T)
    assert not after.varm["manifact"][6:].any()
    assert after.uns["manifact"]["matrix"] == "counts of X"
    assert (file.read_bytes() == content) != itself
    assert sorted(path.name for path in file.parent.iterdir()) == (["x.h5ad"] if itself else ["out.h5ad", "x.h5ad"])


def test_who_may_read_the_file_does_not_change(file, model):
    file.chmod(0o600)
    write_file(file, file, results(model))
    assert file.stat().st_mode & 0o777 == 0o600


def test_written_again_under_the_same_and_another_key(file, model):
    write_file(file, file, results(model))
    other = NMF(2, random_state=0).fit(pd.DataFrame(X, columns=[f"g{i}" for i in range(8)]))
    write_file(file, file, results(other))
    write_file(file, file, results(model, "mine"))
    after = anndata.read_h5ad(file)
    assert (after.obsm["X_manifact"].shape, after.obsm["X_mine"].shape) == ((30, 2), (30, 3))
    assert after.obs.columns.tolist() == ["batch", "manifact", "mine"]
    assert after.uns["manifact"]["params"]["n_components"] == 2


def test_earlier_results_are_not_lost_by_accident(file, model, tmp_path):
    check_file(file, file, "manifact", False)
    write_file(file, file, results(model))
    with pytest.raises(
        ValueError,
        match=r"x.h5ad has obs\['manifact'\], obsm\['X_manifact'\], varm\['manifact'\] and uns\['manifact'\] already: "
        r"pass overwrite to replace them, or give another key=",
    ):
        check_file(file, file, "manifact", False)
    check_file(file, file, "manifact", True)
    check_file(file, file, "other", False)
    check_file(file, tmp_path / "copy.h5ad", "manifact", False)


def test_a_file_that_cannot_be_written_stays_as_it_was(file, model, monkeypatch):
    content = file.read_bytes()
    monkeypatch.setattr("manifact.io.cell_results._put_column", lambda *given: 1 / 0)
    with pytest.raises(ValueError, match=r"x.h5ad cannot be read as an AnnData file"):
        write_file(file, file, results(model))
    assert file.read_bytes() == content
    assert list(file.parent.iterdir()) == [file]


def test_cells_of_another_format_become_a_file(tmp_path, model):
    genes = [f"g{i}" for i in range(8)]
    samples = Samples("cells", "m", sparse.csr_array(X), names=[f"c{i}" for i in range(30)], feature_names=genes)
    write_new_file(tmp_path / "new.h5ad", samples, results(model))
    after = anndata.read_h5ad(tmp_path / "new.h5ad")
    np.testing.assert_array_equal(after.X.toarray(), X)
    assert (after.obs_names[3], after.var_names[5]) == ("c3", "g5")
    np.testing.assert_array_equal(after.obsm["X_manifact"], model.representation_)


def test_cells_without_a_cluster_have_none(model):
    labels = model.labels_.copy()
    labels[:4] = -1
    column = results_of(model, model.representation_, labels).clusters()
    assert pd.isna(column[:4]).all()
    assert not pd.isna(column[4:]).any()


def test_genes_of_one_name_keep_their_places(model):
    found = results_of(model, model.representation_, model.labels_, genes=["A", "B", "A-1", "C", "D", "E"])
    parts = found.parts_over(["E", "A", "Z", "A", "B", "C", "D"])
    np.testing.assert_array_equal(parts[[1, 4, 3, 5, 6, 0]], model.components_.T)
    assert not parts[2].any()


def test_every_part_has_as_many_genes_as_are_asked_for(model):
    for row in top_genes_of(model, 6):
        assert sorted(row.tolist()) == list(range(6))


def test_a_key_is_a_name(model):
    for key in ("", "a/b", 3):
        with pytest.raises(ValueError, match="must be a name without a slash"):
            results_of(model, model.representation_, model.labels_, key)
