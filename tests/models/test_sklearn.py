"""The estimators are scikit-learn's: its own checks, and what people do with estimators."""

import numpy as np
import pandas as pd
import pytest
from sklearn import decomposition
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.conftest import problem

from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.graphs import KNNGraph, LabelGraph, LandmarkGraph

REPETITION = "repeating a sample changes the start: see test_weights.py for what holds instead"
GRAPH_REPETITION = "repeating a sample changes the graph and the start: see test_weights.py for what holds instead"
EARLY = "a few steps from a good start are no minimum, which transform gives: see test_projection.py for how near it is"
TRANSFORM_CHECKS = ("check_transformer_data_not_an_array", "check_transformer_general")
WEIGHT_CHECKS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")

# The multiplicative rule is slow to its last digits, which the checks compare with the exact `transform`.
ESTIMATORS = [
    NMF(2, max_iter=800, tol=1e-7),
    NMF(2, max_iter=2500, tol=1e-9, solver="mu"),
    NMF(2, loss="kullback-leibler", max_iter=500, tol=1e-7),
    NMF(2, loss="kullback-leibler", max_iter=500, tol=1e-7, solver="mu"),
    NMF(2, max_iter=800, tol=1e-7, assign="argmax", init="nndsvda"),
    GNMF(2),
    GNMF(2, solver="bcd"),
    GNMF(2, loss="kullback-leibler"),
    GNMF(2, solver="mu", graph=KNNGraph(3, weight="heat")),
    LPNMF(2),
    LPNMF(2, solver="mu"),
    ALPNMF(2),
    SPNMF(2),
    SPNMF(2, solver="mu"),
    CF(2, init="random", max_iter=800, tol=1e-7),
    CF(2, kernel="rbf", max_iter=800, tol=1e-7),
    LCCF(2),
    LCCF(2, init="random", graph_reg=100.0),
    LCF(2, max_iter=800, tol=1e-7),
    AffinityNMF(2),
    AffinityNMF(2, assign="kmeans", init="random"),
    GNMF(2, graph=LandmarkGraph()),
    AffinityNMF(2, graph=LandmarkGraph()),
]


def stops_early(estimator):
    """Those whose rule is still more than the checks' 0.01 from where it would rest."""
    if isinstance(estimator, LCCF):
        return estimator.init == "auto"
    squares = isinstance(estimator, GNMF) and estimator.loss == "frobenius" and estimator.solver != "bcd"
    return squares or isinstance(estimator, SPNMF)


def expected_failures(estimator):
    expected = dict.fromkeys(WEIGHT_CHECKS, GRAPH_REPETITION if hasattr(estimator, "graph") else REPETITION)
    return expected | (dict.fromkeys(TRANSFORM_CHECKS, EARLY) if stops_early(estimator) else {})


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


MODELS = [NMF, GNMF, LPNMF, ALPNMF, SPNMF, CF, LCCF, LCF, AffinityNMF]


@pytest.mark.parametrize("model", MODELS)
def test_data_frames_keep_their_names(model):
    X = pd.DataFrame(problem()[0], columns=[f"word{i}" for i in range(17)])
    fitted = model(3, random_state=0).set_output(transform="pandas")
    V = fitted.fit_transform(X)
    name = model.__name__.lower()
    assert list(V.columns) == [f"{name}{i}" for i in range(3)] == list(fitted.get_feature_names_out())
    assert list(fitted.transform(X).columns) == list(V.columns)
    assert list(fitted.feature_names_in_) == list(X.columns)


@pytest.mark.parametrize("model", MODELS)
def test_clone_and_refit_repeat_the_result(model):
    X = problem()[0]
    one = model(3, random_state=0)
    V = one.fit_transform(X)
    np.testing.assert_array_equal(clone(one).fit_transform(X), V)
    np.testing.assert_array_equal(one.fit_transform(X), V)
    np.testing.assert_array_equal(one.representation_, V)


def test_a_pipeline_clusters():
    X = problem()[0]
    labels = make_pipeline(GNMF(3, random_state=0), KMeans(3, n_init=3, random_state=0)).fit_predict(X)
    assert set(labels) == {0, 1, 2}


