"""How much memory it takes, at the most and at once, to find neighbours: estimated from the size of the samples.

Of samples that lie elsewhere than in the host's memory nothing is said: 0.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

from manifact.backends import host_dtype, package_of
from manifact.backends.kinds import PACKAGES
from manifact.utils.memory import held_bytes

#: Bytes per neighbour that is found: list, pairs, and the graph on its way to being symmetric.
PER_NEIGHBOR = 100
#: What a search has beside the samples, whatever their size: tiles of inner products.
TILES = 1 << 23
#: Neighbours where their number is left to somebody else.
MANY = 30
#: Rows that are compared with landmarks at a time, at the most.
ROWS_AT_ONCE = 1 << 14


def in_host_memory(X: Any) -> bool:
    """Whether samples are NumPy's or SciPy's."""
    return package_of(X) not in PACKAGES


def whole_number(value: Any, otherwise: int) -> int:
    """A parameter that nobody has checked yet, or a usual value."""
    return int(value) if isinstance(value, Integral) else otherwise


def search_bytes(X: Any, n_neighbors: Any) -> float:
    """Of an exact search among the rows of X: another form of them, and what is found."""
    if not in_host_memory(X):
        return 0.0
    found = PER_NEIGHBOR * X.shape[0] * min(whole_number(n_neighbors, MANY), X.shape[0])
    if hasattr(X, "nnz"):
        # Turned about, and the squares of all entries in float64 on the way to the lengths of rows.
        return held_bytes(X) + 24 * X.nnz + found
    return 4 * X.shape[0] * X.shape[1] + TILES + found


def view_bytes(X: Any, directions: Any) -> float:
    """Of samples as they are compared: roots, and these at unit length; or so many directions."""
    if not in_host_memory(X):
        return 0.0
    return 2.0 * held_bytes(X) if directions is None else 24.0 * X.shape[0] * whole_number(directions, MANY)


def landmark_bytes(X: Any, p: int, n_neighbors: Any) -> float:
    """Of p dense landmarks, their turns of k-means, the mixtures of them, and one p x p decomposition."""
    n, m = X.shape
    itemsize = host_dtype(X).itemsize
    held = 3.0 * p * m * itemsize
    if not in_host_memory(X):
        return held + 32 * p * p
    # Documents beside centres come as whole blocks of inner products, others in tiles.
    compared = 2 * p * itemsize * n / max(1, -(-n // ROWS_AT_ONCE)) if hasattr(X, "nnz") else TILES
    return held + max(compared, 32 * p * p) + PER_NEIGHBOR * n * min(whole_number(n_neighbors, MANY), p)


def distance_bytes(X: Any, most: int) -> float:
    """Of all distances between at most so many samples, and these in float64."""
    if not in_host_memory(X):
        return 0.0
    some = min(X.shape[0], most)
    return 8 * some * some + 16 * some * (X.nnz / max(X.shape[0], 1) if hasattr(X, "nnz") else X.shape[1])
