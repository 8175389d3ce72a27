"""The objective of a model, iteration by iteration."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from manifact.experiments.reproduce.experiment_samples import samples
from manifact.experiments.reproduce.tasks.clustering_scores import fit


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The true objective at the start and after each iteration, the seconds of the fit, and the samples."""
    S = samples(settings)
    begun = time.perf_counter()
    estimator, _ = fit(settings, S, settings["seed"])
    return {
        "objective": [float(value) for value in estimator.objective_],
        "seconds": time.perf_counter() - begun,
        "samples": len(S.y),
    }
