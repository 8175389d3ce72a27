"""Landmarks of a stream stand for all samples that were near them."""

import numpy as np
import pytest

from manifact.graphs import LandmarkGraph
from manifact.graphs.landmark_means import LandmarkMeans


@pytest.fixture
def case(rng):
    X, V = rng.random((60, 5)), rng.random((60, 3))
    return X, V, LandmarkGraph(n_landmarks=12, n_neighbors=3).build(X)


def of_blocks(graph, X, V, parts):
    means = LandmarkMeans.unknown(graph.landmarks, 3, graph._sigma, V.shape[1])
    for rows in np.array_split(np.arange(len(X)), parts):
        means = means.joined(means.mixtures(X[rows]), V[rows])
    return means


@pytest.mark.parametrize("parts", [1, 4])
def test_energy_is_that_of_the_graph_of_all_samples(case, parts):
    X, V, graph = case
    means = of_blocks(graph, X, V, parts)
    np.testing.assert_allclose((V**2).sum(axis=0) - means.energies, graph.energies(V, V))


def test_samples_are_tied_as_the_graph_ties_them(case):
    X, V, graph = case
    means = of_blocks(graph, X, V, 3)
    pull, known = means.tie(means.mixtures(X))
    np.testing.assert_allclose(pull, graph.adjacency(V))
    np.testing.assert_allclose(known, 1)
    again = LandmarkMeans.of_graph(graph, V)
    np.testing.assert_allclose(again.means, means.means)


def test_the_means_make_the_distance_from_landmarks_smallest(case, rng):
    X, V, graph = case
    means = of_blocks(graph, X, V, 2)
    Z = means.mixtures(X).toarray()

    def distance(R):
        return np.sum(Z * ((V[:, None] - R[None]) ** 2).sum(axis=2))

    assert distance(means.means) == pytest.approx(graph.energy(V, V))
    assert distance(means.means + 0.01 * rng.standard_normal(means.means.shape)) > distance(means.means)


def test_landmarks_without_samples_tie_nobody(case):
    X, _V, graph = case
    means = LandmarkMeans.unknown(graph.landmarks, 3, graph._sigma, 3)
    pull, known = means.tie(means.mixtures(X))
    assert not pull.any()
    assert not known.any()


def test_fading_forgets_samples_but_not_means(case):
    X, V, graph = case
    means = of_blocks(graph, X, V, 2)
    faded = means.faded(0.5).rescaled(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(faded.means, means.means * [1, 2, 3])
    np.testing.assert_allclose(faded.masses, means.masses / 2)
