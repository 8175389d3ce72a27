"""Streams with a graph: one block that comes again and again ends where all samples at once do."""

import numpy as np
import pytest

from manifact import ALPNMF, GNMF, AffinityNMF
from manifact.datasets import load_digits, unit_length
from manifact.graphs import LandmarkGraph

X = unit_length(load_digits().X[:400])
LANDMARKS = LandmarkGraph(n_landmarks=50)


def repeated(model, times, window=None):
    for _ in range(times):
        model.partial_fit(X, window=window)
    return model


def test_gnmf_ends_where_exact_steps_find_nothing_to_lower():
    model = repeated(GNMF(5, graph=LANDMARKS, graph_reg=0.2, init="random", random_state=0), 60)
    start = (model.representation_, model.components_)
    settings = {"graph": LANDMARKS, "graph_reg": 0.2, "solver": "bcd", "normalize": None}
    trace = GNMF(5, init=start, max_iter=300, tol=0, **settings).fit(X).objective_
    assert trace[0] < 1.0005 * trace[-1]
    poor = GNMF(5, init="random", random_state=0, max_iter=300, tol=0, **settings).fit(X).objective_
    assert poor[0] > 1.5 * trace[0]
    assert trace[0] < 1.01 * poor[-1]


@pytest.mark.parametrize("cls", [ALPNMF, GNMF])
def test_the_divergence_ends_where_the_published_rule_rests(cls):
    loss = {} if cls is ALPNMF else {"loss": "kullback-leibler"}
    model = repeated(cls(5, graph=LANDMARKS, graph_reg=3.0, random_state=0, **loss), 60, window=100.0)
    U, V, graph = model.components_.T, model.representation_, model.graph_
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1)
    held = U.sum(axis=0) * V + 3.0 * graph.laplacian(V)
    drawn = V * ((X / np.maximum(V @ U.T, 1e-12)) @ U)
    assert np.linalg.norm(held - drawn) < 2e-3 * np.linalg.norm(drawn)
    basis = U * ((X / np.maximum(V @ U.T, 1e-12)).T @ V) / V.sum(axis=0)
    assert np.linalg.norm(basis - U) < 5e-3 * np.linalg.norm(U)


def test_affinity_ends_with_the_objective_of_a_fit():
    fitted = AffinityNMF(5, graph=LANDMARKS, random_state=0).fit(X)
    model = repeated(AffinityNMF(5, graph=LANDMARKS, random_state=0), 20)
    # μ falls as samples grow in number: each is held as strongly.
    assert model._mu * model._stream.weight == pytest.approx(fitted._mu * len(X), rel=1e-6)
    assert model.reconstruction_err_ == pytest.approx(fitted.reconstruction_err_, rel=2e-3)
    assert np.linalg.norm(model.representation_ - fitted.representation_) < 0.02 * np.linalg.norm(
        fitted.representation_
    )
    np.testing.assert_allclose(model.embedding_, fitted.embedding_, atol=1e-5)
    V = model.transform(X)
    assert np.linalg.norm(V - model.representation_) < 0.01 * np.linalg.norm(V)


def test_affinity_without_the_graph_is_plain():
    model = repeated(AffinityNMF(4, graph=LANDMARKS, tau=0, random_state=0), 5)
    assert model._mu == 0
    assert model.score(X) > -0.0035


def test_given_landmarks_all_stay():
    landmarks = np.vstack([X[:30], X[:30] + 3])
    model = GNMF(4, graph=LandmarkGraph(landmarks=landmarks), graph_reg=0.1, random_state=0)
    model.partial_fit(X[:100]).partial_fit(X[100:200])
    ties = model._stream.ties
    np.testing.assert_array_equal(ties.landmarks, landmarks)
    assert ties.masses[:30].sum() == pytest.approx(model._stream.weight)
    assert not ties.masses[30:].any()


def test_new_samples_are_held_by_all_blocks_not_by_the_last_one():
    model = GNMF(4, graph=LANDMARKS, graph_reg=50.0, random_state=0, normalize=None)
    for first in range(0, 400, 100):
        model.partial_fit(X[first : first + 100])
    ties = model._stream.ties
    expected, known = ties.tie(ties.mixtures(X[:50]))
    np.testing.assert_allclose(known, 1)
    V = model.transform(X[:50])
    free = model.transform(X[:50], tie=False)
    assert np.linalg.norm(V - expected) < 0.1 * np.linalg.norm(V) < np.linalg.norm(free - expected)
