"""Claims: they follow the numbers, and say how sure they are."""

import pytest

from manifact.experiments.reproduce import claims

SURE = {"a": [80.0, 81.0, 79.0, 82.0], "b": [70.0, 72.0, 69.0, 71.5]}
UNSURE = {"a": [80.0, 60.0, 79.0, 82.0], "b": [70.0, 72.0, 75.0, 71.5]}


def means(runs):
    return {name: sum(values) / len(values) for name, values in runs.items()}


@pytest.mark.parametrize(("runs", "significant"), [(SURE, True), (UNSURE, False)])
def test_what_holds_by_chance_is_told_apart(runs, significant):
    claim = claims.above({"method": "a", "than": ["b"]}, "AC", means(runs), runs)
    assert claim.holds
    assert claim.significant is significant


@pytest.mark.parametrize(("runs", "significant"), [(SURE, True), (UNSURE, False)])
def test_so_is_what_fails(runs, significant):
    claim = claims.above({"method": "b", "than": ["a"]}, "AC", means(runs), runs)
    assert not claim.holds
    assert claim.significant is significant


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ({"than": ["b"]}, "a is above b in average AC."),
        ({"than": ["b"], "points": 3}, "a's average AC is within 3 points of b or above."),
        ({"points": 3}, "a's average AC is within 3 points of the paper's or above it."),
        ({"equals": 3}, "a's average AC is within 3 points of the paper's."),
    ],
)
def test_what_a_claim_gives_says_what_is_asked(claim, text):
    found = claims.judge({"method": "a"} | claim, "AC", means(SURE), SURE, {"a": 80.0})
    assert found.text == text
    assert found.holds


def test_equal_is_neither_below_nor_above():
    paper = {"a": 82.0}
    assert claims.equal({"method": "a", "equals": 3}, "AC", {"a": 84.9}, paper).holds
    assert not claims.equal({"method": "a", "equals": 3}, "AC", {"a": 85.1}, paper).holds
    assert not claims.equal({"method": "a", "equals": 3}, "AC", {"a": 78.9}, paper).holds


def test_near_is_near_or_above():
    paper = {"a": 82.0}
    assert claims.near({"method": "a", "points": 3}, "AC", {"a": 79.0}, paper).holds
    assert claims.near({"method": "a", "points": 3}, "AC", {"a": 99.0}, paper).holds
    assert not claims.near({"method": "a", "points": 3}, "AC", {"a": 78.9}, paper).holds


@pytest.mark.parametrize(
    ("first", "second", "p"), [([1.0], [0.0], 1), ([1.0, 1.0], [1.0, 1.0], 1), ([2.0, 3.0], [1.0, 2.0], 0)]
)
def test_p_values_of_runs_without_spread(first, second, p):
    assert claims.p_value(first, second) == p
