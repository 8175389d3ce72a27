"""Claims about curves: they hold on some numbers and fail on others."""

import numpy as np
import pytest

from manifact.experiments.reproduce.trends import RULES, Curve, judge, judge_best_differ, judge_sensitivity


def curve(*means):
    return Curve([1.0, 10.0, 100.0], means, [[mean - 1, mean + 1] for mean in means])


def curves(**methods):
    return {"digits": {name: curve(*means) for name, means in methods.items()}}


CASES = {
    "stable": ({"method": "a", "points": 5}, {"a": (80, 84, 82)}, {"a": (80, 86, 82)}),
    "above": ({"method": "a", "than": ["b"]}, {"a": (3, 3, 3), "b": (1, 2, 1)}, {"a": (3, 3, 3), "b": (1, 4, 1)}),
    "better": ({"method": "a", "than": "b"}, {"a": (3, 3, 9), "b": (1, 4, 1)}, {"a": (3, 3, 3), "b": (1, 9, 1)}),
    "falls": ({"method": "a"}, {"a": (80, 84, 79)}, {"a": (80, 70, 81)}),
    "falls by": ({"method": "a", "points": 5}, {"a": (80, 84, 74)}, {"a": (80, 70, 76)}),
    "keeps": ({"method": "a", "points": 5}, {"a": (80, 70, 76)}, {"a": (80, 84, 74)}),
    "best at": ({"method": "a", "value": 10.0}, {"a": (1, 2, 1)}, {"a": (1, 2, 3)}),
    "best inside": ({"method": "a"}, {"a": (1, 2, 1)}, {"a": (3, 2, 1)}),
}


def test_every_rule_has_a_case():
    assert set(CASES) == set(RULES)


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")
@pytest.mark.parametrize("rule", CASES)
def test_rule_flips_with_the_numbers(rule):
    claim, good, bad = CASES[rule]
    assert judge({"rule": rule, **claim}, "AC", "λ", curves(**good)).holds
    assert not judge({"rule": rule, **claim}, "AC", "λ", curves(**bad)).holds


def test_a_claim_must_hold_on_every_data_set_that_it_names():
    both = {**curves(a=(80, 84, 82)), "other": {"a": curve(80, 90, 82)}}
    claim = {"rule": "stable", "method": "a", "points": 5}
    assert not judge(claim, "AC", "λ", both).holds
    assert judge({**claim, "sets": ["digits"]}, "AC", "λ", both).holds


def test_only_the_named_range_counts():
    claim = {"rule": "stable", "method": "a", "points": 5, "low": 10.0, "high": 100.0}
    found = judge(claim, "AC", "λ", curves(a=(10, 84, 82)))
    assert found.holds
    assert "from 10 to 100" in found.text
    assert "82.0 to 84.0" in found.evidence


def test_best_values_differ_between_data_sets():
    same = {"one": {"a": curve(1, 2, 1)}, "two": {"a": curve(3, 4, 3)}}
    assert not judge_best_differ("AC", "p", "a", same).holds
    assert judge_best_differ("AC", "p", "a", {**same, "two": {"a": curve(5, 4, 3)}}).holds


def test_sensitivity_compares_spreads():
    found = {"α": curves(a=(1, 9, 1)), "β": curves(a=(1, 2, 1))}
    assert judge_sensitivity("AC", "a", "α", found).holds
    assert not judge_sensitivity("AC", "a", "β", found).holds


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")
def test_a_claim_about_a_change_says_whether_it_is_significant():
    def both(fall, noise):
        runs = [[80 + noise * draw for draw in range(6)], [80 - fall - noise * draw for draw in range(6)]]
        return {"digits": {"a": Curve([1.0, 10.0], [np.mean(one) for one in runs], runs)}}

    claim = {"rule": "falls", "method": "a"}
    sure, unsure = judge(claim, "AC", "p", both(5, 0.1)), judge(claim, "AC", "p", both(-1.5, 0.5))
    assert (sure.holds, sure.significant) == (True, True)
    assert (unsure.holds, unsure.significant) == (True, False)
    assert judge({"rule": "stable", "method": "a", "points": 5}, "AC", "p", both(1, 0)).significant is None


def test_the_best_is_shared_by_values_that_are_shown_alike():
    claim = {"rule": "best at", "method": "a", "value": 10.0}
    assert judge(claim, "AC", "λ", curves(a=(80.01, 80.0, 70))).holds
    assert not judge(claim, "AC", "λ", curves(a=(80.1, 80.0, 70))).holds
