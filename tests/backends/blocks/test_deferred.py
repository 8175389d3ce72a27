"""Formulas give NumPy's numbers, in as few walks as can be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifact.backends import backend_of, namespace, on_host
from manifact.backends.block_samples import ArrayBlocks
from manifact.backends.blocks import like, like_rows
from manifact.backends.blocks.deferred import Rows, Whole
from manifact.backends.blocks.layout import Layout
from manifact.backends.blocks.local_walk import LocalWalk


class Counted(LocalWalk):
    walks = 0

    def walk(self, program, layout):
        self.walks += 1
        return super().walk(program, layout)


@pytest.fixture
def problem(rng):
    X = ArrayBlocks(rng.random((23, 4)), 7)
    X.layout = Layout(X.bounds, Counted())
    V, U = rng.random((23, 3)), rng.random((4, 3))
    return X, V, U, like_rows(V, X), like(U, X)


@given(
    rows=st.lists(st.integers(0, 23), max_size=4),
    name=st.sampled_from(["add", "sub", "mul", "truediv", "pow"]),
    swapped=st.booleans(),
)
def test_operators_are_those_of_numpy_however_rows_are_cut(rows, name, swapped):
    rng = np.random.default_rng(1)
    layout = Layout(sorted({0, 23, *rows}), LocalWalk())
    A, B = 0.5 + rng.random((23, 3)), 0.5 + rng.random(3)
    tall = Rows(layout, None, (), (3,), A.dtype)
    tall.held = layout.walker.holding(A, layout)
    left, right = (B, tall) if swapped else (tall, B)
    operator = getattr(
        np, {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power"}[name]
    )
    method = f"__r{name}__" if swapped else f"__{name}__"
    if swapped and name == "pow":
        return
    found = getattr(tall, method)(B)
    assert found.shape == (23, 3)
    assert found.dtype == A.dtype
    expected = operator(*(A if part is tall else part for part in (left, right)))
    np.testing.assert_allclose(on_host(found), expected)


def test_functions_are_those_of_numpy(problem):
    _X, V, U, tall, small = problem
    xp = namespace(tall)
    assert namespace(small) is xp
    np.testing.assert_allclose(on_host(xp.sqrt(xp.maximum(tall, 0.3))), np.sqrt(np.maximum(V, 0.3)))
    np.testing.assert_allclose(on_host(xp.sum(tall * tall, axis=1)), (V * V).sum(axis=1))
    np.testing.assert_allclose(on_host(xp.max(tall, axis=0)), V.max(axis=0))
    np.testing.assert_allclose(on_host(tall[:, [2, 0]]), V[:, [2, 0]])
    np.testing.assert_allclose(on_host(tall @ small.T), V @ U.T)
    np.testing.assert_allclose(on_host(xp.where(small > 0.5, small, 0.0)), np.where(U > 0.5, U, 0))
    assert on_host(xp.astype(tall, np.float32)).dtype == np.float32
    assert bool(xp.any(small > 2)) is False


def test_sums_that_are_known_to_be_needed_take_one_walk(problem):
    X, V, _U, tall, _small = problem
    backend, walker = backend_of(tall), X.layout.walker
    moved = backend.ahead(tall, tall * 0.5, 0.25)
    sums = backend.column_sums(moved), backend.cross(moved, tall), backend.inner(moved, moved)
    np.testing.assert_allclose(on_host(sums[1]), (V + 0.25 * 0.5 * V).T @ V)
    assert walker.walks == 1
    np.testing.assert_allclose(on_host(sums[0]), (1.125 * V).sum(axis=0))
    np.testing.assert_allclose(float(sums[2]), np.sum((1.125 * V) ** 2))
    assert walker.walks == 1


def test_a_step_that_needs_a_sum_takes_another_walk_and_no_more(problem):
    X, _V, _U, tall, _small = problem
    backend, walker = backend_of(tall), X.layout.walker
    for _ in range(5):
        tall = backend.scale(tall, columns=1 / backend.column_sums(tall))
    np.testing.assert_allclose(on_host(backend.column_sums(tall)), np.ones(3))
    # Scaled once, columns sum to 1: each turn needs the sums of the one before.
    assert walker.walks == 6


def test_what_is_kept_forgets_what_it_came_from(problem):
    _X, _V, _U, tall, _small = problem
    backend = backend_of(tall)
    kept = backend.kept(tall + 1)
    total = backend.column_sums(kept)
    on_host(total)
    assert kept.held is not None
    assert kept.arguments == ()
    assert isinstance(total, Whole)
    assert total.arguments == ()


def test_a_product_over_samples_is_asked_of_the_backend(problem):
    *_, tall, small = problem
    with pytest.raises(TypeError, match="cross"):
        small.T @ tall
    with pytest.raises(TypeError, match="all at once"):
        tall[3]
