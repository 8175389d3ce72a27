"""JSON without what JSON does not have."""

import json

from manifact.cli.json_output import dumps


def refuse(constant):
    raise AssertionError(constant)


def test_numbers_that_json_does_not_have_are_null():
    value = {"a": [1.5, float("nan"), {"b": (float("inf"), -float("inf"))}], "c": None, "d": "NaN", "e": True}
    assert json.loads(dumps(value), parse_constant=refuse) == {
        "a": [1.5, None, {"b": [None, None]}],
        "c": None,
        "d": "NaN",
        "e": True,
    }


def test_letters_stay_letters():
    assert dumps({"été": "日本"}) == '{"été": "日本"}'
