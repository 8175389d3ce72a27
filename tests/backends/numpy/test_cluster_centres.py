"""Lloyd's iterations."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from manifact.backends.numpy.cluster_centres import cluster_centres


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_after_many_turns_they_are_those_of_scikit_learn(kind, rng):
    X = rng.random((120, 5))
    first = X[:4]
    known = KMeans(4, init=first, n_init=1, algorithm="lloyd", tol=0, max_iter=300).fit(X).cluster_centers_
    np.testing.assert_allclose(cluster_centres(kind(X), first, 300), known, rtol=1e-10)
