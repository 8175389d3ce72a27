"""Names that a spreadsheet would take for formulas, in tables of text that people open with one.

A cell of text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, and is no number, is written
behind an apostrophe, which spreadsheets take for "this is text"; one that begins with apostrophes before such a
character gets one more. Readers take it away again, so that names come back as they were.
"""

from __future__ import annotations

import re

from manifact.io.readers.delimited_cells import is_number

_FORMULA = re.compile(r"'*+[=+\-@\t\r]")
_PROTECTED = re.compile(r"'++[=+\-@\t\r]")


def protected(cell: str) -> str:
    """The cell as a table has it.

    >>> [protected(cell) for cell in ("=1+1", "-2.5", "-x", "'@b", "plain", "'tis")]
    ["'=1+1", '-2.5', "'-x", "''@b", 'plain', "'tis"]
    """
    return f"'{cell}" if _FORMULA.match(cell) and not is_number(cell) else cell


def unprotected(cell: str) -> str:
    """The cell as it was before `protected`.

    >>> [unprotected(cell) for cell in ("'=1+1", "-2.5", "''@b", "'tis")]
    ['=1+1', '-2.5', "'@b", "'tis"]
    """
    return cell[1:] if _PROTECTED.match(cell) else cell
