import numpy as np
import pytest

from manifact.backends import as_data
from manifact.backends.sketched_data import FEWEST_DIRECTIONS, SketchedData, directions_for
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.engine import run
from manifact.terms import Frobenius, State


@pytest.fixture
def low_rank(rng):
    """Samples of fewer directions than a sketch has."""
    return rng.random((320, 20)) @ rng.random((20, 260))


def sketch_of(X, k=5):
    return SketchedData.of(X, as_data(X), k)


def test_more_parts_have_more_directions():
    assert directions_for(1) == FEWEST_DIRECTIONS
    assert directions_for(100) == 400


def test_samples_of_few_directions_are_their_sketch(low_rank, rng):
    sketch, data = sketch_of(low_rank), as_data(low_rank)
    U, V = rng.random((260, 5)), rng.random((320, 5))
    np.testing.assert_allclose(sketch.times(U), data.times(U), rtol=1e-8)
    np.testing.assert_allclose(sketch.times_transposed(V), data.times_transposed(V), rtol=1e-8)
    np.testing.assert_array_equal(sketch.row(3), low_rank[3])
    np.testing.assert_array_equal(sketch.squares, data.squares)
    assert sketch.square_sum == data.square_sum
    assert sketch.shape == low_rank.shape


def test_what_other_directions_have_is_left_out(rng):
    X = rng.random((400, 300))
    sketch = sketch_of(X)
    U = rng.random((300, 5))
    Q = sketch.directions
    np.testing.assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-10)
    np.testing.assert_allclose(sketch.times(U), X @ Q @ (Q.T @ U), rtol=1e-10)
    assert sketch.settled(-1.0, U, U) == 0.0


@pytest.mark.parametrize("one_by_one", [False, True])
def test_iterations_on_a_sketch_are_those_on_samples_of_its_directions(low_rank, rng, monkeypatch, one_by_one):
    if one_by_one:
        monkeypatch.setattr("manifact.backends.numpy.sketched_descent", lambda *args: None)
    U, V = rng.random((260, 5)), rng.random((320, 5))
    ends = []
    for data in (as_data(low_rank), sketch_of(low_rank)):
        result = run(State(data, U, V), [Frobenius()], SOLVERS["bcd"], max_iter=12, tol=0)
        ends.append((result.state.U @ result.state.V.T, result.objective))
    np.testing.assert_allclose(ends[1][0], ends[0][0], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ends[1][1], ends[0][1], rtol=1e-6)


def test_products_are_known_of_factors_that_came_of_the_last_iterations(low_rank, rng, monkeypatch):
    sketch = sketch_of(low_rank)
    made, cross = [], sketch.backend.cross
    monkeypatch.setattr(sketch.backend, "cross", lambda A, B: made.append(A is sketch.directions) or cross(A, B))
    run(State(sketch, rng.random((260, 5)), rng.random((320, 5))), [Frobenius()], SOLVERS["bcd"], max_iter=10, tol=0)
    # Of the start, and of what momentum began with.
    assert sum(made) <= 3
