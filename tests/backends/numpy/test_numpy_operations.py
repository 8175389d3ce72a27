import numpy as np
import pytest
from scipy import sparse

from manifact.backends import as_data
from manifact.backends.numpy.numpy_operations import sparse_times


def test_unsorted_matrices_are_multiplied_whole(monkeypatch, rng):
    X = sparse.random_array((5, 300), density=0.5, random_state=rng, format="csr")
    V = rng.random((300, 2))
    expected = X.toarray() @ V
    for j in range(5):
        row = slice(X.indptr[j], X.indptr[j + 1])
        X.indices[row], X.data[row] = X.indices[row][::-1].copy(), X.data[row][::-1].copy()
    X.has_sorted_indices = False
    monkeypatch.setattr("manifact.backends.numpy.numpy_operations.CACHE_BYTES", 10 * 2 * 8)
    np.testing.assert_allclose(sparse_times(X, V), expected)


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1e30])
def test_rescale_survives_any_scale(scale):
    data = as_data(np.ones((2, 2)))
    P = np.array([[1.0, 0.0], [2.0, 3.0]])
    positive = scale * np.array([[1.0, 0.0], [2.0, 4.0]])
    np.testing.assert_allclose(data.rescale(P, 2 * positive, positive), 2 * P)
