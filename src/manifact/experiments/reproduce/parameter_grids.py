"""Grids of settings: what a method is tried with."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

#: Settings that belong to the page or to the grid, not to a run.
OUTSIDE = ("grid", "what")


@dataclass(frozen=True)
class Choice:
    """One point of a grid: its name for readers, and the settings of a run."""

    name: str
    settings: dict[str, Any]


def choices(settings: Mapping[str, Any]) -> list[Choice]:
    """Every point of ``settings["grid"]``, in order; without a grid the settings alone, under an empty name.

    An axis has a ``name``, its ``values`` and what it ``sets``: one or more settings, inner ones after a dot.

    >>> axis = {"name": "λ", "sets": ["parameters.graph_reg"], "values": [1, 10]}
    >>> [(choice.name, choice.settings) for choice in choices({"method": "GNMF", "grid": [axis]})][1]
    ('λ = 10', {'method': 'GNMF', 'parameters': {'graph_reg': 10}})
    """
    axes = settings.get("grid", [])
    plain = {key: value for key, value in settings.items() if key not in OUTSIDE}
    found = []
    for values in product(*(axis["values"] for axis in axes)):
        chosen = copy.deepcopy(plain)
        for axis, value in zip(axes, values, strict=True):
            for place in axis["sets"]:
                put(chosen, place, value)
        name = ", ".join(f"{axis['name']} = {value:g}" for axis, value in zip(axes, values, strict=True))
        found.append(Choice(name, chosen))
    return found


def put(settings: dict[str, Any], place: str, value: Any) -> None:
    """Set what ``place`` names, "parameters.graph_reg" inside a table that is made if it is not there."""
    *outer, last = place.split(".")
    for name in outer:
        settings = settings.setdefault(name, {})
    settings[last] = value
