"""Nearest (or farthest) rows by squared distance, ``sign`` = 1 (or −1) times Σ (q − x)².

A rough key rules most pairs out; those within its error are computed directly, so that common offsets and
near-duplicates keep their digits. Ties go to the smaller index. The heap holds the best so far with the worst on top.
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
def _merged_square(a_indices: Any, a_values: Any, b_indices: Any, b_values: Any) -> float:
    """Σ (a − b)² of two sparse rows with sorted indices."""
    s, t, total = 0, 0, 0.0
    while s < len(a_indices) or t < len(b_indices):
        if t == len(b_indices) or (s < len(a_indices) and a_indices[s] < b_indices[t]):
            gap = np.float64(a_values[s])
            s += 1
        elif s == len(a_indices) or b_indices[t] < a_indices[s]:
            gap = np.float64(b_values[t])
            t += 1
        else:
            gap = np.float64(a_values[s]) - np.float64(b_values[t])
            s += 1
            t += 1
        total += gap * gap
    return total


@kernel
def sparse_nearest(
    q_indptr: Any, q_indices: Any, q_values: Any, q_squares: Any, indptr: Any, indices: Any, values: Any, squares: Any,
    t_indptr: Any, t_indices: Any, t_values: Any, error: float, sign: float, skip: Any, keys: Any, index: Any,
    start: int, stop: int,
) -> None:  # fmt: skip
    """For each query row its best rows; (t_indptr, ...) is the inverted index of the rows.

    Rough keys q² + x² − 2 <q, x> are right to ``error`` times q² + x². ``skip[j]`` is the row that query j may not
    find (itself), or −1.
    """
    n = len(squares)
    k = keys.shape[1]
    dots = squares.copy()
    for j in range(start, stop):
        dots[:] = 0
        mine = slice(q_indptr[j], q_indptr[j + 1])
        for t in range(q_indptr[j], q_indptr[j + 1]):
            f = q_indices[t]
            x = np.float64(q_values[t])
            for s in range(t_indptr[f], t_indptr[f + 1]):
                dots[t_indices[s]] += x * t_values[s]
        for i in range(n):
            both = q_squares[j] + squares[i]
            if sign * (both - 2 * dots[i]) - error * both > keys[j, 0] or i == skip[j]:
                continue
            row = slice(indptr[i], indptr[i + 1])
            key = sign * _merged_square(q_indices[mine], q_values[mine], indices[row], values[row])
            if key < keys[j, 0]:
                keys[j, 0] = key
                index[j, 0] = i
                _sift(keys[j], index[j], k, 0)
        _sort(keys[j], index[j])


@kernel
def dense_nearest(
    rough: Any, q_lengths: Any, lengths: Any, error: float, unit: float, Q: Any, X: Any, sign: float, skip: Any,
    keys: Any, index: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """As `sparse_nearest`; ``rough`` holds ``unit`` times the keys up to ``error`` (‖q‖ + ‖x‖)², lengths as in it."""
    n, m = X.shape
    k = keys.shape[1]
    for j in range(start, stop):
        bound = unit * keys[j, 0]
        for i in range(n):
            reach = q_lengths[j] + lengths[i]
            if rough[j, i] - error * reach * reach > bound or i == skip[j]:
                continue
            total = 0.0
            for f in range(m):
                gap = np.float64(Q[j, f]) - np.float64(X[i, f])
                total += gap * gap
            key = sign * total
            if key < keys[j, 0]:
                keys[j, 0] = key
                index[j, 0] = i
                _sift(keys[j], index[j], k, 0)
                bound = unit * keys[j, 0]
        _sort(keys[j], index[j])


@kernel
def select_nearest(
    dots: Any, q_squares: Any, squares: Any, sign: float, keys: Any, index: Any, start: int, stop: int
) -> None:
    """The best rows of each query from inner products that are already known."""
    k = keys.shape[1]
    for j in range(start, stop):
        for i in range(len(squares)):
            key = sign * (q_squares[j] + squares[i] - 2 * dots[j, i])
            if key < keys[j, 0]:
                keys[j, 0] = key
                index[j, 0] = i
                _sift(keys[j], index[j], k, 0)
        _sort(keys[j], index[j])
