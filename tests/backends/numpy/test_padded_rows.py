import numpy as np
import pytest

from manifact.backends import threads
from manifact.backends.numpy.neighbor_search import nearest
from manifact.backends.numpy.padded_rows import padded, padded_transpose


@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (16, 16), (33, 5), (20, 1000)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_transpose_is_padded_as_copies_are(rng, shape, dtype, order, monkeypatch):
    monkeypatch.setattr(threads, "SMALL_WORK", 1)
    P = np.asarray(rng.random(shape), order=order)
    turned = padded_transpose(P, dtype)
    np.testing.assert_array_equal(turned, padded(P.T.astype(dtype)))
    assert turned.flags.c_contiguous
    assert not turned[:, shape[0] :].any()


@pytest.mark.parametrize("rows", [1, 15, 16, 17, 100])
def test_sparse_queries_find_the_nearest_of_dense_rows(rng, rows, monkeypatch):
    from scipy import sparse

    monkeypatch.setattr("manifact.backends.numpy.neighbor_search.SHARED_CACHE", 16 * 8 * 30)
    X, Q = rng.random((rows, 30)), sparse.random_array((50, 30), density=0.3, random_state=0, format="csr")
    index, squares = nearest(X, 1, Q)
    distances = ((Q.toarray()[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(index[:, 0], distances.argmin(axis=1))
    np.testing.assert_allclose(squares[:, 0], distances.min(axis=1), rtol=1e-10)
