"""What is known of the columns of a table after one look at its rows, all at once or a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.utils.cached_properties import cached_property


@dataclass(frozen=True)
class ColumnStatistics:
    """Of each column, over cells that are not missing; for sparse data zeros that are not stored count as well.

    Attributes
    ----------
    lowest, highest, largest : array of m
        Smallest and largest value, and the largest absolute value.
    mean, std : array of m
    squares : array of m
        Sums of squares, in one unit for all columns.
    zeros : float
        The share of cells that are zero.
    n_entries : int
        Of sparse data: what is stored.
    """

    is_sparse: bool
    lowest: Array
    highest: Array
    largest: Array
    mean: Array
    std: Array
    squares: Array
    zeros: float
    n_entries: int = 0

    @staticmethod
    def of(blocks: Iterable[Any]) -> ColumnStatistics:
        """Of blocks of rows."""
        found: _Running | None = None
        for X in blocks:
            here = _of_sparse(X) if sparse.issparse(X) else _of_dense(X)
            found = here if found is None else found.joined(here)
        assert found is not None, "a table has rows"
        return found.finished()


class Columns:
    """The columns of a table, looked at when somebody asks for their statistics.

    ``blocks()`` gives the rows, ``width`` is the number of columns.
    """

    def __init__(self, blocks: Callable[[], Iterable[Any]], width: int, is_sparse: bool) -> None:
        self._blocks, self.width, self.is_sparse = blocks, width, is_sparse

    @staticmethod
    def of(X: Any) -> Columns:
        """Of a table in memory."""
        return Columns(lambda: [X], int(X.shape[1]), bool(sparse.issparse(X)))

    @cached_property
    def statistics(self) -> ColumnStatistics:
        """What one look at all rows tells."""
        return ColumnStatistics.of(self._blocks())


@dataclass(frozen=True)
class _Running:
    """Sums over the rows that were seen: counts, means, squares around the means."""

    is_sparse: bool
    rows: int
    count: Array
    lowest: Array
    highest: Array
    largest: Array
    mean: Array
    around: Array
    #: Sums of squares in units of ``unit`` squared, which is the largest value so far.
    squares: Array
    unit: float
    zeros: int
    n_entries: int

    def joined(self, other: _Running) -> _Running:
        """With the rows of another block (Chan, Golub & LeVeque 1983)."""
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros(len(count)), where=count > 0)
        apart = np.where(self.count == 0, other.mean, np.where(other.count == 0, self.mean, other.mean)) - self.mean
        unit = max(self.unit, other.unit)
        squares = self.squares * (self.unit / unit) ** 2 + other.squares * (other.unit / unit) ** 2
        return _Running(
            self.is_sparse,
            self.rows + other.rows,
            count,
            np.fmin(self.lowest, other.lowest),
            np.fmax(self.highest, other.highest),
            np.fmax(self.largest, other.largest),
            self.mean + apart * np.where(self.count == 0, 1.0, share),
            self.around + other.around + apart**2 * self.count * share,
            squares,
            unit,
            self.zeros + other.zeros,
            self.n_entries + other.n_entries,
        )

    def finished(self) -> ColumnStatistics:
        known = self.count > 0
        return ColumnStatistics(
            self.is_sparse,
            self.lowest,
            self.highest,
            self.largest,
            np.where(known, self.mean, np.nan),
            np.sqrt(np.divide(self.around, self.count, out=np.full(len(known), np.nan), where=known)),
            self.squares,
            self.zeros / max(1, self.rows * len(known)),
            self.n_entries,
        )


def _of_dense(X: Any) -> _Running:
    X = np.asarray(X, dtype=np.float64)
    absent = np.isnan(X)
    some = bool(absent.any())
    count = len(X) - absent.sum(axis=0) if some else np.full(X.shape[1], len(X))
    filled = np.where(absent, 0.0, X) if some else X
    mean = np.divide(filled.sum(axis=0), count, out=np.zeros(X.shape[1]), where=count > 0)
    deviation = np.where(absent, 0.0, X - mean) if some else X - mean
    lowest, highest = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    largest = np.fmax(np.abs(lowest), np.abs(highest))
    unit = max(float(np.fmax.reduce(largest)), 1e-300) if X.shape[1] else 1e-300  # of numbers of any size
    unit = 1e-300 if np.isnan(unit) else unit
    squares = ((filled / unit) ** 2).sum(axis=0)
    zeros = int((X == 0).sum())
    around = (deviation**2).sum(axis=0)
    return _Running(False, len(X), count, lowest, highest, largest, mean, around, squares, unit, zeros, 0)


def _of_sparse(X: Any) -> _Running:
    n, m = X.shape
    data, indices = X.data.astype(np.float64), X.indices
    largest, highest, lowest = (_row(part) for part in (abs(X).max(axis=0), X.max(axis=0), X.min(axis=0)))
    mean = np.bincount(indices, weights=data, minlength=m) / n
    power = np.bincount(indices, weights=data * data, minlength=m)
    unit = max(float(largest.max(initial=0.0)), 1e-300)
    squares = np.bincount(indices, weights=(data / unit) ** 2, minlength=m)
    zeros = n * m - int(np.count_nonzero(data))
    around = np.maximum(power - n * mean**2, 0.0)
    count = np.full(m, n)
    return _Running(True, n, count, lowest, highest, largest, mean, around, squares, unit, zeros, int(X.nnz))


def _row(extremes: Any) -> Array:
    return np.asarray(extremes.toarray(), dtype=np.float64).ravel()
