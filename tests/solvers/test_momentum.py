import numpy as np
import pytest
from tests.terms.cases import state

from manifact.solvers.momentum import BOUND_GROWTH, DECAY, FIRST, GROWTH, with_momentum
from manifact.terms import Frobenius, total

TERMS = [Frobenius()]


class TestSteps:
    """`iterate` here multiplies U by what the test says, so that the objective does what the test wants."""

    def run(self, *factors):
        """The start and as many states and memories after it as there are steps that the factors make."""
        factors = list(factors)
        self.asked = []

        def iterate(s, before, rate):
            self.asked.append((before.U.copy(), rate))
            return s.replace("U", s.U * factors.pop(0))

        s = state()
        path = [(s.replace("U", 100 * s.U), {})]
        while factors:
            path.append(with_momentum(TERMS, iterate, *path[-1]))
        return path

    def test_it_grows_while_it_pays(self):
        _, (first, _), (second, memory), _ = self.run(0.9, 0.9, 0.9)
        assert [rate for _, rate in self.asked[:2]] == [0.0, FIRST]
        assert memory["rate"] == pytest.approx(FIRST * GROWTH)
        assert memory["bound"] == 1
        np.testing.assert_array_equal(memory["before"].U, first.U)
        assert self.asked[2][1] == memory["rate"]
        np.testing.assert_array_equal(self.asked[2][0], first.U)
        np.testing.assert_allclose(second.U, 0.9 * first.U)

    def test_it_is_taken_back_where_the_objective_rises(self):
        (s, _), (first, _), (second, memory) = self.run(0.9, 1.5, 0.9)
        assert [rate for _, rate in self.asked] == [0.0, FIRST, 0.0]
        # Without momentum there is no point ahead.
        np.testing.assert_array_equal(self.asked[2][0], first.U)
        np.testing.assert_allclose(second.U, 0.81 * s.U)
        assert memory["rate"] == pytest.approx(FIRST / DECAY)
        assert memory["bound"] == FIRST

    def test_it_does_not_grow_past_a_rate_that_failed_but_by_little(self):
        _, memory = self.run(0.99, 1.5, *[0.99] * 21)[-1]
        # Twenty steps that paid: the bound has grown from the rate that failed, and holds the rate.
        assert memory["bound"] == pytest.approx(FIRST * BOUND_GROWTH**20)
        assert memory["rate"] == pytest.approx(FIRST * BOUND_GROWTH**19)
        assert memory["rate"] < FIRST / DECAY * GROWTH**20

    def test_nothing_moves_where_even_a_plain_step_rises(self):
        (s, _), (after, memory) = self.run(1.5)
        assert after is s
        assert not memory
        *_, (before, remembered), (after, memory) = self.run(0.9, 1.5, 1.5)
        assert after is before
        assert memory is remembered

    def test_what_it_remembers_is_what_a_checkpoint_can_store(self):
        for _, memory in self.run(0.9, 0.9, 1.5, 0.9)[1:]:
            assert set(memory) == {"before", "rate", "bound"}
            assert type(memory["rate"]) is float
            assert type(memory["bound"]) is float


def test_the_first_step_is_made_from_the_prepared_start():
    s = state()
    seen = []

    def iterate(s, before, rate):
        seen.append(s.U)
        return s

    start = s.replace("U", 100 * s.U)
    prepared = s.U
    new, memory = with_momentum(TERMS, iterate, start, {}, lambda start: start.replace("U", prepared))
    assert total(TERMS, new) < total(TERMS, start)
    assert memory["before"].U is prepared
    with_momentum(TERMS, iterate, new, memory, lambda start: pytest.fail("only the first step is prepared"))
    assert all(found is prepared for found in seen)
