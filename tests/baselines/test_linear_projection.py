"""LPP and NPE solve their eigenproblems, and do what they are for."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from tests.conftest import KINDS

from manifact.baselines import LPP, NPE
from manifact.graphs import KNNGraph, LabelGraph


@pytest.fixture(scope="module")
def X():
    return load_digits().data[:150]


def matrices(model, X):
    """The method's S and T over all features, for centred X."""
    Z = X - X.mean(axis=0)
    if isinstance(model, LPP):
        W = model.graph_.W.toarray()
        D = np.diag(W.sum(axis=1))
        return Z.T @ (D - W) @ Z, Z.T @ D @ Z
    rest = np.eye(len(X)) - model.weights_.toarray()
    return Z.T @ rest.T @ rest @ Z, Z.T @ Z


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("model", [LPP(4, pca=1.0), NPE(4, pca=1.0)], ids=lambda model: type(model).__name__)
def test_the_projection_solves_its_eigenproblem(model, X, kind):
    model.fit(KINDS[kind](X))
    S, T = matrices(model, X)
    A = model.components_.T
    np.testing.assert_allclose(S @ A, T @ A * model.eigenvalues_, atol=1e-5 * np.abs(T @ A).max())
    np.testing.assert_allclose(A.T @ T @ A, np.eye(4), atol=1e-6)
    # No direction is better, for the whole problem is no larger than this one.
    values = np.linalg.eigvals(np.linalg.pinv(T, rcond=1e-10) @ S).real
    assert model.eigenvalues_[0] == pytest.approx(np.sort(values[np.abs(values) > 1e-9])[0], rel=1e-4)
    assert (np.diff(model.eigenvalues_) >= 0).all()


@pytest.mark.parametrize("pca", [12, 0.9])
@pytest.mark.parametrize("model", [LPP, NPE])
def test_sparse_and_dense_samples_give_the_same_projection(model, X, pca):
    one, other = model(3, pca=pca).fit(X), model(3, pca=pca).fit(sparse.csr_array(X))
    np.testing.assert_allclose(one.components_, other.components_, atol=1e-6 * np.abs(one.components_).max())
    np.testing.assert_allclose(one.transform(X), other.transform(sparse.csr_array(X)), atol=1e-6)


@pytest.mark.parametrize("model", [LPP, NPE])
def test_sparse_samples_stay_sparse(model):
    """1500 x 200000 would be 2.4 GB."""
    X = sparse.random_array((1500, 200_000), density=1e-4, random_state=np.random.default_rng(0), format="csr")
    assert model(2, pca=10).fit_transform(X).shape == (1500, 2)


@pytest.mark.parametrize("model", [LPP, NPE])
def test_signs_are_settled(model, X):
    fitted = model(4).fit(X)
    largest = np.abs(fitted.components_).argmax(axis=1)
    assert (fitted.components_[np.arange(4), largest] > 0).all()
    np.testing.assert_array_equal(fitted.components_, model(4).fit(X).components_)


def test_lpp_orders_a_chain(rng):
    """Points along a line, lost among directions that vary more: principal components show those instead."""
    along = np.sort(rng.uniform(0, 10, 80))
    order = rng.permutation(80)
    noise = rng.standard_normal((80, 5)) * 20
    X = (np.column_stack([along, noise]) @ np.linalg.qr(rng.standard_normal((6, 6)))[0])[order]
    chain = np.diag(np.ones(79), 1)
    chain = (chain + chain.T)[np.ix_(order, order)]
    z = LPP(1, graph=chain, pca=1.0).fit_transform(X).ravel()
    assert abs(np.corrcoef(z, along[order])[0, 1]) > 0.98


def test_lpp_takes_any_graph(X):
    y = load_digits().target[:150]
    by_labels = LPP(5, graph=KNNGraph(3) + LabelGraph()).fit(X, y).transform(X)
    without = LPP(5, graph=KNNGraph(3)).fit_transform(X)

    def spread(Z):
        return sum(np.sum((Z[y == c] - Z[y == c].mean(axis=0)) ** 2) for c in range(10)) / np.sum((Z - Z.mean(0)) ** 2)

    assert spread(by_labels) < 0.7 * spread(without)


def test_npe_keeps_what_neighbours_explain(X):
    model = NPE(3, pca=1.0)
    Z = model.fit_transform(X)
    rest = np.sum((Z - model.weights_ @ Z) ** 2, axis=0) / np.sum((Z - Z.mean(axis=0)) ** 2, axis=0)
    np.testing.assert_allclose(rest, model.eigenvalues_, rtol=1e-4)
    P = (X - X.mean(axis=0)) @ np.linalg.svd(X - X.mean(axis=0))[2][:3].T
    principal = np.sum((P - model.weights_ @ P) ** 2, axis=0) / np.sum(P**2, axis=0)
    assert rest.max() < principal.min()


@pytest.mark.parametrize("model", [LPP, NPE])
def test_more_features_than_samples_work(model, rng):
    X = rng.random((20, 300))
    assert np.isfinite(model(5).fit_transform(X)).all()
    assert np.isfinite(model(19).fit(X).transform(rng.random((3, 300)))).all()


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        ({"n_components": 0}, ValueError, "n_components=0 must be an integer >= 1"),
        ({"n_components": 70}, ValueError, "n_components=70 must be at most 64"),
        ({"pca": 1.5}, ValueError, "pca=1.5 must be a share of the variance in"),
        ({"pca": 0}, ValueError, "pca=0 must be a finite number > 0"),
        ({"pca": "all"}, TypeError, "pca='all' must be a number > 0"),
        ({"reg": -1.0}, ValueError, "reg=-1 must be a finite number >= 0"),
    ],
)
@pytest.mark.parametrize("model", [LPP, NPE])
def test_bad_parameters(model, parameters, error, sentence, X):
    with pytest.raises(error, match=sentence):
        model(2).set_params(**parameters).fit(X)


def test_bad_input(X):
    with pytest.raises(ValueError, match="n_neighbors=0 must be an integer >= 1"):
        NPE(2, n_neighbors=0).fit(X)
    with pytest.raises(ValueError, match="lle_reg=0 must be a finite number > 0"):
        NPE(2, lle_reg=0).fit(X)
    with pytest.raises(ValueError, match="graph is a 3 x 3 affinity but X has 150 samples"):
        LPP(2, graph=np.ones((3, 3))).fit(X)
    with pytest.raises(ValueError, match="n_components=3 is more than the 1 dimensions in which the samples differ"):
        LPP(3).fit(np.outer(np.arange(10.0), np.ones(4)))
