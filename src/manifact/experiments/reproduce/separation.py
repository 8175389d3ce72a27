"""How far numbers on a line keep two classes apart."""

from __future__ import annotations

import numpy as np

from manifact.backends import Array


def threshold_accuracy(v: Array, y: Array) -> float:
    """Accuracy of the best single threshold on v, for classes 0 and 1.

    >>> threshold_accuracy(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 0, 1, 1]))
    1.0
    """
    ones = np.concatenate([[0], np.cumsum(y[np.argsort(v, kind="stable")])])
    below = np.arange(len(y) + 1)
    right = (below - ones) + (ones[-1] - ones)
    return float(max(right.max(), len(y) - right.min()) / len(y))


def overlap(v: Array, y: Array, bins: int = 40) -> float:
    """Σ min of the two classes' histograms: 0 apart, 1 alike.

    >>> overlap(np.array([1.0, 1.0, 3.0, 3.0]), np.array([0, 0, 1, 1]))
    0.0
    """
    edges = np.linspace(v.min(), v.max() + 1e-12, bins + 1)
    shares = [np.histogram(v[y == c], edges)[0] / np.sum(y == c) for c in (0, 1)]
    return float(np.minimum(*shares).sum())
