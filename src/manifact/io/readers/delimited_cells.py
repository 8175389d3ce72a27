"""What a cell of a delimited table holds: a number, a name, or a mark that the value is missing."""

from __future__ import annotations

import re
from math import isfinite

# Nothing that was matched is given back and tried in another way: a cell may have as many digits as it likes.
_NUMBER = re.compile(r"\s*+[+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?+\d++)?+\s*+", re.ASCII)
_COMMA = re.compile(r"\s*+[+-]?+\d*+,\d++(?:[eE][+-]?+\d++)?+\s*+", re.ASCII)
_THOUSANDS = re.compile(r"\s*+[+-]?+[1-9]\d{0,2}+(?:,\d{3}){1,}+\s*+", re.ASCII)
_POINTS = re.compile(r"\s*+[+-]?+\d{1,3}+(?:\.\d{3}){1,}+(?:,\d*+)?+\s*+", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T].*)?|\d{1,2}[./-]\d{1,2}[./-](\d{2}|\d{4})([ T].*)?", re.ASCII)
#: How programs write that a value is missing (and infinity): neither a number nor a name.
MISSING = frozenset(("", "na", "n/a", "#n/a", "nan", "-nan", "null", "none", "?", "-", ".", "inf", "-inf", "+inf"))


def is_number(cell: str) -> bool:
    """Whether a cell is a finite number.

    >>> [is_number(cell) for cell in ("1", " -2.5e3", "1_000", "nan", "", "1e999")]
    [True, True, False, False, False, False]
    """
    return _NUMBER.fullmatch(cell) is not None and isfinite(float(cell))


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip().lower() in MISSING


def has_decimal_comma(cell: str) -> bool:
    """Whether a cell is a number with a comma before its decimals."""
    return _COMMA.fullmatch(cell) is not None


def may_be_thousands(cell: str) -> bool:
    """Whether the commas of a number may separate its thousands.

    >>> [may_be_thousands(cell) for cell in ("1,065", "1,234,567", "0,280", "14,23", "1065,250")]
    [True, True, False, False, False]
    """
    return _THOUSANDS.fullmatch(cell) is not None


def with_decimal_comma(cell: str) -> float | None:
    """The finite number in a cell whose decimals, if it has some, follow a comma; None if it is none.

    A point has no place there: 1.065 may be a thousand and 65.

    >>> [with_decimal_comma(cell) for cell in ("14,23", " 7", "-,5", "1.5", "1.065,2", "x")]
    [14.23, 7.0, -0.5, None, None, None]
    """
    pointed = cell.replace(",", ".")
    return float(pointed) if "." not in cell and is_number(pointed) else None


def has_point(cell: str) -> bool:
    """Whether a cell is a number with points, before its decimals or between its thousands."""
    return "." in cell and (is_number(cell) or _POINTS.fullmatch(cell) is not None)


def is_text(cell: str) -> bool:
    """Whether a cell is a name or another word, and no number in any way of writing."""
    numeric = is_number(cell) or has_decimal_comma(cell) or may_be_thousands(cell) or has_point(cell)
    return not (numeric or is_missing(cell))


def is_date(cell: str) -> bool:
    """Whether a cell is a day, with or without a time."""
    return _DATE.fullmatch(cell.strip()) is not None
