"""The GNMF authors' demo on one data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manifact.experiments.reproduce.experiment_samples import dataset
from manifact.experiments.reproduce.gnmf_authors_demo import demo


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """NMI and AC in each of the demo's spaces."""
    return demo(dataset(settings["data"]))
