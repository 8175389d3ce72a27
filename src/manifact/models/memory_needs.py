"""How much memory a fit takes, at the most and at once, beside X: estimated from sizes before any work is done.

Counts of arrays were measured (``manifact bench memory``), which shows estimates beside what fits took.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import comes_in_blocks, host_dtype
from manifact.backends.sketched_data import SPARE, directions_for
from manifact.graphs.search_memory import MANY, PER_NEIGHBOR, in_host_memory, whole_number
from manifact.models.short_runs import is_sketched
from manifact.utils.memory import held_bytes

#: Kernels read rows of factors in whole vectors of so many bytes.
VECTOR = 64
#: Arrays of the size of all factors: iterates, those before, products and their new values. Of AffinityNMF, whose V
#: and A are n x k, and of the divergence, which keeps no products.
HELD, HELD_BY_AFFINITY, HELD_BY_DIVERGENCE = 10, 12, 8
#: Arrays of the directions of a sketch, with a row for each sample and for each feature.
SKETCH_ROWS, SKETCH_COLUMNS = 3.5, 5.0
#: Arrays of n x k numbers in float64 of clusters to start from: eigenvectors, angles, memberships.
CLUSTERS = 5
#: The same of linear systems in every column of V.
SYSTEMS = 4


def factor_bytes(X: Any, k: int, rows: int) -> float:
    """Of one array with so many rows of k numbers, as kernels hold it."""
    itemsize = host_dtype(X).itemsize
    lanes = VECTOR // itemsize
    return float(rows * -(-k // lanes) * lanes * itemsize)


def data_bytes(X: Any) -> float:
    """Of X as products need it: sparse X turned about as well, dense X row by row; blocks come and go."""
    if comes_in_blocks(X):
        return 0.0
    copied = not X.flags.c_contiguous if isinstance(X, np.ndarray) else hasattr(X, "nnz")
    return held_bytes(X) if copied else 0.0


def iteration_bytes(X: Any, k: int, held: int) -> float:
    """Of a factorisation X ~ V Uᵀ while it iterates. What has a row per sample goes to disk with samples in blocks."""
    rows = X.shape[1] if comes_in_blocks(X) else sum(X.shape)
    return data_bytes(X) + held * factor_bytes(X, k, rows)


def kmeans_bytes(X: Any) -> float:
    """Of k-means on samples: these about their mean and their spread, or turned about with their squares."""
    if not in_host_memory(X):
        return 0.0
    return (3.0 if hasattr(X, "nnz") else 2.0) * held_bytes(X)


def sketch_bytes(X: Any, k: int) -> float:
    """Of a sketch while it is made, in float64 whatever X is; nothing where there is none."""
    if not is_sketched(X, k):
        return 0.0
    width = directions_for(k) + SPARE
    samples = 0.0 if comes_in_blocks(X) else SKETCH_ROWS * X.shape[0]
    return 8.0 * width * (samples + SKETCH_COLUMNS * X.shape[1])


def row_bytes(X: Any, k: int, arrays: int) -> float:
    """Of so many arrays of n x k numbers in float64."""
    return 0.0 if comes_in_blocks(X) else 8.0 * arrays * X.shape[0] * k


def graph_bytes(X: Any, builder: Any) -> float:
    """Of a graph that is built: its edges."""
    neighbors = whole_number(getattr(builder, "n_neighbors", 5), MANY)
    return 0.0 if comes_in_blocks(X) else PER_NEIGHBOR / 2 * X.shape[0] * neighbors
