import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact.backends import threads
from manifact.backends.numpy import solve_columns


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 8, 21])
@pytest.mark.parametrize("entrywise", [False, True])
def test_columns_solve_their_systems(dtype, k, entrywise, rng):
    W = sparse.csr_array(problem(n=60)[1])
    A = (rng.random((60 if entrywise else 1, k)) + 0.1).astype(dtype)
    B, start = rng.random((60, k)).astype(dtype), rng.random((60, k)).astype(dtype)
    L = np.diag(W.sum(axis=1)) - W.toarray()
    exact = np.column_stack(
        [np.linalg.solve(np.diag(np.broadcast_to(A[:, c], 60)) + 10 * L, B[:, c].astype(float)) for c in range(k)]
    )
    Z, residual = solve_columns(W, np.asarray(W.sum(axis=1)), A, 10.0, B, start, 1e-12)
    assert residual < (1e-4 if dtype == np.float32 else 1e-11)
    np.testing.assert_allclose(Z, exact, rtol=1e-3 if dtype == np.float32 else 1e-9)


def test_a_reduction_is_reached_and_not_exceeded_by_far(rng):
    W = sparse.csr_array(problem(n=200)[1])
    degrees, B = np.asarray(W.sum(axis=1)), rng.random((200, 5))
    ends = []
    for reduction in (0.3, 0.1, 0.01):
        Z, residual = solve_columns(W, degrees, np.full((1, 5), 0.01), 100.0, B, np.zeros_like(B), 1e-12, reduction)
        left = B - (0.01 * Z + 100.0 * (degrees[:, None] * Z - W @ Z))
        relative = np.linalg.norm(left, axis=0) / np.linalg.norm(B, axis=0)
        assert relative.max() == pytest.approx(residual, rel=1e-6)
        # The start is 0, so that ‖b‖ is what it is reduced from; twice that is allowed to rounding.
        assert residual <= 2 * reduction
        ends.append(residual)
    assert ends[0] > ends[1] > ends[2] > 1e-6


def test_a_right_side_of_zeros_gives_zeros(rng):
    W = sparse.csr_array(problem()[1])
    B = rng.random((24, 3))
    B[:, 1] = 0
    Z, _ = solve_columns(W, np.asarray(W.sum(axis=1)), np.ones((1, 3)), 5.0, B, rng.random((24, 3)), 1e-12)
    np.testing.assert_array_equal(Z[:, 1], 0)


def test_the_number_of_threads_changes_no_bit(monkeypatch, rng):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    W = sparse.csr_array(problem(n=80)[1])
    B, start = rng.random((80, 37)), rng.random((80, 37))
    answers = []
    for count in (1, 2, 5):
        with threads.limit(count):
            answers.append(solve_columns(W, np.asarray(W.sum(axis=1)), np.ones((1, 37)), 9.0, B, start, 1e-12, 0.1)[0])
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])
