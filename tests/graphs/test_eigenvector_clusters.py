import numpy as np
import pytest
from scipy.linalg import qr
from sklearn.metrics import adjusted_rand_score

from manifact.graphs import AffinityGraph, KNNGraph
from manifact.graphs.eigenvector_clusters import clusters, corners, most_different, settled, unit_rows
from manifact.graphs.spectral import even_eigenvectors


def directions(rng, labels, k, spread):
    """Rows around k orthogonal axes, turned."""
    turn = np.linalg.qr(rng.standard_normal((k, k)))[0]
    return unit_rows(np.eye(k)[labels] + spread * rng.standard_normal((len(labels), k))) @ turn


@pytest.mark.parametrize("k", [1, 2, 7])
def test_rows_around_different_directions_are_told_apart(rng, k):
    labels = np.arange(70) % k
    F = directions(rng, labels, k, 0.05)
    assert adjusted_rand_score(labels, corners(F)) == 1
    assert adjusted_rand_score(labels, clusters(F * rng.uniform(0.1, 9, size=(70, 1)))) == 1


@pytest.mark.parametrize("spread", [0.1, 0.6])
def test_rounding_decides_nothing(rng, spread):
    """Rows of one length differ by rounding alone, and so do copies: neither may choose the corners."""
    F = directions(rng, np.arange(120) % 8, 8, spread)
    F = np.vstack([F, F[:30]])
    turned = np.linalg.qr(rng.standard_normal((8, 8)))[0]
    for other in (unit_rows(F + 1e-9 * rng.standard_normal(F.shape)), F.astype(np.float32), F @ turned):
        np.testing.assert_array_equal(most_different(other), most_different(F))
        np.testing.assert_array_equal(corners(other), corners(F))


def test_the_most_different_rows_are_those_of_pivoted_reflections(rng):
    """Where lengths differ, LAPACK chooses the same."""
    F = rng.standard_normal((40, 6)) * rng.uniform(0.5, 2, size=(40, 1))
    np.testing.assert_array_equal(most_different(F), qr(F.T, mode="r", pivoting=True)[1][:6])


def test_fewer_directions_than_columns_and_fewer_rows(rng):
    flat = unit_rows(np.hstack([rng.standard_normal((9, 2)), np.zeros((9, 2))]))
    assert len(set(most_different(flat).tolist())) == 4
    assert sorted(most_different(flat[:3]).tolist()) == [0, 1, 2]
    assert most_different(np.zeros((5, 2))).tolist() == [0, 1]


def test_nobody_moves_in_the_end_and_means_are_those_of_a_plain_loop(rng):
    F = directions(rng, np.arange(90) % 3, 3, 0.4)
    labels = settled(F, rng.integers(0, 3, size=90), rounds=1000)
    means = np.array([F[labels == cluster].mean(axis=0) for cluster in range(3)])
    means /= np.linalg.norm(means, axis=1)[:, None]
    np.testing.assert_array_equal(labels, (F @ means.T).argmax(axis=1))


def test_clusters_that_nobody_is_in_do_no_harm(rng):
    F = directions(rng, np.arange(40) % 2, 4, 0.05)
    assert set(settled(F, np.zeros(40, dtype=int)).tolist()) <= set(range(4))
    np.testing.assert_array_equal(unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.6, 0.8], [0.0, 0.0]])


def test_clusters_of_a_graph(rng):
    labels = np.arange(600) % 5
    X = 4 * np.eye(5)[labels] + rng.random((600, 5))
    graph = KNNGraph(8, weight="local").build(X)
    assert isinstance(graph, AffinityGraph)
    assert adjusted_rand_score(labels, clusters(even_eigenvectors(graph, 5)[1])) == 1
