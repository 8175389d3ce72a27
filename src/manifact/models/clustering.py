"""Clusters of samples, read off their representation."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import normalize

from manifact.backends import Array


def means_of_parts(V: Array) -> Array:
    """The mean direction of the samples that have most of a part, for each part; zeros where there are none."""
    rows = normalize(V.astype(np.float64))
    largest = V.argmax(axis=1)
    means = np.zeros((V.shape[1], V.shape[1]))
    np.add.at(means, largest, rows)
    return means / np.maximum(np.bincount(largest, minlength=V.shape[1]), 1)[:, None]


def nearest(V: Array, means: Array) -> Array:
    """The part whose mean is nearest to a sample's direction."""
    rows = normalize(V.astype(np.float64))
    distances = np.einsum("ij,ij->i", means, means) - 2 * rows @ means.T
    distances[:, ~means.any(axis=1)] = np.inf
    return np.asarray(distances.argmin(axis=1))
