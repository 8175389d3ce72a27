"""Which samples belong to which part."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array, on_host


def clusters(model: Any) -> Array:
    """The part that each sample belongs to, as ``labels_`` says; −1 where it belongs to none."""
    return np.asarray(on_host(model.labels_))


def strongest_first(V: Array, clusters: Array) -> Array:
    """All samples: the strongest of each cluster, then the second of each, and so on; last those without a cluster."""
    placed = np.flatnonzero(clusters >= 0)
    own = V[placed, clusters[placed]]
    order = placed[np.lexsort((placed, -own, clusters[placed]))]
    starts = np.searchsorted(clusters[order], np.arange(V.shape[1]))
    rank = np.arange(len(order)) - starts[clusters[order]]
    return np.concatenate([order[np.lexsort((clusters[order], rank))], np.flatnonzero(clusters < 0)])
