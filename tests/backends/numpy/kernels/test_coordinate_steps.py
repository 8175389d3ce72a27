import numpy as np
import pytest
from tests.conftest import problem
from tests.reference import kernels as plain

from manifact.backends import Matrix, as_data, threads
from manifact.backends.numpy import edge_classes, sweep_rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 31, 130])
@pytest.mark.parametrize("k", [1, 5, 18])
def test_rows_abreast_equal_one_after_another(dtype, n, k, rng):
    G = rng.random((k, k))
    G, B, V = (P.astype(dtype) for P in (G @ G.T, rng.random((n, k)) - 0.3, rng.random((n, k))))
    scale, shift = rng.random(n).astype(dtype), rng.random(n).astype(dtype)
    expected = plain.sweep_rows(V, G, B, scale, shift, sweeps=2)
    mine = sweep_rows(V, G, B, scale, shift, sweeps=2)
    np.testing.assert_allclose(mine, expected, rtol=1e-3 if dtype == np.float32 else 1e-9, atol=1e-4)
    assert (mine >= 0).all()


def test_colored_sweeps_are_gauss_seidel_in_the_order_of_colors(rng):
    W = problem(n=50)[1]
    edges = Matrix(W)
    groups = edge_classes(edges)
    np.testing.assert_array_equal(np.sort(np.concatenate(groups)), np.arange(50))
    for group in groups:
        assert W[np.ix_(group, group)].sum() == 0
    G, B, V = np.eye(3) + 0.2, rng.random((50, 3)), rng.random((50, 3))
    shift = 7.0 * W.sum(axis=1)
    expected = V
    for _ in range(2):
        for j in np.concatenate(groups):
            row = B[[j]] + 7.0 * W[[j]] @ expected
            expected = expected.copy()
            expected[j] = plain.sweep_rows(expected[[j]], G, row, np.ones(1), shift[[j]], sweeps=1)
    mine = sweep_rows(V, G, B, 1.0, shift, 2, edges, 7.0, groups)
    np.testing.assert_allclose(mine, expected, rtol=1e-12)


def test_the_number_of_threads_changes_no_bit(monkeypatch, rng):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    W = Matrix(problem(n=300)[1])
    groups, B, V = edge_classes(W), rng.random((300, 6)), rng.random((300, 6))
    answers = []
    for count in (1, 2, 7):
        with threads.limit(count):
            answers.append(sweep_rows(V, np.eye(6) + 0.1, B, 1.0, np.ones(300), 2, W, 3.0, groups))
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@pytest.mark.parametrize("shape", [(1, 5), (30, 5), (30, 1)])
def test_rescale_divides_with_a_floor(shape, rng):
    P, negative, positive = rng.random((30, 5)), rng.random((30, 5)), rng.random(shape)
    positive[0, 0] = 0
    out = as_data(rng.random((30, 4))).rescale(P, negative, positive)
    assert np.isfinite(out).all()
    shown = np.broadcast_to(positive, P.shape) > 0
    np.testing.assert_allclose(out[shown], (P * negative / np.where(shown, positive, 1))[shown], rtol=1e-14)
