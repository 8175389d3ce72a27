import numpy as np
import pytest
from tests.conftest import KINDS, problem

from manifact.backends import as_gram, as_kernel


@pytest.mark.parametrize("kind", ["dense", "csr", "kernel"])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_are_those_of_the_matrix(kind, signed, dtype):
    X, _, V, _ = problem()
    X = (X - 0.3 * signed).astype(dtype)
    K, V = X @ X.T, V.astype(dtype)
    data = as_kernel(K) if kind == "kernel" else as_gram(KINDS[kind](X))
    close = {"rtol": 1e-10, "atol": 1e-10} if dtype == np.float64 else {"rtol": 1e-4, "atol": 1e-4}
    assert data.signed == signed
    np.testing.assert_allclose(data.times(V), K @ V, **close)
    positive, negative = data.times_positive(V), data.times_negative(V)
    np.testing.assert_allclose(positive - negative, K @ V, **close)
    assert positive.min() >= 0
    assert negative.min() >= 0
    np.testing.assert_allclose(data.diagonal, np.diag(K), **close)
    assert data.square_sum == pytest.approx(np.trace(K), rel=1e-5)
    assert data.times(V).dtype == dtype
