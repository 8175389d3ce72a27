import numpy as np
import pytest
from tests.conftest import KINDS, problem
from tests.reference import updates as plain

from manifact import ALPNMF, GNMF, LPNMF
from manifact.graphs import LandmarkGraph


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lam", [0.3, 100.0])
def test_fifty_iterations_equal_the_transcription(kind, weighted, lam):
    X, _, V, U = problem(n=40)
    gamma = np.random.default_rng(0).random(40) + 0.1 if weighted else None
    graph = LandmarkGraph(n_landmarks=8, n_neighbors=3)
    W = graph.build(KINDS[kind](X)).adjacency(np.eye(40))
    settings = {
        "graph_reg": lam,
        "graph": graph,
        "init": (V, U.T),
        "max_iter": 50,
        "tol": 0,
        "normalize": None,
        "solver": "mu",
    }
    model = ALPNMF(4, **settings)
    expected = U, V
    for _ in range(50):
        expected = plain.gnmf_kl(X, *expected, W, lam, gamma)
    mine = model.fit_transform(KINDS[kind](X), sample_weight=gamma)
    assert np.linalg.norm(mine - expected[1]) <= 1e-9 * np.linalg.norm(expected[1])
    assert np.linalg.norm(model.components_.T - expected[0]) <= 1e-9 * np.linalg.norm(expected[0])


def test_it_is_lpnmf_on_the_landmarks_graph():
    """Landmarks at all samples: the same W given as a matrix leads LPNMF to the same factors."""
    X, _, V, U = problem(n=40)
    settings = {"init": (V, U.T), "max_iter": 30, "tol": 0, "graph_reg": 10.0, "solver": "mu"}
    fast = ALPNMF(4, graph=LandmarkGraph(n_landmarks=40), **settings)
    mine = fast.fit_transform(X)
    W = fast.graph_.adjacency(np.eye(40))
    np.testing.assert_allclose(W, W.T, atol=1e-15)
    slow = LPNMF(4, graph=(W + W.T) / 2, **settings)
    np.testing.assert_allclose(mine, slow.fit_transform(X), rtol=1e-8)
    np.testing.assert_allclose(fast.components_, slow.components_, rtol=1e-8)
    np.testing.assert_allclose(fast.objective_, slow.objective_, rtol=1e-9)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_the_landmark_graph_serves_gnmf(kind):
    X, _, V, U = problem(n=40)
    graph = LandmarkGraph(n_landmarks=10)
    W = graph.build(X).adjacency(np.eye(40))
    model = GNMF(4, graph=graph, graph_reg=5.0, init=(V, U.T), max_iter=50, tol=0, normalize=None, solver="mu")
    mine = model.fit_transform(KINDS[kind](X))
    for _ in range(50):
        U, V = plain.gnmf_frobenius(X, U, V, W, 5.0)
    np.testing.assert_allclose(mine, V, rtol=1e-9)
    assert (np.diff(model.objective_) <= 1e-10 * model.objective_[:-1]).all()


def test_nothing_to_explain_gives_nothing():
    model = ALPNMF(3, random_state=0).fit(np.zeros((20, 6)))
    assert np.isfinite(model.transform(np.ones((2, 6)))).all()


def test_new_samples_are_tied_to_landmarks():
    X = problem(n=60)[0]
    model = ALPNMF(3, graph=LandmarkGraph(n_landmarks=12), graph_reg=1.0, assign="kmeans", random_state=0).fit(X)
    free, tied = model.transform(X, tie=False), model.transform(X)
    target = model.representation_
    assert np.linalg.norm(tied - target) < 0.5 * np.linalg.norm(free - target)
    assert np.mean(model.predict(X) == model.labels_) > 0.9
