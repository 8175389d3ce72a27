import numpy as np
import pytest
from tests.conftest import problem

from manifact.backends import as_data
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.engine import run
from manifact.terms import ConceptState, Frobenius, State


@pytest.fixture
def state():
    X, _, V, U = problem()
    return State(as_data(X), U, V)


def test_its_parts_are_the_gradient_of_its_value(toy, state):
    term = toy("term").TotalVariation(0.7)
    positive, negative = term.gradient(state, "U")
    assert min(positive.min(), negative.min()) >= 0
    assert term.gradient(state, "V") is None
    for i, k in [(0, 0), (7, 2), (16, 3)]:
        step = np.zeros_like(state.U)
        step[i, k] = 1e-6
        values = [term.value(state.replace("U", state.U + sign * step)) for sign in (1, -1)]
        assert (values[0] - values[1]) / 2e-6 == pytest.approx((positive - negative)[i, k], rel=1e-5)


def test_the_rule_that_knows_only_gradients_minimises_it(toy, state):
    terms = [Frobenius(), toy("term").TotalVariation(0.7)]
    trace = run(state, terms, SOLVERS["mu"], max_iter=60, tol=0).objective
    assert (np.diff(trace) <= 1e-12 * trace[0]).all()
    assert trace[-1] < 0.9 * trace[0]


def test_two_of_them_count_twice(toy, state):
    one, half = toy("term").TotalVariation(1.0), toy("term").TotalVariation(0.5)
    runs = [run(state, [Frobenius(), *some], SOLVERS["mu"], max_iter=20, tol=0) for some in ([one], [half, half])]
    np.testing.assert_allclose(runs[1].objective, runs[0].objective)


@pytest.mark.parametrize(
    ("solver", "reason"), [("bcd", "no quadratic form row by row"), ("newton", "no bound of the form a v − c log v")]
)
def test_solvers_that_need_more_refuse_it_by_name(toy, state, solver, reason):
    terms = [toy("term").TotalVariation(1.0), Frobenius()]
    with pytest.raises(ValueError, match=f"solver='{solver}' cannot minimise a sum with TotalVariation: {reason}"):
        run(state, terms, SOLVERS[solver], max_iter=1, tol=0)


def test_states_that_it_is_wrong_for_are_refused(toy, state):
    from manifact.backends import as_gram

    X, _, V, _ = problem()
    concepts = ConceptState(as_gram(X), V, V)
    with pytest.raises(ValueError, match="cannot minimise a sum with TotalVariation: it is not defined for X ~ V CᵀX"):
        run(concepts, [Frobenius(), toy("term").TotalVariation(1.0)], SOLVERS["mu"], max_iter=1, tol=0)
