import numpy as np
import pytest
from tests.conftest import problem

from manifact.backends import as_data
from manifact.solvers.engine import run
from manifact.solvers.registry import SOLVERS
from manifact.terms import Frobenius
from manifact.terms.state import State


def setup():
    X, _, V, U = problem()
    terms = [Frobenius()]
    return State(as_data(X), U, V), terms, SOLVERS["mu"].step(terms)


def test_tol_zero_runs_exactly_max_iter():
    state, terms, step = setup()
    result = run(state, terms, step, max_iter=37, tol=0)
    assert result.n_iter == 37
    assert len(result.objective) == 38
    assert result.reason == "max_iter"
    assert not result.converged


def test_the_tolerance_is_over_ten_iterations():
    state, terms, step = setup()
    result = run(state, terms, step, max_iter=5000, tol=1e-3)
    o = result.objective
    assert result.converged
    assert o[-11] - o[-1] <= 1e-3 * o[-11]
    assert o[-12] - o[-2] > 1e-3 * o[-12]


def test_a_run_in_two_halves_is_the_run():
    state, terms, step = setup()
    whole = run(state, terms, step, max_iter=20, tol=0)
    half = run(state, terms, step, max_iter=8, tol=0)
    rest = run(half.state, terms, step, max_iter=20, tol=0, history=half.objective)
    np.testing.assert_array_equal(whole.objective, rest.objective)
    np.testing.assert_array_equal(whole.state.V, rest.state.V)


def test_callbacks_see_every_iterate_and_can_stop():
    state, terms, step = setup()
    seen = []
    result = run(state, terms, step, max_iter=20, tol=0, callbacks=[lambda i: seen.append(i.number) or i.number == 4])
    assert seen == [0, 1, 2, 3, 4]
    assert result.reason == "callback"
    assert result.n_iter == 4


def test_an_interrupt_keeps_the_last_iterate():
    state, terms, step = setup()
    expected = run(state, terms, step, max_iter=5, tol=0)

    def interrupted(s, calls=[]):  # noqa: B006
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return step(s)

    result = run(state, terms, interrupted, max_iter=20, tol=0)
    assert result.reason == "interrupted"
    np.testing.assert_array_equal(result.state.V, expected.state.V)
    np.testing.assert_array_equal(result.objective, expected.objective)


def test_a_broken_objective_is_reported():
    state, terms, _ = setup()
    with pytest.raises(FloatingPointError, match="after iteration 1: rescale X"):
        run(state, terms, lambda s: s.replace("V", s.V * np.nan), max_iter=3, tol=0)
