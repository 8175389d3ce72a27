"""Cells: depth, logarithm, genes."""

import json

import numpy as np
import pytest
from scipy import sparse

from manifact.io import Samples, learn, learn_and_apply
from manifact.io.preparation import Preparation

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(RNG.lognormal(0, 1, 40), (120, 40)).astype(np.int32)
GENES = [f"g{i}" for i in range(40)]


def cells(X=COUNTS, genes=GENES, **more):
    return Samples("cells", "x.h5ad", X, feature_names=None if genes is None else list(genes), **more)


def normalized(X, depth=None):
    total = X.sum(axis=1, keepdims=True)
    return np.log1p(X / np.where(total > 0, total, 1) * (np.median(total[total > 0]) if depth is None else depth))


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_counts_are_brought_to_the_median_depth_and_logged(kind):
    preparation, X = learn_and_apply(cells(kind(COUNTS)), scale="none")
    assert sparse.issparse(X) == (kind is sparse.csr_array)
    assert X.dtype == np.float32
    np.testing.assert_allclose(dense(X), normalized(COUNTS), rtol=1e-5)
    assert preparation.depth == np.median(COUNTS.sum(axis=1))
    assert f"brought to the median depth of {preparation.depth:,.0f} and log1p, all 40 genes" in preparation.described


def test_rows_have_unit_length_unless_asked_otherwise():
    _, X = learn_and_apply(cells())
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-5)


def test_the_users_own_matrix_is_left_alone():
    X = sparse.csr_array(COUNTS.astype(np.float32))
    before = X.copy()
    learn_and_apply(cells(X), scale="none")
    np.testing.assert_array_equal(X.toarray(), before.toarray())


def test_logarithms_stay_as_they_are():
    logged = normalized(COUNTS, 100)
    preparation, X = learn_and_apply(cells(logged), scale="none")
    np.testing.assert_array_equal(X, logged)
    assert preparation.depth == pytest.approx(100)
    assert preparation.read_options == {"kind": "cells", "expects": "log"}
    # New counts are brought to where the logarithms were.
    np.testing.assert_allclose(preparation.apply(cells(COUNTS)), logged, rtol=1e-5)


def test_counts_as_they_are():
    preparation, X = learn_and_apply(cells(), weighting="counts", scale="none")
    np.testing.assert_array_equal(X, COUNTS)
    with pytest.raises(ValueError, match=r"weighting='counts' needs counts and x.h5ad has log-normalised values"):
        learn(cells(normalized(COUNTS)), weighting="counts")
    with pytest.raises(ValueError, match=r"x.h5ad has log-normalised values and the model was fitted to counts"):
        preparation.apply(cells(normalized(COUNTS)))


def test_rare_genes_are_left_out():
    X = COUNTS.copy()
    X[:, 3] = 0
    X[:2, 3] = 1
    preparation = learn(cells(X))
    assert preparation.feature_names == [gene for gene in GENES if gene != "g3"]
    assert preparation.described.endswith("39 of 40 genes (39 in at least 3 cells)")
    assert len(learn(cells(X), min_cells=2).feature_names) == 40
    assert len(learn(cells(X[:50])).feature_names) == 40, "of few cells every gene counts"
    with pytest.raises(ValueError, match=r"x.h5ad has no gene that min_cells=121 cells have: lower min_cells="):
        learn(cells(X), min_cells=121)


def test_which_genes():
    marked = np.arange(40) < 10
    assert learn(cells(highly_variable=marked)).feature_names == GENES[:10]
    assert learn(cells(highly_variable=marked), genes="all").feature_names == GENES
    assert len(learn(cells(highly_variable=marked), genes=25).feature_names) == 25
    assert len(learn(cells(), genes=5).feature_names) == 5
    assert learn(cells()).feature_names == GENES
    with pytest.raises(ValueError, match=r"genes='highly_variable' needs var\['highly_variable'\] and x.h5ad has none"):
        learn(cells(), genes="highly_variable")
    with pytest.raises(ValueError, match="genes='most' is not known"):
        learn(cells(), genes="most")


def test_of_many_genes_the_most_variable_are_kept(monkeypatch):
    monkeypatch.setattr("manifact.io.preparation.cell_preparation.MOST_VARIABLE", 15)
    preparation = learn(cells())
    assert len(preparation.feature_names) == 15
    assert preparation.described.endswith("15 of 40 genes (the 15 most variable)")


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_genes_of_new_cells_are_matched_by_name(kind):
    preparation, X = learn_and_apply(cells(kind(COUNTS)))
    order = np.random.default_rng(1).permutation(40)
    new = cells(
        kind(np.column_stack([COUNTS[:, order], np.zeros(120, dtype=int)])), [*(GENES[i] for i in order), "other"]
    )
    np.testing.assert_allclose(dense(preparation.apply(new)), dense(X), rtol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_genes_that_new_cells_lack_count_as_not_seen(kind):
    preparation = learn(cells(kind(COUNTS)), scale="none")
    with pytest.warns(
        UserWarning, match=r"x.h5ad lacks 2 of the model's 40 genes \(g38, g39\): they count as not seen"
    ):
        X = dense(preparation.apply(cells(kind(COUNTS[:, 37::-1]), GENES[37::-1])))
    assert X.shape == (120, 40)
    assert not X[:, 38:].any()
    np.testing.assert_allclose(X[:, :38], normalized(COUNTS[:, :38], preparation.depth), rtol=1e-5)
    with pytest.raises(ValueError, match=r"lacks 40 of the model's 40 genes \(g0, .*its genes are called ENSG0, ENSG1"):
        preparation.apply(cells(kind(COUNTS), [f"ENSG{i}" for i in range(40)]))


def test_cells_without_names_of_genes():
    preparation, X = learn_and_apply(cells(genes=None), scale="none")
    assert preparation.feature_names is None
    np.testing.assert_array_equal(preparation.apply(cells(genes=None)), X)
    with pytest.raises(ValueError, match="has 39 genes and the model was fitted to 40"):
        preparation.apply(cells(COUNTS[:, :39], None))


def test_a_cell_without_counts_stays_empty():
    X = COUNTS.copy()
    X[5] = 0
    _, prepared = learn_and_apply(cells(sparse.csr_array(X)))
    assert not prepared.toarray()[5].any()
    assert np.isfinite(prepared.data).all()


def test_scaled_values_are_not_for_a_model_of_counts():
    preparation = learn(cells())
    with pytest.raises(ValueError, match=r"x.h5ad has scaled values and the model was fitted to counts"):
        preparation.apply(cells(COUNTS - 1.5))


def test_options_for_other_samples_are_refused():
    with pytest.raises(ValueError, match="min_df=2 is for documents, not for cells"):
        learn(cells(), min_df=2)
    with pytest.raises(ValueError, match="genes='all' is for cells, not for a table"):
        learn(Samples("table", "x.csv", COUNTS), genes="all")
    with pytest.raises(ValueError, match="columns='max' is for tables, not for cells"):
        learn(cells(), columns="max")


def test_kept_as_json():
    preparation, X = learn_and_apply(cells(), genes=20)
    again = Preparation.from_dict(json.loads(json.dumps(preparation.to_dict())))
    assert again == preparation
    np.testing.assert_array_equal(again.apply(cells()), X)
    for name, value in (
        ("depth", 0),
        ("depth", float("inf")),
        ("values", "odd"),
        ("weighting", "tfidf"),
        ("n_genes", 3),
    ):
        with pytest.raises(ValueError, match="the model's preparation is damaged"):
            Preparation.from_dict({**preparation.to_dict(), name: value})
