import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.conftest import problem

from manifact.backends import as_data
from manifact.solvers.simplex import onto_simplex, shortened, simplex_basis
from manifact.terms import Frobenius, Redundancy, SimplexBasis, State, Term, total


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=12))
def test_the_projection_is_the_nearest_point_of_the_simplex(values):
    v = np.array(values)
    p = onto_simplex(v)
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1)
    # v − p is normal to the simplex: constant on the support, not larger off it.
    gap = v - p
    level = gap[p > 0].mean()
    np.testing.assert_allclose(gap[p > 0], level, atol=1e-9)
    assert (gap[p == 0] <= level + 1e-9).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [1e-20, 1e5, 1e20])
def test_the_projection_survives_large_numbers(dtype, scale, rng):
    p = onto_simplex((scale * rng.standard_normal(50)).astype(dtype))
    assert p.dtype == dtype
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1, rel=1e-5)


def test_every_basis_vector_is_its_exact_minimiser():
    X, _, V, U = problem()
    U /= U.sum(axis=0)
    terms = [Frobenius(), Redundancy(0.5), SimplexBasis()]
    s = State(as_data(X), U, V)
    for _ in range(200):
        s = simplex_basis(s, terms)
    value = total(terms, s)
    constraint = {"type": "eq", "fun": lambda u: u.reshape(17, 4).sum(axis=0) - 1}
    best = minimize(
        lambda u: total(terms, s.replace("U", u.reshape(17, 4))), np.full(68, 1 / 17), bounds=[(0, None)] * 68,
        constraints=constraint, method="SLSQP", options={"maxiter": 500, "ftol": 1e-12},
    )  # fmt: skip
    assert value <= best.fun + 1e-6 * best.fun


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_step_leaves_the_state_before_it_as_it_was(order):
    X, _, V, U = problem()
    U = np.array(U / U.sum(axis=0), order=order)
    before = U.copy()
    found = simplex_basis(State(as_data(X), U, V), [Frobenius(), SimplexBasis()])
    assert np.abs(found.U - before).max() > 1e-6
    np.testing.assert_array_equal(U, before)


def test_a_step_that_would_rise_is_shortened():
    X, _, V, U = problem()

    class Wall(Term):
        """A term whose value jumps as soon as V moves far, and whose gradient does not tell."""

        def value(self, s):
            return 1e6 * float(np.abs(s.V - V).max() > 1e-3)

        def gradient(self, s, block):
            return None

    s = State(as_data(X), U, V)
    terms = [Frobenius(), Wall()]
    after = shortened(s, terms, "V")
    assert total(terms, after) < total(terms, s)
    assert 0 < np.abs(after.V - V).max() <= 1e-3
