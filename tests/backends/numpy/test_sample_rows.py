"""What graphs ask of samples, dense and sparse."""

import numpy as np
import pytest
from scipy import sparse

from manifact.backends.numpy import sample_rows


@pytest.fixture
def X(rng):
    return np.round(4 * rng.random((30, 6)) * (rng.random((30, 6)) < 0.4))


@pytest.mark.parametrize("name", ["pair_products", "pair_squares"])
@pytest.mark.parametrize("first", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("second", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_pairs_are_those_of_whole_matrices(X, name, first, second, rng):
    rows, columns = rng.integers(0, 30, (2, 70))
    whole = X @ X.T if name == "pair_products" else ((X[:, None] - X[None]) ** 2).sum(axis=2)
    found = getattr(sample_rows, name)(first(X), second(X), rows, columns)
    np.testing.assert_allclose(found, whole[rows, columns], rtol=1e-13)


def test_sparse_and_dense_samples_say_the_same(X):
    S = sparse.csr_array(X)
    np.testing.assert_allclose(sample_rows.lengths(S), np.linalg.norm(X, axis=1))
    np.testing.assert_allclose(sample_rows.at_unit_length(S).toarray(), sample_rows.at_unit_length(X))
    assert sample_rows.extent(S) == sample_rows.extent(X) == (0.0, X.max())
    assert sample_rows.extent(X[:0]) == (0.0, 0.0)
    np.testing.assert_array_equal(sample_rows.first_equal(S), sample_rows.first_equal(X))
    np.testing.assert_array_equal(sample_rows.empty(S), ~X.any(axis=1))
