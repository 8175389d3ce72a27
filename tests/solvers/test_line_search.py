import numpy as np
import pytest

from manifact.solvers.line_search import backtrack


def recorded(values):
    """A trial that is its length, and a list of all lengths that were tried."""
    tried = []

    def trial(length):
        tried.append(length)
        return length

    return trial, values, tried


def test_the_first_length_is_taken_where_it_does_not_rise():
    trial, values, tried = recorded(lambda length: 1.0)
    assert backtrack(trial, values, 1.0, 0.7) == (0.7, 0.7)
    assert tried == [0.7]
    assert isinstance(tried[0], float)


def test_lengths_shrink_until_the_value_is_not_above_the_limit():
    trial, values, tried = recorded(lambda length: length)
    point, length = backtrack(trial, values, 0.2, 1.0)
    assert tried == [1.0, 0.5, 0.25, 0.125]
    assert point == length == 0.125
    trial, values, tried = recorded(lambda length: length)
    assert backtrack(trial, values, 0.2, 1.0, shrink=0.1)[1] == pytest.approx(0.1)


def test_the_last_try_is_the_length_zero():
    trial, values, tried = recorded(lambda length: float(length > 0))
    assert backtrack(trial, values, 0.5, 1.0, tries=3) == (0.0, 0.0)
    assert tried == [1.0, 0.5, 0.25, 0.0]


def test_one_try_and_shrinking_to_nothing_takes_a_step_back_at_once():
    trial, values, tried = recorded(lambda length: length)
    assert backtrack(trial, values, 0.0, 0.9, shrink=0.0, tries=1) == (0.0, 0.0)
    assert tried == [0.9, 0.0]


@pytest.mark.parametrize("first", [1.0, np.ones(3)])
def test_there_is_no_point_where_even_the_length_zero_rises(first):
    trial, values, tried = recorded(lambda length: 1.0 + np.asarray(length))
    assert backtrack(trial, values, 0.5, first, tries=4) is None
    assert len(tried) == 5
    assert not np.any(tried[-1])


def test_a_first_length_of_zero_is_tried_once():
    trial, values, tried = recorded(lambda length: 1.0)
    assert backtrack(trial, values, 0.5, 0.0) is None
    assert tried == [0.0]
    assert backtrack(trial, values, 1.0, 0.0) == (0.0, 0.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_has_risen(bad):
    trial, values, _ = recorded(lambda length: bad if length > 0.3 else 0.0)
    assert backtrack(trial, values, 1.0, 1.0) == (0.25, 0.25)
    trial, values, _ = recorded(lambda length: bad)
    assert backtrack(trial, values, 1.0, 1.0, tries=2) is None


def test_columns_are_shortened_each_on_its_own():
    limits = np.array([1.0, 0.3, 0.1, 0.0])
    trial, values, tried = recorded(lambda lengths: lengths + 0.0)
    point, lengths = backtrack(trial, values, limits, np.ones(4), tries=5)
    np.testing.assert_array_equal(lengths, [1.0, 0.25, 0.0625, 0.0])
    np.testing.assert_array_equal(point, lengths)
    # A column that has arrived stays.
    np.testing.assert_array_equal(np.array(tried)[:, 0], 1.0)
    np.testing.assert_array_equal(np.array(tried)[2:, 1], 0.25)


def test_a_column_that_is_no_number_does_not_hold_the_others_back():
    trial, values, _ = recorded(lambda lengths: np.where(lengths > [2.0, 0.0], [0.0, np.nan], 0.0))
    _, lengths = backtrack(trial, values, np.ones(2), np.ones(2), tries=3)
    np.testing.assert_array_equal(lengths, [1.0, 0.0])


def test_a_column_that_rises_at_length_zero_leaves_no_point():
    trial, values, _ = recorded(lambda lengths: np.array([0.0, 2.0]))
    assert backtrack(trial, values, np.ones(2), np.array([1.0, 0.0])) is None
