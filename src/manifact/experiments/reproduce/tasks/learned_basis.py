"""The basis that a model learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manifact.experiments.reproduce.experiment_samples import samples
from manifact.experiments.reproduce.tasks.clustering_scores import fit
from manifact.metrics import sparseness


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Hoyer's sparseness of every basis vector, and the first ``shown`` of the vectors themselves (all: None)."""
    estimator, _ = fit(settings, samples(settings), settings["seed"])
    basis = np.asarray(estimator.components_, dtype=np.float64)
    return {
        "sparseness": sparseness(basis).tolist(),
        # Six digits are more than a picture shows, and a third of the file.
        "basis": [[float(f"{value:.6g}") for value in part] for part in basis[: settings.get("shown")]],
    }
