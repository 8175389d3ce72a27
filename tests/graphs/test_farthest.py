import numpy as np
import pytest
from scipy import sparse

from manifact.graphs import FarthestGraph
from manifact.graphs.farthest import extreme_samples


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_weights_are_squared_distances_to_the_farthest(kind, rng):
    X = rng.random((50, 4))
    d2 = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    E = np.zeros(d2.shape, dtype=bool)
    np.put_along_axis(E, np.argsort(-d2, axis=1)[:, :3], True, axis=1)
    W = FarthestGraph(3).build(kind(X)).W.toarray()
    np.testing.assert_allclose(W, np.where(E | E.T, d2, 0), atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_extreme_samples_hold_almost_all_of_the_farthest(kind, rng):
    X = kind(rng.standard_normal((3000, 3)))
    exact = FarthestGraph(3, search="exact").build(X).W
    quick = FarthestGraph(3, search="candidates", n_candidates=200).build(X).W
    assert (exact.multiply(quick) > 0).sum() / exact.nnz > 0.95
    assert abs(quick - quick.T).max() == 0
    assert not quick.diagonal().any()


def test_few_samples_are_all_extreme(rng):
    np.testing.assert_array_equal(extreme_samples(rng.random((5, 2)), 10, rng), np.arange(5))
    assert FarthestGraph(10).build(rng.random((4, 2))).W.nnz == 12
    assert FarthestGraph(2).build(np.ones((3, 2))).W.nnz == 0


def test_bad_parameters_are_refused(rng):
    with pytest.raises(ValueError, match="search='fast' is not known: choose one of 'auto', 'exact', 'candidates'"):
        FarthestGraph(search="fast").build(rng.random((5, 2)))
    with pytest.raises(ValueError, match="n_candidates=0 must be an integer >= 1"):
        FarthestGraph(n_candidates=0).build(rng.random((5, 2)))
