"""Fields of records that may name the documents, looked at while the records are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manifact.io.readers.delimited_cells import is_number
from manifact.io.readers.id_columns import called_like_an_id, is_code

#: What a value takes in memory beside its characters.
VALUE = 60


class IdFields:
    """Fields with a text or a whole number in every record so far that may be ids, as `id_columns` has them.

    ``used`` are fields that are something else. Where values take more than ``most`` bytes, all are given up.
    """

    def __init__(self, used: tuple[str | None, ...], most: int | None = None) -> None:
        self._used, self._most, self._size = used, most, 0
        self._found: dict[str, list[str]] | None = None

    def add(self, record: Mapping[str, Any]) -> int:
        """Look at one more record; the bytes that are kept of it."""
        if self._found is None:
            self._found = {field: [] for field in record if field not in self._used}
        before = self._size
        for field in list(self._found):
            cell = _may_be_id(field, record.get(field))
            if cell is None or not _differ(self._found[field]):
                # What one record lacks is not looked for in the others, however many fields the first has.
                self._size -= sum(VALUE + len(cell) for cell in self._found.pop(field))
            else:
                self._found[field].append(cell)
                self._size += VALUE + len(cell)
        if self._most is not None and self._size > self._most:
            self._found = {}
        return self._size - before

    def columns(self) -> dict[str, list[str]]:
        """The values of each field that is left."""
        return self._found or {}


def _differ(cells: list[str]) -> bool:
    """Whether values all differ, as ids do: looked at where there are twice as many as the last time."""
    n = len(cells)
    return n < 2 or n & (n - 1) != 0 or len(set(cells)) == n


def _may_be_id(field: str, value: Any) -> str | None:
    """The value as text, if it may be one of ids."""
    if not isinstance(value, str | int):
        return None
    cell = str(value)
    return cell if called_like_an_id(field) or is_number(cell) or is_code(cell) else None
