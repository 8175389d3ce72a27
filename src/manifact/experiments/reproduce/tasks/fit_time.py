"""Seconds of a whole fit: the graph, then the iterations."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from manifact.experiments.reproduce.experiment_samples import builder, samples
from manifact.experiments.reproduce.tasks.clustering_scores import make, weighted

#: Samples of a first fit, which compiles.
FEW = 200


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Seconds of the graph and of the rest, and how many samples there were."""
    S = samples(settings)
    _seconds(settings, S.X[: max(FEW, S.n_classes)], S.n_classes)
    graph, fit = _seconds(settings, S.X, S.n_classes)
    return {"graph": graph, "fit": fit, "samples": len(S.y)}


def _seconds(settings: Mapping[str, Any], X: Any, n_classes: int) -> tuple[float, float]:
    plain = {key: value for key, value in settings.items() if key != "graph"}
    estimator = make(plain, n_classes, settings["seed"])
    weighed, fitting = weighted(X, settings.get("weights"))
    begun = time.perf_counter()
    estimator.set_params(graph=builder(settings["graph"]).build(X))
    built = time.perf_counter()
    estimator.fit(weighed, **fitting)
    return built - begun, time.perf_counter() - built
