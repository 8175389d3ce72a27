"""Numbers with a comma before their decimals, as spreadsheets write them where points separate thousands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from manifact.io.readers.delimited_cells import has_decimal_comma, is_missing, is_number, may_be_thousands


@dataclass(frozen=True)
class CommaCell:
    """A cell that shows how the file writes decimals, and its column, from 0."""

    cell: str
    column: int


def found(rows: Sequence[Sequence[str]], separator: str) -> CommaCell | None:
    """A decimal comma among the first rows, if those have whole columns of them and no number has a point.

    Cells must be separated by something else than commas. Columns of which every comma may be one of thousands
    ('1,065') do not say what it is; beside one that does, they are read alike.
    """
    if separator == ",":
        return None
    shown = None
    for column, cells in enumerate(zip(*rows[1:], strict=False) if len(rows) > 1 else ((cell,) for cell in rows[0])):
        commas = [cell for cell in cells if has_decimal_comma(cell)]
        if any("." in cell and is_number(cell) for cell in cells):
            return None
        if commas and all(is_number(cell) or is_missing(cell) or has_decimal_comma(cell) for cell in cells):
            sure = next((cell for cell in commas if not may_be_thousands(cell)), None)
            if shown is None and sure is not None:
                shown = CommaCell(sure.strip(), column)
    return shown


def with_points(cells: Iterable[str]) -> list[str]:
    """The cells with points where numbers have decimal commas."""
    return [cell.replace(",", ".") if has_decimal_comma(cell) else cell for cell in cells]
