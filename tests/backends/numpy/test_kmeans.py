"""k-means beside scikit-learn's, which draws the same starts."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from manifact.backends import threads
from manifact.backends.numpy.kmeans import kmeans


def blobs(rng, n=300, m=12, k=6):
    centres = 4 * rng.random((k, m))
    X = np.maximum(centres[rng.integers(k, size=n)] + rng.standard_normal((n, m)), 0)
    return X


def inertia(X, labels, centres):
    return float(((X - centres[labels]) ** 2).sum())


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 2, 9])
def test_clusters_are_scikit_learns(rng, kind, dtype, k):
    X = blobs(rng).astype(dtype)
    labels, centres = kmeans(kind(X), k, 5, np.random.RandomState(3))
    theirs = KMeans(k, n_init=5, random_state=np.random.RandomState(3)).fit(kind(X))
    assert centres.dtype == dtype
    assert inertia(X, labels, centres) == pytest.approx(theirs.inertia_, rel=1e-3)
    assert (labels == theirs.labels_).mean() > 0.95


def test_it_ends_where_every_sample_is_with_its_nearest_centre_and_centres_are_means(rng):
    X = blobs(rng)
    labels, centres = kmeans(X, 6, 3, np.random.RandomState(0))
    distances = ((X[:, None] - centres) ** 2).sum(axis=2)
    np.testing.assert_array_equal(labels, distances.argmin(axis=1))
    means = np.array([X[labels == c].mean(axis=0) for c in range(6)])
    # The last move is below the tolerance, not nothing.
    assert ((means - centres) ** 2).sum() <= 1e-4 * X.var(axis=0).mean()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_it_does_not_depend_on_the_number_of_threads(rng, kind):
    X = kind(blobs(rng).astype(np.float32))
    found = []
    for count in (1, 3):
        with threads.limit(count):
            found.append(kmeans(X, 7, 4, np.random.RandomState(1)))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_fewer_different_samples_than_clusters(kind):
    X = np.repeat(np.array([[0.0, 1.0], [2.0, 0.0]]), 4, axis=0)
    labels, centres = kmeans(kind(X), 5, 2, np.random.RandomState(0))
    np.testing.assert_allclose(centres[labels], X)
    assert np.isfinite(centres).all()


def test_a_cluster_without_samples_begins_again_with_the_farthest(rng):
    # Equal samples but one: a start may draw the same sample twice.
    X = np.vstack([np.zeros((30, 3)), np.ones((30, 3)), [[9.0, 9.0, 9.0]]])
    for seed in range(10):
        labels, centres = kmeans(X, 3, 1, np.random.RandomState(seed))
        assert inertia(X, labels, centres) == pytest.approx(0, abs=1e-20)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scale", [1e-22, 1e22])
def test_samples_of_any_size(rng, kind, scale):
    X = blobs(rng).astype(np.float32)
    labels, centres = kmeans(kind(X), 6, 3, np.random.RandomState(0))
    same, scaled = kmeans(kind(X * np.float32(scale)), 6, 3, np.random.RandomState(0))
    assert (labels == same).mean() > 0.95
    np.testing.assert_allclose(np.sort(scaled / scale, axis=0), np.sort(centres, axis=0), rtol=1e-2)
