"""Nearest rows under key_ij = h_i + h_j + c <x_i, x_j>: squared distance, cosine, or their reverse.

Ties go to the smaller index. The heap holds the best so far with the worst on top.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.kernels import kernel


@kernel
def _sift(keys: Any, index: Any, size: int, root: int) -> None:
    while True:
        worst = root
        for child in (2 * root + 1, 2 * root + 2):
            if child < size and (
                keys[child] > keys[worst] or (keys[child] == keys[worst] and index[child] > index[worst])
            ):
                worst = child
        if worst == root:
            return
        keys[root], keys[worst] = keys[worst], keys[root]
        index[root], index[worst] = index[worst], index[root]
        root = worst


@kernel
def _sort(keys: Any, index: Any) -> None:
    """Best first (heap sort: the worst goes to the end)."""
    for size in range(len(keys) - 1, 0, -1):
        keys[0], keys[size] = keys[size], keys[0]
        index[0], index[size] = index[size], index[0]
        _sift(keys, index, size, 0)


@kernel
def sparse_nearest(
    q_indptr: Any, q_indices: Any, q_values: Any, q_h: Any, t_indptr: Any, t_indices: Any, t_values: Any,
    h: Any, c: float, skip: Any, keys: Any, index: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """For each query row, its best rows; (t_indptr, ...) is the transposed (inverted) index of the rows.

    ``skip[j]`` is the row that query j may not find (itself), or −1.
    """
    n = len(h)
    k = keys.shape[1]
    dots = h.copy()
    for j in range(start, stop):
        dots[:] = 0
        for t in range(q_indptr[j], q_indptr[j + 1]):
            f = q_indices[t]
            x = np.float64(q_values[t])
            for s in range(t_indptr[f], t_indptr[f + 1]):
                dots[t_indices[s]] += x * t_values[s]
        for i in range(n):
            if i == skip[j]:
                continue
            key = q_h[j] + h[i] + c * dots[i]
            if key < keys[j, 0]:
                keys[j, 0] = key
                index[j, 0] = i
                _sift(keys[j], index[j], k, 0)
        _sort(keys[j], index[j])


@kernel
def dense_nearest(
    rough: Any, slack: Any, Q: Any, q_h: Any, X: Any, h: Any, c: float, unit: float, skip: Any, keys: Any,
    index: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """As `sparse_nearest`; ``rough`` holds ``unit`` times the keys up to ``slack_j`` and rules most pairs out."""
    n, m = X.shape
    k = keys.shape[1]
    for j in range(start, stop):
        bound = unit * keys[j, 0] + slack[j]
        for i in range(n):
            if rough[j, i] > bound or i == skip[j]:
                continue
            dot = 0.0
            for f in range(m):
                dot += np.float64(Q[j, f]) * X[i, f]
            key = q_h[j] + h[i] + c * dot
            if key < keys[j, 0]:
                keys[j, 0] = key
                index[j, 0] = i
                _sift(keys[j], index[j], k, 0)
                bound = unit * keys[j, 0] + slack[j]
        _sort(keys[j], index[j])
