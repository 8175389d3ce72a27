import numpy as np
import pytest
from scipy import sparse
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
    np.testing.assert_allclose(data.row_squares, np.diag(K), **close)
    assert data.square_sum == pytest.approx(np.trace(K), rel=1e-5)
    assert data.times(V).dtype == dtype


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr", "kernel"])
def test_squares_count_with_their_weights(kind, weighted):
    X = problem()[0]
    gamma = np.linspace(0, 2, len(X)) if weighted else None
    data = as_kernel(X @ X.T, gamma) if kind == "kernel" else as_gram(KINDS[kind](X), gamma)
    squares = np.sum(X**2, axis=1)
    np.testing.assert_allclose(data.row_squares, squares)
    assert data.square_sum == pytest.approx(np.sum(squares * (gamma if weighted else 1.0)))


def with_memory(monkeypatch, n_bytes):
    monkeypatch.setattr("manifact.utils.memory.available", lambda: n_bytes)


@pytest.mark.parametrize(
    ("shape", "kind", "n_bytes", "formed"),
    [
        ((10, 12), np.asarray, 800, True),
        ((10, 10), np.asarray, 800, True),
        ((10, 12), np.asarray, 799, False),
        ((12, 10), np.asarray, 10**9, False),
        ((10, 12), sparse.csr_array, 10**9, False),
    ],
    ids=["wide", "square", "does not fit", "tall", "sparse"],
)
def test_K_is_formed_only_where_it_is_no_larger_than_X_and_fits(shape, kind, n_bytes, formed, monkeypatch, rng):
    with_memory(monkeypatch, n_bytes)
    X, V = rng.random(shape), rng.random((shape[0], 3))
    data = as_gram(kind(X))
    np.testing.assert_allclose(data.times(V), X @ X.T @ V)
    assert (data._formed is not None) == formed
