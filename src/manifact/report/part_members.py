"""Which samples belong to which part."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from manifact.backends import Array


def clusters(model: Any) -> Array:
    """The part that each sample belongs to: the model's cluster, by the name of its part, or the heaviest part.

    k-means numbers its clusters as it likes. Clusters and parts are paired so that most samples lie in the cluster of
    their heaviest part (Hungarian method).
    """
    heaviest = np.asarray(model.representation_.argmax(axis=1))
    labels = getattr(model, "labels_", None)
    if labels is None:
        return heaviest
    if getattr(model, "assign", None) in ("argmax", "nearest"):
        return np.asarray(labels)
    k = max(model.representation_.shape[1], int(np.max(labels)) + 1)
    counts = np.zeros((k, k))
    np.add.at(counts, (labels, heaviest), 1)
    _, part_of = linear_sum_assignment(-counts)
    return np.asarray(part_of[labels])


def strongest_first(V: Array, clusters: Array) -> Array:
    """All samples: the strongest of each cluster, then the second of each, and so on."""
    own = V[np.arange(len(V)), clusters]
    order = np.lexsort((np.arange(len(V)), -own, clusters))
    starts = np.searchsorted(clusters[order], np.arange(V.shape[1]))
    rank = np.arange(len(V)) - starts[clusters[order]]
    return order[np.lexsort((clusters[order], rank))]
