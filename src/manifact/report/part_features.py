"""The few features of each part and of each sample that the page keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.models import feature_relevance
from manifact.models.feature_relevance import Shares, most_relevant

#: Features that a part shows, for each λ of the slider.
SHOWN = 30
SLIDER = np.linspace(0, 1, 11)
#: Features that can be searched for, and for each of them the parts it is strong in.
SEARCHED, STRONG_IN = 50_000, 4
#: Features that stand for a sample without text.
LEADING = 6
ROWS_AT_ONCE = 4096


def candidates(s: Shares) -> list[Array]:
    """For each part the features that are among its first for some λ of the slider, in ascending order."""
    return [
        np.unique(np.concatenate([most_relevant(given, s.overall, lam, SHOWN) for lam in SLIDER]))
        for given in s.given_part
    ]


def most_weight(components: Array) -> list[Array]:
    """For signed parts: the features of most weight, and where these are few those they lack, in ascending order."""
    return [np.sort(row) for row in feature_relevance.most_weight(components, SHOWN)]


def searched(size: Array, needed: Array) -> Array:
    """The features that can be searched for: those shown, and the largest of the others, in ascending order."""
    if len(size) <= SEARCHED:
        return np.arange(len(size))
    order = np.argsort(-size, kind="stable")[:SEARCHED]
    return np.union1d(order, needed)


def strong_parts(components: Array, weight: Array) -> tuple[Array, Array]:
    """For each feature the parts that hold most of it (m x few, most first) and the share that each holds."""
    size = np.maximum(np.asarray(components, dtype=np.float64), 0) * weight[:, None]
    total = size.sum(axis=0)
    order = np.argsort(-size, axis=0, kind="stable")[:STRONG_IN]
    held = np.take_along_axis(size, order, axis=0) / np.where(total > 0, total, 1)
    return order.T, held.T


def leading(X: Any, width: int = LEADING) -> Array:
    """The features that stand out in each sample (n x width, first first; m where there are fewer).

    Of sparse samples (words) those of largest value; of dense ones those of largest value beside the feature's mean
    size. What a sample has less of than others, in data of any sign, does not stand for it.
    """
    n, m = X.shape
    out = np.full((n, width), m)
    scale = None if sparse.issparse(X) else np.abs(X).mean(axis=0, dtype=np.float64)
    for start in range(0, n, ROWS_AT_ONCE):
        block = X[start : start + ROWS_AT_ONCE]
        _fill(out[start:], *(_entries(block) if scale is None else _largest_entries(block, scale, width)), width)
    return out


def _entries(X: Any) -> tuple[Array, Array, Array]:
    """Rows, columns and values of a sparse matrix."""
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices, X.data


def _largest_entries(X: Array, scale: Array, width: int) -> tuple[Array, Array, Array]:
    """Rows, columns and values of the entries that are largest beside ``scale``."""
    size = np.maximum(X, 0) / np.where(scale > 0, scale, 1)
    few = np.argpartition(-size, min(width, X.shape[1]) - 1, axis=1)[:, :width]
    rows, columns = np.repeat(np.arange(len(X)), few.shape[1]), few.ravel()
    return rows, columns, size[rows, columns]


def _fill(out: Array, rows: Array, columns: Array, values: Array, width: int) -> None:
    kept = values > 0
    rows, columns, values = rows[kept], columns[kept], values[kept]
    order = np.lexsort((columns, -values, rows))
    rows, columns = rows[order], columns[order]
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)
    first = place < width
    out[rows[first], place[first]] = columns[first]
