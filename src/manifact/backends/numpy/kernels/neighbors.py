"""Nearest (or farthest) rows by squared distance, ``sign`` = 1 (or −1) times Σ (q − x)².

A rough key rules most pairs out; those within its error are computed directly, so that common offsets and
near-duplicates keep their digits. Ties go to the smaller index. The heap holds the best so far with the worst on top.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel

#: Pairs that are ruled out together, by a few vector instructions.
LANES = 64
#: More than what rounding to float32 takes away.
ROUND_UP = float(np.finfo(np.float32).eps)
#: Rows are alike whose inner product is more than one over this of both squares: a fourth of the cosine's 1.
ALIKE = 8.0


@called_by_kernels
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


@called_by_kernels
def _sort(keys: Any, index: Any) -> None:
    """Best first (heap sort: the worst goes to the end)."""
    for size in range(len(keys) - 1, 0, -1):
        keys[0], keys[size] = keys[size], keys[0]
        index[0], index[size] = index[size], index[0]
        _sift(keys, index, size, 0)


@called_by_kernels
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


@called_by_kernels
def _sparse_square(
    dot: float, a_square: float, b_square: float, a_indices: Any, a_values: Any, b_indices: Any, b_values: Any
) -> float:
    """Σ (a − b)² of two sparse rows whose inner product is ``dot``."""
    whole = a_square + b_square
    # No digits are lost in this difference; where they would be, the differences come first.
    if ALIKE * abs(dot) <= whole:
        return whole - 2 * dot
    return _merged_square(a_indices, a_values, b_indices, b_values)


@called_by_kernels
def _square(a: Any, b: Any) -> float:
    """Σ (a − b)² of two dense rows."""
    total = 0.0
    for f in range(len(a)):
        gap = np.float64(a[f]) - np.float64(b[f])
        total += gap * gap
    return total


@called_by_kernels
def _offer(key: float, i: int, keys: Any, index: Any) -> None:
    """Row i enters the heap if it is better than the worst there, in whatever order rows come."""
    if key < keys[0] or (key == keys[0] and i < index[0]):
        keys[0] = key
        index[0] = i
        _sift(keys, index, len(keys), 0)


@called_by_kernels
def _limit(worst: float, unit: float, floor: float) -> float:
    """What a pair must not exceed to be looked at, rounded up so that it may be stored in float32."""
    limit = unit * worst - floor
    return limit + ROUND_UP * abs(limit)


@called_by_kernels
def _fill_dots(dots: Any, indices: Any, values: Any, t_indptr: Any, t_indices: Any, t_values: Any) -> None:
    """The products of a sparse row with all rows, whose inverted index is (t_indptr, ...)."""
    dots[:] = 0
    for t in range(len(indices)):
        f = indices[t]
        x = np.float64(values[t])
        for s in range(t_indptr[f], t_indptr[f + 1]):
            dots[t_indices[s]] += x * t_values[s]


@kernel
def sparse_nearest(
    q_indptr: Any, q_indices: Any, q_values: Any, q_squares: Any, q_floors: Any, indptr: Any, indices: Any,
    values: Any, squares: Any, floors: Any, t_indptr: Any, t_indices: Any, t_values: Any, sign: float, skip: Any,
    keys: Any, index: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """For each query row its best rows; (t_indptr, ...) is the inverted index of the rows.

    No key is below the floors of both rows minus 2 ``sign`` <q, x>. ``skip[j]`` is the row that query j may not find
    (itself), or −1.
    """
    n = len(floors)
    factor = -2 * sign
    dots = floors.copy()
    for j in range(start, stop):
        mine = slice(q_indptr[j], q_indptr[j + 1])
        _fill_dots(dots, q_indices[mine], q_values[mine], t_indptr, t_indices, t_values)
        if skip[j] >= 0:
            dots[skip[j]] = np.nan
        limit = _limit(keys[j, 0], 1.0, q_floors[j])
        for first in range(0, n, LANES):
            some, their_floors = dots[first : first + LANES], floors[first : first + LANES]
            hits = 0
            for t in range(len(some)):
                hits += their_floors[t] + factor * some[t] <= limit
            if hits == 0:
                continue
            for t in range(len(some)):
                if their_floors[t] + factor * some[t] <= limit:
                    i = first + t
                    row = slice(indptr[i], indptr[i + 1])
                    key = sign * _sparse_square(
                        some[t], q_squares[j], squares[i], q_indices[mine], q_values[mine], indices[row], values[row]
                    )
                    _offer(key, i, keys[j], index[j])
                    limit = _limit(keys[j, 0], 1.0, q_floors[j])
        _sort(keys[j], index[j])


@kernel
def rows_seek_columns(
    dots: Any, sign: float, unit: float, Q: Any, q_floors: Any, limits: Any, keys: Any, index: Any, X: Any,
    floors: Any, offset: int, start: int, stop: int,
) -> None:  # fmt: skip
    """Each row of ``dots`` (a query) looks at the columns (rows of X, the first of which is number ``offset``).

    No key times ``unit`` is below the floors of both minus 2 ``sign`` times their entry of ``dots``; where that is NaN
    they may not find each other. ``limits`` goes with ``keys``: the entries are float32 and rule out most pairs.
    """
    factor = np.float32(-2 * sign)
    for j in range(start, stop):
        limit = limits[j]
        for first in range(0, dots.shape[1], LANES):
            some, their_floors = dots[j, first : first + LANES], floors[first : first + LANES]
            # Without a branch, so that it is vectorised.
            hits = 0
            for t in range(len(some)):
                hits += their_floors[t] + factor * some[t] <= limit
            if hits == 0:
                continue
            for t in range(len(some)):
                if their_floors[t] + factor * some[t] <= limit:
                    _offer(sign * _square(Q[j], X[first + t]), offset + first + t, keys[j], index[j])
                    limits[j] = _limit(keys[j, 0], unit, q_floors[j])
                    limit = limits[j]


@kernel
def columns_seek_rows(
    dots: Any, sign: float, unit: float, Q: Any, q_floors: Any, limits: Any, keys: Any, index: Any, X: Any,
    floors: Any, offset: int, start: int, stop: int,
) -> None:  # fmt: skip
    """`rows_seek_columns` of ``dots`` transposed: the columns ``start`` to ``stop`` are the queries."""
    factor = np.float32(-2 * sign)
    for i in range(dots.shape[0]):
        floor = floors[i]
        for first in range(start, stop, LANES):
            last = min(first + LANES, stop)
            some, their_limits = dots[i, first:last], limits[first:last]
            hits = 0
            for t in range(len(some)):
                hits += floor + factor * some[t] <= their_limits[t]
            if hits == 0:
                continue
            for t in range(len(some)):
                if floor + factor * some[t] <= their_limits[t]:
                    j = first + t
                    _offer(sign * _square(Q[j], X[i]), offset + i, keys[j], index[j])
                    limits[j] = _limit(keys[j, 0], unit, q_floors[j])


@kernel
def mark_reached(
    dots: Any, sign: float, Q: Any, q_floors: Any, limits: Any, keys: Any, X: Any, reached: Any, start: int, stop: int
) -> None:
    """``reached[j, i]`` becomes whether the key of query j and row i is below ``keys[i]``, the row's own.

    As in `columns_seek_rows`; ``limits`` goes with ``keys``.
    """
    factor = np.float32(-2 * sign)
    for j in range(start, stop):
        floor = q_floors[j]
        for first in range(0, dots.shape[1], LANES):
            some, their_limits = dots[j, first : first + LANES], limits[first : first + LANES]
            hits = 0
            for t in range(len(some)):
                hits += floor + factor * some[t] <= their_limits[t]
            if hits == 0:
                continue
            for t in range(len(some)):
                if floor + factor * some[t] <= their_limits[t]:
                    reached[j, first + t] = sign * _square(Q[j], X[first + t]) < keys[first + t]


@kernel
def sparse_mark_reached(
    q_indptr: Any, q_indices: Any, q_values: Any, q_squares: Any, q_floors: Any, indptr: Any, indices: Any,
    values: Any, squares: Any, limits: Any, t_indptr: Any, t_indices: Any, t_values: Any, sign: float, keys: Any,
    reached: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """As `mark_reached`; (t_indptr, ...) is the inverted index of the rows."""
    factor = -2 * sign
    dots = limits.copy()
    for j in range(start, stop):
        mine = slice(q_indptr[j], q_indptr[j + 1])
        _fill_dots(dots, q_indices[mine], q_values[mine], t_indptr, t_indices, t_values)
        floor = q_floors[j]
        for i in range(len(limits)):
            if floor + factor * dots[i] <= limits[i]:
                row = slice(indptr[i], indptr[i + 1])
                key = sign * _sparse_square(
                    dots[i], q_squares[j], squares[i], q_indices[mine], q_values[mine], indices[row], values[row]
                )
                reached[j, i] = key < keys[i]


@kernel
def sort_found(keys: Any, index: Any, start: int, stop: int) -> None:
    """Best first."""
    for j in range(start, stop):
        _sort(keys[j], index[j])


@kernel
def dense_rank(X: Any, candidates: Any, keys: Any, index: Any, start: int, stop: int) -> None:
    """The best of each row's candidates."""
    for j in range(start, stop):
        for i in candidates[j]:
            _offer(_square(X[j], X[i]), i, keys[j], index[j])
        _sort(keys[j], index[j])


