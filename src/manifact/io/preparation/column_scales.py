"""Columns of a table brought to one scale, without a value below zero; and when that is what a table needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.io.preparation.column_statistics import Columns, ColumnStatistics
from manifact.utils.errors import BadValueError

COLUMNS = ("auto", "none", "range", "std", "max")
#: The smallest value of a column, where something is subtracted, in units of its range or standard deviation.
MARGIN = 0.01
#: Profiles: so many columns at least, whose largest values lie, but for a tenth at either end, within this factor.
MANY, FACTOR = 50, 10.0
#: The share of zeros of a table of counts, and of all squares that one of its columns may have.
ZEROS, LARGEST_SHARE = 0.5, 0.5


@dataclass(frozen=True)
class ColumnScales:
    """margin + (x − lowest) / width for each column; one that was the same for all samples has width 0 and stays so."""

    how: str
    lowest: list[float]
    width: list[float]
    #: Nothing is empty for being the smallest: a sample of zeros would be in no cluster.
    margin: float = 0.0

    @staticmethod
    def learn(columns: Columns, how: str) -> ColumnScales:
        """From the smallest to the largest value ("range"), in standard deviations ("std"), or by the largest ("max").

        Sparse data stay sparse: their smallest value is 0, of which nothing is subtracted.
        """
        seen = columns.statistics
        if how == "max":
            return ColumnScales(how, [0.0] * columns.width, np.where(seen.largest > 0, seen.largest, 1.0).tolist())
        if columns.is_sparse:
            return ColumnScales(how, [0.0] * columns.width, _sparse_width(seen, how).tolist())
        width = seen.highest - seen.lowest
        if how == "std":
            width = np.where(width > 0, seen.std, 0.0)
        return ColumnScales(how, seen.lowest.tolist(), width.tolist(), MARGIN)

    def apply(self, X: Any) -> Any:
        """X with scaled columns; what is below all training samples counts as their smallest value."""
        width = np.array(self.width)
        divisor = np.where(width > 0, width, np.inf)
        if sparse.issparse(X):
            out = sparse.csr_array(X).astype(X.dtype, copy=True)
            out.data /= divisor[out.indices]
            return out
        out = np.asarray(X, dtype=np.float64) - np.array(self.lowest)
        out /= divisor
        if self.how != "max":
            np.maximum(out, 0.0, out=out)
        out += self.margin
        return out.astype(X.dtype, copy=False)

    def below(self, X: Any) -> int:
        """Cells that are below all training samples."""
        if sparse.issparse(X) or self.how == "max":
            return 0
        return int(((np.array(self.lowest) > X) & (np.array(self.width) > 0)).sum())

    def undone(self, X: Any) -> Any:
        """X in the units of the columns."""
        return (X - self.margin) * np.array(self.width) + np.array(self.lowest)


def settled(columns: str, scale: str, X: Columns, own_columns: bool) -> tuple[str, str]:
    """What is done to columns and to rows where one or both are "auto".

    Columns are scaled if nothing is said of rows, they have a meaning of their own (``own_columns``: a file of columns,
    not a matrix) and are not of one unit. Rows are scaled where columns are not.
    """
    if columns == "auto":
        by_rows = scale != "auto" or not own_columns or why_of_one_unit(X) is not None
        columns = "none" if by_rows else "range"
    if scale == "auto":
        scale = "unit" if columns == "none" else "none"
    return columns, scale


def of_one_unit(X: Any) -> str | None:
    """Why the columns of a table read as one unit, such as pixels, spectra or counts; None if they do not."""
    return why_of_one_unit(Columns.of(X))


def why_of_one_unit(columns: Columns) -> str | None:
    """The same of columns that may be seen a block of rows at a time.

    Most cells are zero, and no column has more of all squares than the others together: counts, or weights of words.
    Or there are fifty columns and more, whose largest values (but for a tenth of them at either end) lie within a
    factor of ten: pixels and spectra. Values below zero are none of these.
    """
    if columns.is_sparse:
        return "they are sparse"
    m = columns.width
    if m < 2 or np.nanmin(columns.statistics.lowest) < 0:
        return None
    seen = columns.statistics
    if seen.zeros >= ZEROS and seen.squares.max() <= LARGEST_SHARE * seen.squares.sum():
        return "most cells are zero"
    top = np.sort(seen.highest[seen.highest > 0])
    if m < MANY or not len(top):
        return None
    low, high = top[len(top) // 10], top[-1 - len(top) // 10]
    return f"{m} columns are of one size" if high <= FACTOR * low else None


def _sparse_width(seen: ColumnStatistics, how: str) -> Array:
    if seen.lowest.min(initial=0.0) < 0:
        raise BadValueError(
            "{columns}={!r} of sparse data with values below zero would make all of them dense: divide by the largest "
            "with {columns}='max', or give a dense table",
            how,
        )
    return seen.highest if how == "range" else seen.std
