"""Lloyd's iterations beside their plain form."""

import numpy as np
import pytest
from scipy import sparse

from manifact.backends import threads
from manifact.backends.numpy.cluster_centres import cluster_centres


def plain(X, centres, iterations):
    centres = centres.astype(np.float64)
    for _ in range(iterations):
        labels = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        for c in range(len(centres)):
            if (labels == c).any():
                centres[c] = X[labels == c].mean(axis=0)
    return centres


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("iterations", [0, 1, 5])
def test_centres_are_the_means_of_what_is_nearest(rng, kind, dtype, iterations):
    X = rng.random((200, 15)) * (rng.random((200, 15)) < 0.4)
    first = X[:12].copy()
    found = cluster_centres(kind(X.astype(dtype)), first.astype(dtype), iterations)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, plain(X, first, iterations), rtol=1e-4, atol=1e-5)


def test_a_centre_without_samples_stays(rng):
    X = sparse.csr_array(rng.random((20, 4)))
    first = np.vstack([X[[0]].toarray(), np.full((1, 4), 100.0)])
    np.testing.assert_array_equal(cluster_centres(X, first, 3)[1], np.full(4, 100.0))


def test_it_does_not_depend_on_the_number_of_threads(rng):
    X = sparse.random_array((2000, 300), density=0.1, random_state=rng, format="csr", dtype=np.float32)
    first, found = X[:100].toarray(), []
    for count in (1, 3):
        with threads.limit(count):
            found.append(cluster_centres(X, first, 2))
    np.testing.assert_array_equal(*found)
