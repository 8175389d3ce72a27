import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import problem

from manifact.graphs import AffinityGraph
from manifact.graphs.operator import check_affinity
from manifact.solvers.linear import conjugate_gradient


@pytest.mark.parametrize("lam", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("warm", [False, True])
def test_columns_with_different_matrices_are_solved_together(lam, warm, rng):
    W = problem(n=60)[1]
    L = np.diag(W.sum(axis=1)) - W
    A = rng.random((60, 5)) + 0.5
    B = rng.random((60, 5))
    Z = AffinityGraph(check_affinity(W)).solve(A, lam, B, start=rng.random((60, 5)) if warm else None)
    expected = np.stack([np.linalg.solve(np.diag(A[:, c]) + lam * L, B[:, c]) for c in range(5)], axis=1)
    np.testing.assert_allclose(Z, expected, rtol=1e-9)


def test_a_zero_right_hand_side_gives_zero(rng):
    graph = AffinityGraph(check_affinity(problem()[1]))
    B = rng.random((24, 3))
    B[:, 1] = 0
    Z = graph.solve(np.ones(3), 5.0, B, start=rng.random((24, 3)))
    assert not Z[:, 1].any()
    assert Z[:, 0].all()


def test_the_tolerance_is_met_in_every_column(rng):
    M = rng.random((40, 40))
    M = M @ M.T + 40 * np.eye(40)
    B = rng.random((40, 6)) * 10.0 ** np.arange(-3, 3)
    for tol in (1e-3, 1e-8):
        Z = conjugate_gradient(lambda P: M @ P, np.broadcast_to(np.diag(M)[:, None], B.shape), B, tol=tol)
        residual = np.linalg.norm(B - M @ Z, axis=0) / np.linalg.norm(B, axis=0)
        assert (residual <= 1.01 * tol).all()


@pytest.mark.parametrize("lam", [100.0, 1e6, 1e8])
def test_single_precision_factors_are_solved_in_double(rng, lam):
    W = problem(n=200)[1]
    B = rng.random((200, 3)).astype(np.float32)
    Z = AffinityGraph(check_affinity(W)).solve(np.ones(3, dtype=np.float32), lam, B)
    expected = np.linalg.solve(np.eye(200) + lam * (np.diag(W.sum(axis=1)) - W), B.astype(float))
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z, expected, rtol=1e-4)


def test_a_solve_that_does_not_get_there_says_so(rng):
    M = np.diag(10.0 ** np.linspace(-12, 3, 60))
    M[0, 1] = M[1, 0] = 1e-13
    rotation = np.linalg.qr(rng.standard_normal((60, 60)))[0]
    M = rotation @ M @ rotation.T
    with pytest.warns(ConvergenceWarning, match="a linear solve ended at the relative residual"):
        conjugate_gradient(lambda P: M @ P, np.ones((60, 1)), rng.random((60, 1)), max_iter=3)
