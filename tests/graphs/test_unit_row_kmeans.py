"""k-means of unit rows from their corners: planted clusters, sums of squares beside scikit-learn's, small cases."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from manifact.graphs.unit_row_kmeans import unit_row_clusters
from manifact.metrics import nmi


def directions(n, k, noise, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(k, size=n)
    turn = np.linalg.qr(rng.standard_normal((k, k)))[0]
    F = normalize(turn[labels] + noise * rng.standard_normal((n, k)))
    return F.astype(np.float32), labels


def squares(F, labels):
    return sum(((F[labels == c] - F[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


@pytest.mark.parametrize("starts", [1, 2, 20])
def test_directions_are_found(starts):
    F, labels = directions(400, 8, 0.1)
    assert nmi(labels, unit_row_clusters(F, starts, np.random.RandomState(0))) == 1


@pytest.mark.parametrize("k", [3, 12, 30])
@pytest.mark.parametrize("noise", [0.3, 0.8])
def test_sums_of_squares_are_hardly_ever_larger_than_those_of_kmeans(k, noise):
    F, _ = directions(600, k, noise)
    theirs = squares(F, KMeans(k, n_init=20, random_state=0).fit(F).labels_)
    assert squares(F, unit_row_clusters(F, 20, np.random.RandomState(0))) <= 1.01 * theirs


def test_exchanges_find_what_no_start_did():
    # Two groups stand in one direction but for a little: corners cut the loose group in their place.
    rng = np.random.default_rng(0)
    near = normalize(np.vstack([rng.normal((1, s, 0), 0.02, (60, 3)) for s in (-0.2, 0.2)]))
    loose = normalize(rng.normal((0, 0, 1), 0.1, (60, 3)))
    F = np.vstack([near, loose]).astype(np.float32)
    assert nmi(np.repeat([0, 1, 2], 60), unit_row_clusters(F, 20, np.random.RandomState(0))) == 1


def test_a_seed_gives_the_same_clusters():
    F, _ = directions(300, 10, 0.6)
    one, other = (unit_row_clusters(F, 5, np.random.RandomState(3)) for _ in range(2))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("n", "k"), [(4, 4), (5, 1), (3, 2)])
def test_few_rows(n, k):
    labels = unit_row_clusters(normalize(np.eye(n, k) + 0.1).astype(np.float32), 3, np.random.RandomState(0))
    assert labels.shape == (n,)
    assert set(labels.tolist()) <= set(range(k))


def test_rows_of_zeros_and_equal_rows_are_no_trouble():
    F = np.zeros((30, 4), dtype=np.float32)
    F[5:20, 0], F[20:, 1] = 1, 1
    labels = unit_row_clusters(F, 4, np.random.RandomState(0))
    assert len(set(labels[5:20])) == 1
    assert labels[6] != labels[25]


def test_a_row_that_stands_alone_is_a_cluster_of_its_own():
    # So near to the others that half of its centre would be farther from it than theirs is.
    angles = np.append(np.linspace(-0.01, 0.01, 19), 0.4)
    F = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    labels = unit_row_clusters(F, 4, np.random.RandomState(0))
    assert np.bincount(labels)[labels].tolist() == [19] * 19 + [1]
