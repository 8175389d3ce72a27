import numpy as np
import pytest
from tests.conftest import problem

from manifact.backends import as_data
from manifact.solvers.momentum import BOUND_GROWTH, DECAY, FIRST, GROWTH, ahead, with_momentum
from manifact.terms import Frobenius, total
from manifact.terms.state import State


def test_ahead_goes_on_the_same_way():
    before, new = np.array([[1.0, 2.0]]), np.array([[2.0, 1.0]])
    np.testing.assert_allclose(ahead(new, before, 0.5), [[2.5, 0.5]])
    assert ahead(new, before, 0.0) is new
    assert ahead(new.astype(np.float32), before.astype(np.float32), 0.3).dtype == np.float32


class TestSteps:
    """`iterate` here multiplies U by what the test says, so that the objective does what the test wants."""

    TERMS = (Frobenius(),)

    def run(self, factors):
        X, _, V, U = problem()
        self.asked = []

        def iterate(s, before, rate):
            self.asked.append((before.U.copy(), rate))
            return s.replace("U", s.U * factors.pop(0))

        s = State(as_data(X), U * 100, V)
        return s, with_momentum(list(self.TERMS), iterate, lambda s: s)

    def test_it_grows_while_it_pays(self):
        s, step = self.run([0.9, 0.9, 0.9])
        first = step(s)
        second = step(first)
        assert [rate for _, rate in self.asked] == [0.0, FIRST]
        assert second.momentum.rate == pytest.approx(FIRST * GROWTH)
        assert second.momentum.bound == 1
        np.testing.assert_array_equal(second.momentum.before.U, first.U)
        step(second)
        np.testing.assert_array_equal(self.asked[-1][0], first.U)

    def test_it_is_taken_back_where_the_objective_rises(self):
        s, step = self.run([0.9, 1.5, 0.9])
        first = step(s)
        second = step(first)
        assert [rate for _, rate in self.asked] == [0.0, FIRST, 0.0]
        np.testing.assert_allclose(second.U, 0.81 * s.U)
        assert second.momentum.rate == pytest.approx(FIRST / DECAY)
        assert second.momentum.bound == FIRST

    def test_it_does_not_grow_past_a_rate_that_failed_but_by_little(self):
        s, step = self.run([0.99, 1.5, *[0.99] * 40])
        for _ in range(22):
            s = step(s)
        # Twenty steps that paid: the bound has grown from the rate that failed, and holds the rate.
        assert s.momentum.bound == pytest.approx(FIRST * BOUND_GROWTH**20)
        assert s.momentum.rate == pytest.approx(FIRST * BOUND_GROWTH**19)
        assert s.momentum.rate < FIRST / DECAY * GROWTH**20

    def test_nothing_moves_where_even_a_plain_step_rises(self):
        s, step = self.run([1.5])
        assert step(s) is s

    def test_the_first_step_is_made_from_the_prepared_start(self):
        X, _, V, U = problem()
        seen = []

        def iterate(s, before, rate):
            seen.append(s.U)
            return s

        step = with_momentum(list(self.TERMS), iterate, lambda s: s.replace("U", U))
        start = State(as_data(X), 100 * U, V)
        new = step(start)
        assert total(list(self.TERMS), new) < total(list(self.TERMS), start)
        step(new)
        assert all(found is U for found in seen)
