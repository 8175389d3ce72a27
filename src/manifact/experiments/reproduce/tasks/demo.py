"""The GNMF authors' demo on one data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manifact.experiments.reproduce.data import dataset
from manifact.experiments.reproduce.matlab import demo


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """NMI and AC in each of the demo's spaces."""
    return demo(dataset(settings["data"]))
