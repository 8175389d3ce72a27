"""One centre of k-means tried elsewhere: scores are <f_j, c_i> − ‖c_i‖²/2, of which a row's largest is its nearest."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel


@called_by_kernels
def _score(F: Any, centre: Any, out: Any) -> None:
    """out_j = <f_j, c> − ‖c‖²/2, of Fᵀ, so that rows are looked at abreast."""
    k, n = F.shape
    half = F.dtype.type(0)
    for c in range(k):
        half += centre[c] * centre[c]
    half *= F.dtype.type(0.5)
    for j in range(n):
        out[j] = -half
    for c in range(k):
        factor, row = centre[c], F[c]
        for j in range(n):
            out[j] += factor * row[j]


@called_by_kernels
def _look_again(scores: Any, columns: Any, column_of: Any, changed: Any, labels: Any, own: Any) -> None:
    """Labels and scores of rows with their nearest centre, after those of the ``changed`` centres are other ones."""
    k, n = scores.shape
    for j in range(n):
        if changed[labels[j]]:
            own[j] = -np.inf
            for c in range(k):
                score = scores[c, j] if column_of[c] < 0 else columns[column_of[c], j]
                if score > own[j]:
                    own[j], labels[j] = score, c
    for c in range(k):
        if changed[c]:
            column = columns[column_of[c]]
            for j in range(n):
                if column[j] > own[j]:
                    own[j], labels[j] = column[j], c


@called_by_kernels
def _move(F: Any, before: Any, labels: Any, sums: Any, sizes: Any, changed: Any) -> None:
    """Rows go from the sums of their clusters to those of others; which clusters that changes."""
    changed[:] = False
    for j in range(len(labels)):
        old, new = before[j], labels[j]
        if old != new:
            changed[old] = changed[new] = True
            sizes[old] -= 1
            sizes[new] += 1
            for c in range(F.shape[0]):
                sums[old, c] -= F[c, j]
                sums[new, c] += F[c, j]
            before[j] = new


@kernel
def exchange(
    F: Any, scores: Any, labels: Any, own: Any, members: Any, sums: Any, sizes: Any, leaving: int, places: Any,
    rounds: int, found: Any,
) -> float:  # fmt: skip
    """Labels with one centre at the best of some samples, after some of Lloyd's iterations, and Σ_j of their scores.

    F has a column for each sample, ``scores`` a row for each centre: the means of the clusters of ``members``, which
    have these ``sums`` and ``sizes``; ``labels`` have the largest scores, ``own``. Only centres whose rows change are
    looked at.
    """
    k, n = scores.shape
    # Most exchanges touch few centres; room for one more is made when it is needed.
    columns = np.empty((4, n), dtype=F.dtype)
    column_of, count = np.full(k, -1), 1
    column_of[leaving] = 0
    best, place = -np.inf, 0
    for at in range(len(places)):
        _score(F, F[:, places[at]].copy(), columns[1])
        reached = 0.0
        for j in range(n):
            reached += max(columns[1, j], own[j])
        if reached > best:
            best, place = reached, places[at]
    _score(F, F[:, place].copy(), columns[0])
    changed = np.zeros(k, dtype=np.bool_)
    changed[leaving] = True
    before, theirs, ours, theirs_sizes = members.copy(), own.copy(), sums.copy(), sizes.copy()
    found[:] = labels
    _look_again(scores, columns, column_of, changed, found, theirs)
    for _ in range(rounds):
        _move(F, before, found, ours, theirs_sizes, changed)
        for c in range(k):
            if not changed[c]:
                continue
            if column_of[c] < 0:
                if count == len(columns):
                    more = np.empty((2 * count, n), dtype=F.dtype)
                    more[:count] = columns
                    columns = more
                column_of[c] = count
                count += 1
            _score(F, ours[c] / F.dtype.type(max(theirs_sizes[c], 1)), columns[column_of[c]])
        _look_again(scores, columns, column_of, changed, found, theirs)
    held = 0.0
    for j in range(n):
        held += theirs[j]
    return held