@pytest.mark.parametrize("model", [GNMF, LPNMF])
def test_grid_search_over_the_graph_and_lambda(model):
    X = problem(n=40)[0]
    grid = {"graph__n_neighbors": [2, 5], "graph_reg": [0.1, 10.0], "graph__weight": ["binary", "heat"]}
    search = GridSearchCV(model(3, graph=KNNGraph(), max_iter=20, random_state=0), grid, cv=3).fit(X)
    assert len(search.cv_results_["params"]) == 8
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert len(set(search.cv_results_["mean_test_score"].round(12))) > 2


def test_grid_search_reaches_into_a_sum_of_graphs():
    X = problem(n=40)[0]
    y = np.arange(40) % 2
    settings = {"graph_reg": 1.0, "max_iter": 5, "random_state": 0}
    halves = [(np.arange(20), np.arange(20, 40))]
    asked = {"graph__knngraph__n_neighbors": [1, 9], "graph__labelgraph__weight": ["binary", "class"]}
    search = GridSearchCV(GNMF(3, graph=KNNGraph() + LabelGraph(), **settings), asked, cv=halves).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    for parameters, score in zip(search.cv_results_["params"], scores, strict=True):
        n_neighbors, weight = (parameters[name] for name in asked)
        by_hand = GNMF(3, graph=KNNGraph(n_neighbors) + LabelGraph(weight), **settings).fit(X[:20], y[:20])
        assert score == by_hand.score(X[20:])
    assert len(set(scores)) == 4
    knn, labels = (graph for _, graph in search.best_estimator_.graph.graphs)
    assert [knn.n_neighbors, labels.weight] == [search.best_params_[name] for name in asked]


def test_graph_parameters_need_a_graph():
    with pytest.raises(
        ValueError, match=r"graph__n_neighbors needs a graph to set it on: construct with graph=KNNGraph"
    ):
        GNMF(3).set_params(graph__n_neighbors=4)
    with pytest.raises(ValueError, match=r"far_graph__n_neighbors needs a graph.*far_graph=FarthestGraph\(\)"):
        SPNMF(3).set_params(far_graph__n_neighbors=4)
    assert GNMF(3).set_params(graph=KNNGraph(), graph__n_neighbors=4).graph.n_neighbors == 4


def test_an_affinity_cannot_be_cross_validated():
    X, W, _, _ = problem()
    with pytest.raises(ValueError, match="cannot be cross-validated"):
        GridSearchCV(GNMF(3, graph=W), {"graph_reg": [1.0, 2.0]}, cv=2, error_score="raise").fit(X)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize(("alpha", "l1_ratio"), [(0.0, 0.0), (0.01, 0.0), (0.01, 1.0), (0.02, 0.4)])
def test_penalties_and_iterates_are_scikit_learns(loss, alpha, l1_ratio):
    """The same start and the same number of `mu` iterations give scikit-learn's factors."""
    X, _, V, U = problem(density=1.0)
    settings = {"alpha_W": alpha, "alpha_H": 2 * alpha, "l1_ratio": l1_ratio, "max_iter": 25, "tol": 0}
    peer = decomposition.NMF(4, solver="mu", beta_loss=loss, init="custom", **settings)
    W = peer.fit_transform(X, W=V.copy(), H=U.T.copy())
    mine = NMF(4, loss=loss, init=(V, U.T), alpha_V=alpha, alpha_U=2 * alpha, l1_ratio=l1_ratio, max_iter=25,
               tol=0, normalize=None, solver="mu")  # fmt: skip
    np.testing.assert_allclose(mine.fit_transform(X), W, rtol=1e-9)
    np.testing.assert_allclose(mine.components_, peer.components_, rtol=1e-9)
    assert mine.reconstruction_err_ == pytest.approx(peer.reconstruction_err_, rel=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_reading_clusters_does_not_change_the_estimator(model):
    X = problem()[0]
    fitted = model(3, max_iter=5, random_state=0).fit(X)
    before = vars(fitted).copy()
    fitted.predict(X[:4])
    assert fitted.labels_.shape == (24,)
    assert vars(fitted) == before
    assert not hasattr(clone(fitted), "labels_")
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        _ = clone(fitted).labels_
