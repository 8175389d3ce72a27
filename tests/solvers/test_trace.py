import numpy as np
import pytest

from manifact.solvers.trace import MOST_WAITING, Trace, is_late


class Formula:
    """A value that costs a pass over the data, and says when it is asked for."""

    is_formula = True
    device = "cpu"

    def __init__(self, value, asked):
        self.value, self.asked = value, asked

    def __float__(self):
        self.asked.append(self.value)
        return self.value


def test_numbers_are_known_at_once():
    assert not is_late(1.0)
    assert not is_late(np.float64(1.0))
    trace = Trace([3.0])
    trace.append(np.float64(2.0))
    trace.append(1.0)
    assert trace.known() == [3.0, 2.0, 1.0]
    assert len(trace) == 3


def test_a_formula_waits_until_the_next_one():
    asked = []
    trace = Trace([9.0])
    trace.append(Formula(8.0, asked))
    assert (len(trace), trace.known(), asked) == (2, [9.0], [])
    assert trace.first(1) == [9.0]
    assert asked == []
    trace.append(Formula(7.0, asked))
    assert (trace.known(), asked) == ([9.0, 8.0], [8.0])
    assert trace.first(3) == [9.0, 8.0, 7.0]


def test_numbers_of_a_device_and_of_this_process_keep_their_order():
    class Placed(float):
        device = "elsewhere"

    trace = Trace()
    for value in (Placed(3.0), Placed(2.0), 1.0):
        trace.append(value)
    assert trace.known() == [3.0, 2.0, 1.0]


def test_a_device_is_asked_when_so_many_numbers_wait_there():
    class Placed(np.ndarray):
        device = "elsewhere"

    trace = Trace()
    for _ in range(MOST_WAITING - 1):
        trace.append(np.array(np.nan).view(Placed))
    with pytest.raises(FloatingPointError, match="after iteration 0"):
        trace.append(np.array(np.nan).view(Placed))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused_with_its_iteration(value):
    trace = Trace([9.0, 8.0])
    with pytest.raises(FloatingPointError, match="2"):
        trace.append(value)