@kernel
def sparse_rank(
    indptr: Any, indices: Any, values: Any, candidates: Any, keys: Any, index: Any, start: int, stop: int
) -> None:
    """As `dense_rank`."""
    for j in range(start, stop):
        mine = slice(indptr[j], indptr[j + 1])
        for i in candidates[j]:
            row = slice(indptr[i], indptr[i + 1])
            key = _merged_square(indices[mine], values[mine], indices[row], values[row])
            _offer(key, i, keys[j], index[j])
        _sort(keys[j], index[j])


@kernel
def select_nearest(
    dots: Any, q_squares: Any, squares: Any, sign: float, keys: Any, index: Any, start: int, stop: int
) -> None:
    """The best rows of each query from inner products that are already known."""
    for j in range(start, stop):
        for i in range(len(squares)):
            key = sign * (q_squares[j] + squares[i] - 2 * dots[j, i])
            _offer(key, i, keys[j], index[j])
        _sort(keys[j], index[j])


@kernel
def product_nearest(dots: Any, squares: Any, keys: Any, index: Any, start: int, stop: int) -> None:
    """The best other rows of each row from the products of all, whose diagonal is ``squares``; none is below 0.

    Until the end the heap holds g_ii / 2 − g_ij, which order like the distances from j.
    """
    halves = squares.copy()
    halves /= 2
    # In the type of the products, so that comparisons stay in it.
    limits = halves[:1].copy()
    for j in range(start, stop):
        limits[0] = keys[j, 0]
        limit = limits[0]
        for first in range(0, dots.shape[1], LANES):
            some, theirs = dots[j, first : first + LANES], halves[first : first + LANES]
            # Without a branch, so that it is vectorised.
            hits = 0
            for t in range(len(some)):
                hits += theirs[t] - some[t] <= limit
            if hits == 0:
                continue
            for t in range(len(some)):
                if theirs[t] - some[t] <= limit and first + t != j:
                    _offer(theirs[t] - some[t], first + t, keys[j], index[j])
                    limits[0] = keys[j, 0]
                    limit = limits[0]
        _sort(keys[j], index[j])
        for t in range(keys.shape[1]):
            keys[j, t] = max(0.0, 2 * keys[j, t] + squares[j])
