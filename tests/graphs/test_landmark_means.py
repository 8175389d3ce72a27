"""Landmarks of a stream stand for all samples that were near them."""

import numpy as np
import pytest
from scipy import sparse

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


def test_samples_of_somebody_stay_as_they_are(rng):
    X = sparse.csr_array(rng.random((20, 6)) * (rng.random((20, 6)) < 0.5))
    means = LandmarkMeans.unknown(rng.random((4, 6)), 2, 1.0, 3)
    expected = means.mixtures(X).toarray()
    for row in range(20):
        place = slice(X.indptr[row], X.indptr[row + 1])
        X.indices[place], X.data[place] = X.indices[place][::-1].copy(), X.data[place][::-1].copy()
    mixed = sparse.csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    for part in (mixed.data, mixed.indices, mixed.indptr):
        part.flags.writeable = False
    kept = mixed.indices.copy()
    np.testing.assert_allclose(means.mixtures(mixed).toarray(), expected)
    np.testing.assert_array_equal(mixed.indices, kept)
