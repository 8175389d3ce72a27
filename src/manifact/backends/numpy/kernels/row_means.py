"""Means of groups of rows, each summed in float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel


@kernel
def sparse_means(
    indptr: Any, indices: Any, values: Any, order: Any, bounds: Any, means: Any, start: int, stop: int
) -> None:
    """means_i = the mean of the rows order[bounds_i : bounds_i+1] of a sparse matrix; without rows it stays."""
    total = np.empty(means.shape[1])
    for i in range(start, stop):
        size = bounds[i + 1] - bounds[i]
        if size == 0:
            continue
        total[:] = 0
        for place in range(bounds[i], bounds[i + 1]):
            j = order[place]
            for t in range(indptr[j], indptr[j + 1]):
                total[indices[t]] += values[t]
        for c in range(len(total)):
            means[i, c] = total[c] / size


@kernel
def dense_means(X: Any, order: Any, bounds: Any, means: Any, start: int, stop: int) -> None:
    """The same of an array."""
    total = np.empty(means.shape[1])
    for i in range(start, stop):
        size = bounds[i + 1] - bounds[i]
        if size == 0:
            continue
        total[:] = 0
        for place in range(bounds[i], bounds[i + 1]):
            row = X[order[place]]
            for c in range(len(total)):
                total[c] += row[c]
        for c in range(len(total)):
            means[i, c] = total[c] / size
