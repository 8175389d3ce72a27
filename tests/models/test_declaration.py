"""Docstrings of models say what their constructors do."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from manifact.datasets import load_digits
from manifact.models.base import Factorization
from manifact.models.registry import entries, on_command_line

MODELS = sorted((entry.cls for entry in entries().values() if issubclass(entry.cls, Factorization)), key=str)


def documented(cls: type) -> dict[str, str]:
    """Parameter -> the default that stands beside it; several may share a line."""
    parameters = cls.__doc__.partition("Parameters\n----------\n")[2].partition("\n\nAttributes\n")[0]
    lines = re.findall(r"^(\w[\w, ]*) : .*\bdefault=(.+)$", parameters, re.MULTILINE)
    return {
        name: value
        for names, values in lines
        for name, value in zip(names.split(", "), values.split(" and "), strict=True)
    }


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_documented_defaults_are_those_of_the_constructor(cls: type) -> None:
    told = documented(cls)
    true = {name: parameter.default for name, parameter in inspect.signature(cls).parameters.items()}
    assert set(told) == set(true)
    assert {name: _read(value) for name, value in told.items()} == true


@pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
def test_no_mark_is_left_in_a_docstring(cls: type) -> None:
    assert not re.search(r"\{default of|\{\w+ (parameters|attributes)\}", cls.__doc__)


def test_what_models_differ_in_is_documented_as_each_has_it() -> None:
    told = {cls.__name__: documented(cls) for cls in MODELS}
    assert told["GNMF"]["graph_reg"] == "2" != told["LCCF"]["graph_reg"]
    assert told["CF"]["assign"] == '"argmax"' != told["NMF"]["assign"]
    assert told["AffinityNMF"]["init"] == '"spectral"' != told["GNMF"]["init"]


@pytest.mark.parametrize("cls", [entry.cls for entry in on_command_line().values()], ids=lambda cls: cls.__name__)
def test_transform_differs_from_fit_transform_by_as_much_as_the_notes_say(cls: type) -> None:
    notes = " ".join(cls.__doc__.partition("Notes\n-----\n")[2].split())
    told = float(re.search(r"`fit_transform`(?: gave, to within| by) ([\d.]+)% ?", notes)[1])
    X = normalize(load_digits().X)
    model = cls(10, random_state=0)
    V = model.fit_transform(X)
    differs = 100 * np.linalg.norm(model.transform(X) - V) / np.linalg.norm(V)
    assert differs == pytest.approx(told, abs=0.1 if told < 0.5 else 0.6)


def _read(value: str) -> object:
    names = {"None": None, "True": True, "False": False}
    return value[1:-1] if value.startswith('"') else names[value] if value in names else float(value)
