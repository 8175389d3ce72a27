"""The projection onto a sparseness is the nearest point of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.baselines import hoyer_projection

from manifact.baselines.sparseness import nearest, nearest_of_sparseness, norm_ratio
from manifact.metrics import sparseness


@st.composite
def cases(draw):
    n, seed = draw(st.integers(1, 30)), draw(st.integers(0, 2**31))
    x = np.random.default_rng(seed).standard_normal((n, 1)) * 10.0 ** draw(st.integers(-6, 6))
    if draw(st.booleans()):
        x = np.round(x, draw(st.integers(-6, 1)))
    return x, norm_ratio(n, draw(st.floats(0, 1))), 10.0 ** draw(st.integers(-3, 3))


@given(cases())
def test_it_has_the_norms_and_no_negative_entry(case):
    x, ratio, length = case
    v = nearest(x, ratio * length, length)
    assert v.min() >= 0
    assert np.linalg.norm(v) == pytest.approx(length, rel=1e-9)
    assert v.sum() == pytest.approx(ratio * length, rel=1e-7)


@given(cases())
def test_no_point_with_these_norms_is_nearer(case):
    x, ratio, length = case
    v = nearest(x, ratio * length, length)
    # All have one length, so the nearest one is the one that points most towards x.
    rng = np.random.default_rng(0)
    near = v + rng.standard_normal((len(x), 200)) * length * 10.0 ** rng.uniform(-6, 0, 200)
    others = nearest(np.column_stack([near, rng.standard_normal((len(x), 200))]), ratio * length, length)
    best = float((x.T @ others).max())
    assert float((x.T @ v).item()) >= best - 1e-9 * length * np.linalg.norm(x)


@pytest.mark.parametrize("wanted", [0.05, 0.3, 0.6, 0.9, 0.99])
@pytest.mark.parametrize("n", [2, 5, 50, 500])
def test_it_equals_hoyers_iteration(wanted, n, rng):
    P = rng.standard_normal((n, 20))
    ratio = norm_ratio(n, wanted)
    expected = np.column_stack([hoyer_projection(p, 2 * ratio, 2.0) for p in P.T])
    np.testing.assert_allclose(nearest(P, 2 * ratio, 2.0), expected, atol=1e-9)


def test_among_equals_the_first_are_taken():
    v = nearest(np.ones((9, 1)), norm_ratio(9, 0.5), 1.0)
    assert v.sum() == pytest.approx(2)
    assert np.linalg.norm(v) == pytest.approx(1)
    assert (np.flatnonzero(v) < 4).all()
    np.testing.assert_allclose(nearest(np.ones((9, 1)), 1.0, 1.0).ravel(), np.eye(9)[0])
    np.testing.assert_allclose(nearest(np.ones((9, 1)), 3.0, 1.0), 1 / 3)


def test_the_nearest_length_is_found(rng):
    P = rng.random((30, 5)) * 7
    V = nearest_of_sparseness(P, 0.6)
    np.testing.assert_allclose(sparseness(V.T), 0.6)
    for factor in (0.9, 0.99, 1.01, 1.1):
        assert (np.linalg.norm(P - V, axis=0) < np.linalg.norm(P - factor * V, axis=0)).all()
    np.testing.assert_array_equal(nearest_of_sparseness(-P, 0.6), 0)
