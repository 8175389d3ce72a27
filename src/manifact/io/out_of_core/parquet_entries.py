"""Parquet files that list the entries of a matrix: a row, a column and a value in each line, in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import refusal
from manifact.io.out_of_core.entry_buckets import EntryBuckets
from manifact.io.out_of_core.parquet_scan import place_in_file, tables
from manifact.io.out_of_core.row_sources import RowSource, checked_block
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.readers import parquet

#: What the columns of a file of entries are called, in lower case.
ENTRIES = (("row", "rows", "i"), ("column", "columns", "col", "j"), ("value", "values", "val", "data"))


def entry_columns(header: Sequence[str], index: Sequence[str] = ()) -> list[str] | None:
    """The columns with rows, columns and values, if a file lists entries of a matrix.

    ``index`` are the columns that pandas stored its index in: they number the lines, unless they are the rows or
    columns of the matrix themselves.

    >>> entry_columns(["Row", "col", "value"]), entry_columns(["height", "width", "value"])
    (['Row', 'col', 'value'], None)
    >>> entry_columns(["row", "col", "value", "__index_level_0__"], ["__index_level_0__"])
    ['row', 'col', 'value']
    """
    if len(header) != len(ENTRIES):
        header = [column for column in header if column not in index]
    if len(header) != len(ENTRIES):
        return None
    lower = {column.lower(): column for column in header}
    found = [next((lower[name] for name in names if name in lower), None) for names in ENTRIES]
    return [column for column in found if column is not None] if None not in found else None


def entries_source(
    path: Path, source: str, space: Workspace, files: list[Path], named: list[str], image_shape: Any
) -> RowSource:
    """The matrix whose entries files list in these columns: rows and columns are numbered from 0."""
    row, column, value = named
    n = m = count = 0
    dtype: Any = None
    for file, first, table in tables(files, named, space):
        rows, columns, values = (_numbers(file, table, name, first) for name in (row, column, value))
        for which, numbers in ((row, rows), (column, columns)):
            if numbers.dtype.kind not in "iu" or (len(numbers) and numbers.min() < 0):
                raise refusal(file, f"has other than whole numbers >= 0 in column {which!r}", "number from 0")
        n, m = max(n, int(rows.max(initial=-1)) + 1), max(m, int(columns.max(initial=-1)) + 1)
        count += len(rows)
        dtype = values.dtype if dtype is None else np.result_type(dtype, values.dtype)
    if not count:
        raise refusal(path, "holds no entries", "it needs a sample and a feature at least")
    sorted_once: list[EntryBuckets] = []

    def read() -> Iterator[Any]:
        if not sorted_once:
            found = EntryBuckets(space, (n, m), dtype, count, str(path))
            for file, first, table in tables(files, named, space):
                found.add(*(_numbers(file, table, name, first) for name in (row, column, value)))
            sorted_once.append(found)
        first = 0
        for block in sorted_once[0].blocks():
            yield checked_block(path, block, first)
            first += block.shape[0]

    return RowSource(
        "table",
        source,
        image_shape=image_shape,
        count=n,
        width=m,
        n_bytes=count * (dtype.itemsize + 4) + 4 * n,
        is_sparse=True,
        read=read,
        release=sorted_once.clear,
    )


def _numbers(file: Path, table: Any, column: str, first: int) -> Array:
    values, wrong = parquet._values(table.column(column), table.schema.field(column))
    if wrong is not None:
        kind, problem = next(iter(wrong.found.items()))
        place = place_in_file(problem.place, first)
        raise refusal(file, f"has no number in column {column!r} ({kind}, {place})", "write a number in each row")
    return values
