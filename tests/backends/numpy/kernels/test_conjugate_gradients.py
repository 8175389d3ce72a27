import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact.backends import Matrix, threads
from manifact.backends.matrix import Pieces
from manifact.backends.numpy import solve_columns

#: What W is made of: edges, tall · flat, and what is taken off its diagonal.
KINDS = ("edges", "cliques", "landmarks", "edges and cliques", "everything")


def pieces(kind, n=60):
    """W in pieces, and W."""
    rng = np.random.default_rng(1)
    edges = problem(n=n)[1]
    tall = rng.random((n, 7)) * (rng.random((n, 7)) < 0.3)
    loops = np.sum(tall**2, axis=1) if kind != "landmarks" else np.zeros(n)
    W = np.zeros((n, n))
    if kind not in ("cliques", "landmarks"):
        W += edges
    if kind != "edges":
        W += tall @ tall.T - np.diag(loops)
    parts = {
        "edges": Matrix(edges) if kind not in ("cliques", "landmarks") else None,
        "tall": Matrix(tall) if kind != "edges" else None,
        "flat": Matrix(tall.T) if kind != "edges" else None,
        "loops": loops if kind not in ("edges", "landmarks") else None,
    }
    return Pieces(W.sum(axis=1), **parts), W


def laplacian(W):
    return np.diag(W.sum(axis=1)) - W


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 8, 21])
@pytest.mark.parametrize("entrywise", [False, True])
def test_columns_solve_their_systems(kind, dtype, k, entrywise, rng):
    made_of, W = pieces(kind)
    A = (rng.random((60 if entrywise else 1, k)) + 0.1).astype(dtype)
    B, start = rng.random((60, k)).astype(dtype), rng.random((60, k)).astype(dtype)
    exact = np.column_stack(
        [
            np.linalg.solve(np.diag(np.broadcast_to(A[:, c], 60)) + 10 * laplacian(W), B[:, c].astype(float))
            for c in range(k)
        ]
    )
    Z, residual = solve_columns(made_of, A, 10.0, B, start, 1e-12, 0.0)
    assert residual < (1e-4 if dtype == np.float32 else 1e-11)
    np.testing.assert_allclose(Z, exact, rtol=1e-3 if dtype == np.float32 else 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_reduction_is_reached_and_not_exceeded_by_far(kind, rng):
    made_of, W = pieces(kind, 200)
    B = rng.random((200, 5))
    ends = []
    for reduction in (0.3, 0.1, 0.01):
        Z, residual = solve_columns(made_of, np.full((1, 5), 0.01), 100.0, B, np.zeros_like(B), 1e-12, reduction)
        left = B - (0.01 * Z + 100.0 * laplacian(W) @ Z)
        relative = np.linalg.norm(left, axis=0) / np.linalg.norm(B, axis=0)
        assert relative.max() == pytest.approx(residual, rel=1e-6)
        # The start is 0, so that ‖b‖ is what it is reduced from; twice that is allowed to rounding.
        assert residual <= 2 * reduction
        ends.append(residual)
    assert ends[0] > ends[1] > ends[2] > 1e-6


def test_a_right_side_of_zeros_gives_zeros(rng):
    B = rng.random((60, 3))
    B[:, 1] = 0
    Z, _ = solve_columns(pieces("everything")[0], np.ones((1, 3)), 5.0, B, rng.random((60, 3)), 1e-12, 0.0)
    np.testing.assert_array_equal(Z[:, 1], 0)


def test_a_vertex_that_nothing_determines_gets_zero(rng):
    W = problem(n=30)[1]
    W[4], W[:, 4] = 0, 0
    A = np.ones((30, 2))
    A[4] = 0
    B = rng.random((30, 2))
    B[4] = 0
    made_of = Pieces(W.sum(axis=1), Matrix(sparse.csr_array(W)))
    Z, residual = solve_columns(made_of, A, 3.0, B, None, 1e-12, 0.0)
    assert residual < 1e-11
    np.testing.assert_array_equal(Z[4], 0)


def test_the_number_of_threads_changes_no_bit(monkeypatch, rng):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    made_of, _ = pieces("everything", 80)
    B, start = rng.random((80, 37)), rng.random((80, 37))
    answers = []
    for count in (1, 2, 5):
        with threads.limit(count):
            answers.append(solve_columns(made_of, np.ones((1, 37)), 9.0, B, start, 1e-12, 0.1)[0])
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])
