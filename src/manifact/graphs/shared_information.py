"""How much two clusterings of the same samples say alike, and how well one fits a graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics.cluster import expected_mutual_information

from manifact.backends import Array


class Agreement(NamedTuple):
    """What two clusterings say of a sample."""

    #: I − E[I]: bits that both say, beyond those that labels would share which are dealt out anew.
    bits: float
    #: (I − E[I]) / (H − E[I]), H the mean of both entropies: from 0, as by chance, to 1, the same clusters.
    share: float


def agreement(one: Array, other: Array) -> Agreement:
    """Of two clusterings.

    >>> agreement(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])).share
    1.0
    """
    n, width = len(one), int(other.max(initial=0)) + 1
    together = np.bincount(one * width + other, minlength=(int(one.max(initial=0)) + 1) * width).reshape(-1, width)
    together = together[together.any(axis=1)][:, together.any(axis=0)]
    if min(together.shape) < 2:
        return Agreement(0.0, 0.0)
    mean = (_entropy(together.sum(axis=1) / n) + _entropy(together.sum(axis=0) / n)) / 2
    mutual = 2 * mean - _entropy(together[together > 0] / n)
    by_chance = expected_mutual_information(together, n) / np.log(2)
    most = mean - by_chance
    return Agreement(float(mutual - by_chance), float((mutual - by_chance) / most) if most > 0 else 0.0)


def modularity(W: Any, labels: Array) -> float:
    """The share of edges inside clusters − Σ (share of ends in a cluster)².

    >>> from scipy import sparse
    >>> modularity(sparse.csr_array(np.kron(np.eye(2), [[0, 1], [1, 0]])), np.array([0, 0, 1, 1]))
    0.5
    """
    total = float(W.data.sum())
    if not total:
        return 0.0
    starts = np.repeat(labels, np.diff(W.indptr))
    inside = float(W.data[starts == labels[W.indices]].sum()) / total
    ends = np.bincount(starts, weights=W.data) / total
    return inside - float(ends @ ends)


def _entropy(shares: Array) -> float:
    return float(-(shares * np.log2(shares)).sum())
