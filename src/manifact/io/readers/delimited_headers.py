"""Whether the first row of a delimited table names its columns."""

from __future__ import annotations

from itertools import pairwise
from math import isclose

from manifact.io.readers.delimited_cells import is_missing, is_number, is_text

#: A first row 0, 1, 2 and so on is a header from so many columns on, where it can hardly be a sample; one of other
#: numbers in order as well if something else sets it apart, and without that from `ORDERED` columns on.
NUMBERED, ORDERED = 3, 5


def is_header(first: list[str], body: list[list[str]]) -> bool:
    """Text above numbers, an empty corner above names, nothing but text, or numbers that count or measure columns."""
    if not any(is_number(cell) for cell in first) and not any(is_missing(cell) for cell in first[1:]):
        return True
    if not first[0].strip() and body and all(is_text(cells[0]) for cells in body if cells):
        return True
    for column, cell in enumerate(first):
        below = [cells[column] for cells in body if column < len(cells)]
        if is_text(cell) and any(map(is_number, below)):
            return True
    # pandas numbers columns without names from 0, below an empty corner where it writes row names
    bare = first if first[0].strip() else first[1:]
    if len(bare) >= (NUMBERED if bare is first else 1) and bare == [str(number) for number in range(len(bare))]:
        return True
    return is_text(first[0]) and _is_scale(_values(first), body)


def _values(cells: list[str]) -> list[float]:
    """The numbers beside the first cell; none if one of them is not a number."""
    return [float(cell) for cell in cells[1:]] if all(map(is_number, cells[1:])) else []


def _is_scale(first: list[float], rows: list[list[str]]) -> bool:
    """Whether numbers stand in order, as wavelengths and years do, above samples whose numbers do not.

    A sample of few numbers is in order by chance: then these must be evenly spaced as well, or unlike all those below.
    """
    if len(first) < NUMBERED or not rows or not _direction(first):
        return False
    body = [_values(cells) for cells in rows]
    alike = sum(_direction(row) == _direction(first) for row in body) / len(body)
    if _even(first) or _apart(first, body):
        return alike < 1 / 2
    return len(first) >= ORDERED and alike < 1 / 10


def _direction(values: list[float]) -> int:
    """1 if every number is larger than the one before, -1 if every one is smaller, 0 otherwise."""
    steps = {(b > a) - (b < a) for a, b in pairwise(values)}
    return steps.pop() if len(steps) == 1 else 0


def _even(values: list[float]) -> bool:
    steps = [b - a for a, b in pairwise(values)]
    return all(isclose(step, steps[0], rel_tol=1e-6) for step in steps)


def _apart(first: list[float], body: list[list[float]]) -> bool:
    """Whether each number is outside the range of those below it."""
    columns = zip(first, *(row for row in body if len(row) == len(first)), strict=True)
    return all(len(below) > 0 and not min(below) <= value <= max(below) for value, *below in columns)
