"""Columns that number or name the samples: no measurements, though they may be made of numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from manifact.backends import Array
from manifact.io.readers.delimited_cells import is_date, is_number

#: Rows that must count up for a column without a telling name to be taken for their numbers.
COUNTED = 10
#: Headers of ids: the whole name, or its last word (customer_id, PatientID, sample.uuid).
_CALLED = re.compile(
    r"(?i:unnamed: ?\d+|id|ids|index|idx|uuid|guid|rowid|row_?names?|row_?(number|nr|no|id)|.*[_ .-](id|uuid|guid))"
    r"|.*[a-z](Id|ID)"
)
#: A code: no spaces, a digit in it.
_CODE = re.compile(r"(?=.*\d)[\w#.:/-]{1,64}")


def called_like_an_id(name: str) -> bool:
    """Whether a header says that its column numbers or names the samples.

    >>> [called_like_an_id(name) for name in ("id", "customer_id", "PatientID", "Unnamed: 0", "acid", "mass_index")]
    [True, True, True, True, False, False]
    """
    return _CALLED.fullmatch(name.strip()) is not None


def is_code(cell: str) -> bool:
    """Whether a cell is one word with a digit in it, as codes are, and no date.

    >>> [is_code(cell) for cell in ("3f2a-11", "GSM1234", "Barolo", "see page 3", "2026-11-16")]
    [True, True, False, False, False]
    """
    return _CODE.fullmatch(cell.strip()) is not None and not is_date(cell)


def of_numbers(column: Array, name: str) -> bool:
    """Whether whole numbers, all different, are ids: they are called so, or count the rows from 0 or 1.

    Measurements that happen to be all different, as most that are not whole numbers, stay; so do ranks and years.
    """
    n = len(column)
    if called_like_an_id(name):
        whole = bool(np.isfinite(column).all()) and bool((np.rint(column) == column).all())
        return n > 1 and whole and len(np.unique(column)) == n
    # The ends alone tell that almost all columns do not count.
    ends = n >= COUNTED and column[0] in (0, 1) and column[-1] == column[0] + n - 1
    return bool(ends) and bool((column == column[0] + np.arange(n)).all())


def may_be_of_numbers(column: Array, name: str) -> bool:
    """Whether `of_numbers` may say yes of these values or of some of them, the first one included: in little time.

    >>> may_be_of_numbers(np.arange(20.0) // 2, "x"), may_be_of_numbers(np.arange(20.0) % 3, "x")
    (True, False)
    """
    if called_like_an_id(name):
        return True
    return len(column) >= COUNTED and column[0] in (0, 1) and bool(column.max() >= column[0] + COUNTED - 1)


def of_text(cells: Sequence[str], name: str) -> bool:
    """Whether texts are ids: all different, and codes or called so."""
    if len(set(cells)) < len(cells) or not all(cell.strip() for cell in cells):
        return False
    return called_like_an_id(name) or (len(cells) >= COUNTED and all(map(is_code, cells)))


def of_documents(columns: Mapping[str, Sequence[str]]) -> Sequence[str] | None:
    """The first column that names the documents beside it; None if none does.

    >>> of_documents({"stars": ["4", "5"], "id": ["17", "18"]})
    ['17', '18']
    """
    for name, cells in columns.items():
        # Ids of eighteen digits are told apart as text, and not as floating-point numbers.
        counts = not called_like_an_id(name) and all(map(is_number, cells))
        if of_numbers(np.array(cells, dtype=np.float64), name) if counts else of_text(cells, name):
            return cells
    return None
