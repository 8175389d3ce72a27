"""What a cell of a delimited table holds: a number, a name, or a mark that the value is missing."""

from __future__ import annotations

import re
from math import isfinite

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*", re.ASCII)
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


def is_text(cell: str) -> bool:
    """Whether a cell is a name or another word."""
    return not (is_number(cell) or is_missing(cell) or has_decimal_comma(cell))


def is_date(cell: str) -> bool:
    """Whether a cell is a day, with or without a time."""
    return _DATE.fullmatch(cell.strip()) is not None
