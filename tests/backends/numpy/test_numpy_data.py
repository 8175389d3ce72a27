import numpy as np
import pytest
from scipy import sparse
from tests.conftest import KINDS, problem
from tests.reference import kernels as plain

from manifact.backends import as_data


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [1, 3, 8, 13])
def test_operations_equal_their_plain_twins(kind, dtype, weighted, k):
    X, _, V, U = (P.astype(dtype) for P in problem(k=k))
    gamma = np.linspace(0.5, 2, len(X)).astype(dtype) if weighted else None
    G = np.diag(gamma if weighted else np.ones(len(X))).astype(dtype)
    data = as_data(KINDS[kind](X), gamma)
    close = {"rtol": 1e-12 if dtype == np.float64 else 2e-5}
    np.testing.assert_allclose(data.times(U), G @ X @ U, **close)
    np.testing.assert_allclose(data.times_transposed(V), X.T @ G @ V, **close)
    np.testing.assert_allclose(data.gram(V), V.T @ G @ V, **close)
    np.testing.assert_allclose(data.weighted_sums(V), (G @ V).sum(axis=0), **close)
    ratio, loglik = data.ratio_times(U, V)
    expected, rows = plain.ratio_times(X, U, V)
    np.testing.assert_allclose(ratio, G @ expected, **close)
    np.testing.assert_allclose(loglik, np.sum(G @ rows), **close)
    np.testing.assert_allclose(
        data.ratio_times_transposed(U, V), plain.ratio_times_transposed(X, U, V) if not weighted
        else (X / (V @ U.T)).T @ G @ V, **close
    )  # fmt: skip
    np.testing.assert_allclose(data.square_sum, np.sum(G @ X**2), **close)
    np.testing.assert_allclose(data.entropy_sum, np.sum(G @ (X * np.log(np.where(X > 0, X, 1)) - X)), **close)
    assert data.times(U).dtype == dtype == ratio.dtype


def test_blocks_of_dense_Y_give_the_same_as_one(monkeypatch):
    X, _, V, U = problem()
    whole = as_data(X).ratio_times(U, V), as_data(X).ratio_times_transposed(U, V), as_data(X).residual(U, V)
    monkeypatch.setattr("manifact.backends.numpy.numpy_data.BLOCK_BYTES", 5 * X.shape[1] * 8)
    monkeypatch.setattr("manifact.backends.numpy.numpy_data.BLOCK_ROWS", 1)
    data = as_data(X)
    assert len(list(data._blocks())) == 5
    np.testing.assert_allclose(data.ratio_times(U, V)[0], whole[0][0], rtol=1e-13)
    np.testing.assert_allclose(data.ratio_times_transposed(U, V), whole[1], rtol=1e-13)
    np.testing.assert_allclose(data.residual(U, V), np.sum((X - V @ U.T) ** 2), rtol=1e-13)


@pytest.mark.parametrize("rows", [1, 7, 150, 1000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_blocks_of_tall_factors_change_the_order_of_sums_only(monkeypatch, rows, dtype, rng):
    X = sparse.random_array((300, 12), density=0.5, random_state=rng, format="csr", dtype=dtype)
    U, V = rng.random((12, 5)).astype(dtype), rng.random((300, 5)).astype(dtype)
    data = as_data(X)
    whole = data.times_transposed(V), data.ratio_times_transposed(U, V)
    monkeypatch.setattr("manifact.backends.numpy.numpy_operations.CACHE_BYTES", rows * 5 * V.itemsize)
    close = {"rtol": 1e-13 if dtype == np.float64 else 1e-5}
    np.testing.assert_allclose(data.times_transposed(V), whole[0], **close)
    np.testing.assert_allclose(data.ratio_times_transposed(U, V), whole[1], **close)


@pytest.mark.parametrize("entries", [1, 5, 40, 10**6])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_over_a_few_rows_at_a_time(monkeypatch, entries, weighted):
    X = problem()[0]
    X[0], X[7], X[-1] = 0, 0, 0
    gamma = np.linspace(0.0, 2, len(X)) if weighted else np.ones(len(X))
    monkeypatch.setattr("manifact.backends.numpy.numpy_data.ENTRIES_PER_BLOCK", entries)
    data = as_data(sparse.csr_array(X), gamma if weighted else None)
    np.testing.assert_allclose(data.squares, gamma * np.sum(X**2, axis=1))
    np.testing.assert_allclose(data.entropy_sum, np.sum(gamma[:, None] * (X * np.log(np.where(X > 0, X, 1)) - X)))
    assert as_data(sparse.csr_array(np.zeros((3, 2)))).square_sum == 0


def test_zeros_in_the_factors_make_no_nan():
    X, _, V, U = problem()
    V[3] = 0
    U[5] = 0
    X[3] = 0.5
    for kind in ("dense", "csr"):
        data = as_data(KINDS[kind](X))
        ratio, loglik = data.ratio_times(U, V)
        assert np.isfinite(ratio).all()
        assert np.isfinite(loglik)
        assert np.isfinite(data.ratio_times_transposed(U, V)).all()


def test_duplicate_entries_are_added_up():
    X = sparse.csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 3))
    np.testing.assert_array_equal(as_data(X).times(np.eye(3)), [[0, 3, 0]])


class TestProjection:
    @pytest.mark.parametrize("kind", ["dense", "csr"])
    def test_least_squares_is_nnls(self, kind):
        from scipy.optimize import nnls

        X, _, _, U = problem()
        V = as_data(KINDS[kind](X)).project_least_squares(U, U.T @ U, None, 0.0, 0.0)
        np.testing.assert_allclose(V, [nnls(U, x)[0] for x in X], atol=1e-8)

    @pytest.mark.parametrize("kind", ["dense", "csr"])
    @pytest.mark.parametrize("tied", [False, True])
    def test_divergence_meets_the_optimality_conditions(self, kind, tied):
        X, _, V0, U = problem(seed=3)
        pull, shift = (V0, np.full(len(X), 0.7)) if tied else (None, 0.0)
        l1, l2 = 0.05, 0.3
        V = as_data(KINDS[kind](X)).project_divergence(U, pull, shift, l1, l2)
        gradient = U.sum(axis=0) + l1 + l2 * V - (X / (V @ U.T)) @ U
        if tied:
            gradient += 0.7 - V0 / V
        assert (V >= 0).all()
        assert np.abs(gradient[V > 0]).max() < 1e-6
        assert gradient[V == 0].min(initial=0.0) > -1e-6

    def test_samples_without_entries_get_zero(self):
        X, _, _, U = problem()
        X[4] = 0
        for kind in ("dense", "csr"):
            data = as_data(KINDS[kind](X))
            assert not data.project_least_squares(U, U.T @ U, None, 0.0, 0.0)[4].any()
            assert np.abs(data.project_divergence(U, None, 0.0, 0.0, 0.0)[4]).max() == 0
