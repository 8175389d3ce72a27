"""One look at all rows of parquet files: which columns are features, which are ids, what is missing where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import guarded
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.readers import id_columns, parquet
from manifact.io.readers.column_problems import ColumnProblems

#: What a value takes in memory while it is read.
VALUE = 16
WHAT = "a Parquet file"


@dataclass
class ColumnScan:
    """What is known of a column after the rows so far."""

    name: str
    dtype: Any = None
    problems: ColumnProblems = field(default_factory=ColumnProblems)
    #: Whether the values so far count the rows, and what tells values apart while they may be ids.
    counts: bool = True
    first: float = 0.0
    whole: bool = True
    codes: bool = True
    told: list[Array] | None = field(default_factory=list)

    def add(self, cells: Any, described: Any, first: int, place: Callable[[str], str]) -> Array:
        """Some more cells; their numbers, NaN where there are none.

        ``first`` is the number of the first of them among all rows; ``place`` says which row of which file one is.
        """
        values, found = parquet._values(cells, described)
        self.dtype = values.dtype if self.dtype is None else np.result_type(self.dtype, values.dtype)
        for kind, problem in () if found is None else found.found.items():
            self.problems.add(kind, place(problem.place), problem.cell, problem.cells)
        if self.told is not None:
            self._tell(cells, described, values, found is not None, first)
        return values

    def is_id(self, n: int) -> bool:
        """Whether values that all differ name or number the rows, as `id_columns` has it."""
        called = id_columns.called_like_an_id(self.name)
        if not self.problems.found and not called:
            return self.counts and n >= id_columns.COUNTED and self.first in (0, 1)
        if self.told is None or n < 2:
            return False
        coded = called or (self.codes and n >= id_columns.COUNTED)
        return (coded if self.problems.found else self.whole) and len(np.unique(np.concatenate(self.told))) == n

    def _tell(self, cells: Any, described: Any, values: Array, wrong: bool, first: int) -> None:
        called = id_columns.called_like_an_id(self.name)
        if wrong:
            self.counts = False
            texts = cells.to_pylist() if parquet._is_text(described) and not cells.null_count else None
            if texts is None or not all(text.strip() for text in texts):
                self.told = None
                return
            self.codes = self.codes and (called or all(map(id_columns.is_code, texts)))
            if called or self.codes:
                self._keep(_hashes(texts))
            else:
                self.told = None
            return
        if first == 0 and len(values):
            self.first = float(values[0])
        self.counts = self.counts and bool((values == self.first + first + np.arange(len(values))).all())
        if called:
            self.whole = self.whole and bool((np.rint(values) == values).all())
            self._keep(np.asarray(values, dtype=np.float64))
        elif not self.counts:
            self.told = None

    def _keep(self, what: Array) -> None:
        if self.told is not None:
            self.told.append(what)


def tables(files: Sequence[Path], columns: Sequence[str], space: Workspace) -> Iterator[tuple[Path, int, Any]]:
    """Some rows of these columns at a time, with their file and the number of the first of them in it."""
    import pyarrow as pa

    rows = space.rows(VALUE * max(1, len(columns)))
    for file in files:
        with guarded(file, WHAT):
            first = 0
            for batch in parquet._opened(file).iter_batches(batch_size=rows, columns=list(columns)):
                table = pa.Table.from_batches([batch])
                table.validate(full=True)
                yield file, first, table
                first += table.num_rows


def scanned(files: Sequence[Path], columns: Sequence[str], space: Workspace) -> tuple[list[ColumnScan], Array]:
    """What all rows say of these columns, and which rows lack a value in each of them (NaN), by their numbers."""
    found = [ColumnScan(name) for name in columns]
    first, lacking = 0, []
    for file, above, table in tables(files, columns, space):
        place = partial(_place, file if len(files) > 1 else None, above)
        absent = np.zeros(table.num_rows, dtype=bool)
        for scan in found:
            described = table.schema.field(scan.name)
            values = scan.add(table.column(scan.name), described, first, place)
            if parquet._is_number(described) and values.dtype.kind == "f":
                absent |= np.isnan(values)
        lacking.append(np.flatnonzero(absent) + first)
        first += table.num_rows
    return found, np.concatenate(lacking) if lacking else np.empty(0, dtype=np.int64)


def place_in_file(place: str, above: int) -> str:
    """A row of some rows of a file as that file counts it, with so many rows above them.

    >>> place_in_file("row 3", 100), place_in_file("every row", 100)
    ('row 103', 'every row')
    """
    row = place.removeprefix("row ")
    return f"row {int(row) + above}" if row != place else place


def _place(file: Path | None, above: int, place: str) -> str:
    found = place_in_file(place, above)
    return found if file is None or not found.startswith("row ") else f"{found} of {file.name}"


def _hashes(texts: Sequence[str]) -> Array:
    digests = b"".join(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8")
