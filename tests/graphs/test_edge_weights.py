"""Weights of edges beside a plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifact.graphs.edge_weights import LEAST_WIDTH, both_ways, own_widths, root_mean_square, symmetric_affinity


def plain_local(index, squares):
    """W and σ² as they are defined, sample by sample."""
    n = len(index)
    d2 = {}
    for i, (row, far) in enumerate(zip(index, squares, strict=True)):
        for j, square in zip(row, far, strict=True):
            d2[i, j] = d2[j, i] = square
    floor = LEAST_WIDTH * (squares.mean() if squares.any() else 1.0)
    widths = np.full(n, floor)
    for i in range(n):
        mine = [square for (a, _), square in d2.items() if a == i]
        if mine:
            widths[i] = max(np.median(mine), floor)
    W = np.zeros((n, n))
    for (i, j), square in d2.items():
        W[i, j] = np.exp(-square / np.sqrt(widths[i] * widths[j]))
    return W, widths


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 30), k=st.integers(1, 6), copies=st.integers(0, 5))
def test_local_weights_are_those_of_a_plain_loop(seed, n, k, copies):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    X[:copies] = X[0]
    d2 = ((X[:, None] - X[None]) ** 2).sum(axis=2) + np.where(np.eye(n), np.inf, 0)
    index = np.argsort(d2, axis=1)[:, : min(k, n - 1)]
    squares = np.take_along_axis(d2, index, axis=1)
    rows = np.repeat(np.arange(n), index.shape[1])
    W, widths = symmetric_affinity(rows, index.ravel(), squares.ravel(), n, "local")
    expected, sigma2 = plain_local(index, squares)
    np.testing.assert_allclose(widths, sigma2, rtol=1e-12)
    np.testing.assert_allclose(W.toarray(), expected, rtol=1e-9)
    np.testing.assert_array_equal(W.toarray(), W.toarray().T)


@pytest.mark.parametrize("scale", [1e-120, 1e-5, 1e5, 1e120])
def test_local_weights_do_not_depend_on_the_unit(rng, scale):
    rows, columns = np.array([0, 1, 2, 2]), np.array([1, 0, 1, 3])
    squares = np.array([1.0, 1.0, 3.0, 0.0])
    one, _ = symmetric_affinity(rows, columns, squares, 4, "local")
    other, _ = symmetric_affinity(rows, columns, scale * squares, 4, "local")
    np.testing.assert_allclose(other.toarray(), one.toarray(), rtol=1e-9)


def test_other_weights():
    rows, columns, squares = np.array([0, 2]), np.array([1, 1]), np.array([2.0, 8.0])
    W, widths = symmetric_affinity(rows, columns, squares, 3)
    assert widths is None
    np.testing.assert_array_equal(W.toarray(), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    W, _ = symmetric_affinity(rows, columns, squares, 3, "heat", 2.0)
    np.testing.assert_allclose(W.toarray()[1], [np.exp(-2 / 8), 0, np.exp(-8 / 8)])


def test_pairs_stand_in_both_directions_once_and_never_alone():
    rows, columns, squares = both_ways(np.array([0, 1, 2, 2]), np.array([1, 0, 2, 0]), np.array([1.0, 1.0, 0, 4.0]), 3)
    assert list(zip(rows.tolist(), columns.tolist(), squares.tolist(), strict=True)) == [
        (0, 1, 1.0),
        (0, 2, 4.0),
        (1, 0, 1.0),
        (2, 0, 4.0),
    ]


def test_samples_without_edges_have_the_least_width():
    np.testing.assert_allclose(own_widths(np.array([1, 1]), np.array([1.0, 3.0]), 3, 2.0), [4e-12, 2.0, 4e-12])
    assert root_mean_square(np.zeros(3)) == root_mean_square(np.empty(0)) == 1.0


def test_no_pairs_make_an_empty_graph():
    nothing = np.empty(0, dtype=np.int64)
    W, widths = symmetric_affinity(nothing, nothing, np.empty(0), 2, "local")
    assert W.shape == (2, 2)
    assert W.nnz == 0
    assert (widths > 0).all()


def test_a_pair_that_is_named_more_than_once_has_its_smallest_distance():
    rows, columns = np.array([2, 0, 2, 0]), np.array([0, 2, 0, 1])
    rows, columns, squares = both_ways(rows, columns, np.array([3.0, 2.0, 5.0, 0.0]), 3)
    assert rows.tolist() == [0, 0, 1, 2]
    assert columns.tolist() == [1, 2, 0, 0]
    assert squares.tolist() == [0.0, 2.0, 0.0, 2.0]


def test_widths_of_samples_with_different_numbers_of_edges(rng):
    counts = rng.integers(0, 9, size=40)
    rows, squares = np.repeat(np.arange(40), counts), rng.random(counts.sum())
    expected = [np.median(squares[rows == row]) if count else 1e-12 for row, count in enumerate(counts)]
    np.testing.assert_allclose(own_widths(rows, squares, 40, 1.0), expected, rtol=1e-14)
