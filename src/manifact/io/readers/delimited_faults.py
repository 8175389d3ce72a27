"""Cells of a delimited table that are no numbers: counted by column, and told apart by what they are."""

from __future__ import annotations

from collections.abc import Callable
from sys import getsizeof

import numpy as np

from manifact.backends import Array
from manifact.io.readers.column_problems import ColumnProblems, kind_of
from manifact.io.readers.delimited_cells import is_number, with_decimal_comma
from manifact.io.readers.delimited_layout import Layout, Row
from manifact.io.readers.id_columns import called_like_an_id, is_code


class Faults:
    """What is found while blocks of rows are read one after the other."""

    def __init__(self, layout: Layout, decimal: str = ".") -> None:
        self._layout = layout
        self._decimal = decimal
        #: By the number of the column among those of the table of numbers.
        self.problems: dict[int, ColumnProblems] = {}
        #: Cells of columns that may be ids; a column with a cell that is none is given up.
        self.texts: dict[int, list[str]] = {}
        self._no_ids: set[int] = set()
        #: Bytes of these cells.
        self.n_bytes = 0

    def numbers(self, block: list[Row]) -> Array:
        """The numbers of a block, NaN where a cell is none."""
        columns = self._layout.columns
        out = np.empty((len(block), len(columns)))
        for number, column in enumerate(columns):
            cells = [cells[column] for _, cells in block]
            out[:, number] = self._column(number, cells, block)
            self._remember(number, cells)
        return out

    def _column(self, number: int, cells: list[str], block: list[Row]) -> Array | list[float]:
        if self._decimal == ",":
            return self._one_by_one(number, cells, block, with_decimal_comma)
        try:
            values = np.array(cells, dtype=np.float64)
            if np.isfinite(values).all() and "_" not in "".join(cells):
                return values
        except ValueError:
            pass
        return self._one_by_one(number, cells, block, _with_point)

    def _one_by_one(
        self, number: int, cells: list[str], block: list[Row], parsed: Callable[[str], float | None]
    ) -> Array:
        values = np.full(len(cells), np.nan)
        for row, cell in enumerate(cells):
            value = parsed(cell)
            if value is not None:
                values[row] = value
            else:
                found = self.problems.setdefault(number, ColumnProblems())
                found.add(kind_of(cell, self._decimal), f"line {block[row][0]}", cell)
        return values

    def _remember(self, number: int, cells: list[str]) -> None:
        """Keep the cells of a column as long as all of them may be ids."""
        if number in self._no_ids:
            return
        header = self._layout.header
        called = header is not None and called_like_an_id(header[self._layout.columns[number]])
        if number in self.problems and (called or all(map(is_code, cells))):
            self.texts.setdefault(number, []).extend(cells)
            self.n_bytes += sum(map(getsizeof, cells))
        elif number in self.problems:
            self._no_ids.add(number)
            self.texts.pop(number, None)


def _with_point(cell: str) -> float | None:
    return float(cell) if is_number(cell) else None
