"""What a cell of a table of text holds: a number, a name, or the word that a value is missing."""

from __future__ import annotations

import re
from math import isfinite

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*", re.ASCII)
#: How programs write that a value is missing (and infinity): neither a number nor a name.
MISSING = frozenset(("", "na", "n/a", "#n/a", "nan", "-nan", "null", "none", "?", "-", ".", "inf", "-inf", "+inf"))


def number(cell: str) -> bool:
    """Whether a cell is a finite number.

    >>> [number(cell) for cell in ("1", " -2.5e3", "1_000", "nan", "", "1e999")]
    [True, True, False, False, False, False]
    """
    return _NUMBER.fullmatch(cell) is not None and isfinite(float(cell))


def missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip().lower() in MISSING


def decimal_comma(cell: str) -> bool:
    """Whether a cell is a number with a comma before its decimals."""
    return _COMMA.fullmatch(cell) is not None


def is_text(cell: str) -> bool:
    """Whether a cell is a name or another word."""
    return not (number(cell) or missing(cell) or decimal_comma(cell))
