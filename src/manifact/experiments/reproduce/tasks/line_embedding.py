"""Two classes on a line: a representation of one dimension, and how far it keeps the classes apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from manifact.experiments.reproduce.experiment_samples import samples
from manifact.experiments.reproduce.separation import overlap, threshold_accuracy
from manifact.experiments.reproduce.tasks.clustering_scores import fit
from manifact.metrics import accuracy


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The place of each sample, its class, and three measures: k-means, best threshold, overlap."""
    S = samples(settings)
    _, V = fit({**settings, "n_components": 1}, S, settings["seed"])
    v = np.asarray(V[:, 0], dtype=np.float64)
    clusters = KMeans(2, n_init=20, random_state=settings["seed"]).fit_predict(v[:, None])
    return {
        "line": [float(f"{value:.6g}") for value in v],
        "classes": S.y.tolist(),
        "AC": accuracy(S.y, clusters),
        "threshold": threshold_accuracy(v, S.y),
        "overlap": overlap(v, S.y),
    }
