"""Seconds of one iteration of a model, graphs built beforehand."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from manifact.experiments.reproduce.experiment_samples import Samples, samples
from manifact.experiments.reproduce.tasks.clustering_scores import make


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The mean over ``steps`` iterations: a run of one more, less a run of one, which holds what happens only once."""
    S, steps = samples(settings), settings["steps"]
    _seconds(settings, S, 2)  # compiles
    return {"seconds": max(0.0, _seconds(settings, S, steps + 1) - _seconds(settings, S, 1)) / steps, "steps": steps}


def _seconds(settings: Mapping[str, Any], S: Samples, iterations: int) -> float:
    limited = {**settings, "parameters": {**settings.get("parameters", {}), "max_iter": iterations, "tol": 0.0}}
    estimator = make(limited, S.n_classes, seed=0)
    begun = time.perf_counter()
    estimator.fit(S.X)
    return time.perf_counter() - begun
