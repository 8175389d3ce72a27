"""Entries of a matrix in any order, sorted into blocks of rows on disk."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.backends.block_samples import even_bounds
from manifact.io.out_of_core.spool_writer import PREFIX, require_disk, scratch_folder
from manifact.io.out_of_core.workspace import Workspace

#: Buckets for each block of usual size, so that rows that are longer than others do no harm; and buckets at most.
FINER, MOST = 4, 4096


class EntryBuckets:
    """Takes entries (row, column, value) in any order and gives the matrix back in blocks of rows (CSR).

    Entries that stand at one place are added up. ``n_entries`` says how many there will be, about.
    """

    def __init__(self, space: Workspace, shape: tuple[int, int], dtype: Any, n_entries: int, what: str) -> None:
        n, self._m = shape
        narrow = np.iinfo(np.int32).max
        column = np.int32 if self._m <= narrow else np.int64
        row = np.int32 if n <= narrow else np.int64
        self._entry = np.dtype([("row", row), ("column", column), ("value", dtype)])
        n_bytes = n_entries * self._entry.itemsize
        place = scratch_folder(space.scratch)
        require_disk(n_bytes, place, what)
        # In memory each entry is there as it was written, and again in the rows that are made of it.
        buckets = min(MOST, n, 1 + FINER * n_bytes // space.block_bytes)
        self.bounds = even_bounds(n, -(-n // buckets))
        self._at_once = space.block_bytes
        self._waiting: list[Array] = []
        self._folder = tempfile.mkdtemp(prefix=PREFIX, dir=place)
        weakref.finalize(self, shutil.rmtree, self._folder, True)

    def add(self, rows: Array, columns: Array, values: Array) -> None:
        """Put entries where their rows belong."""
        entries = np.empty(len(rows), dtype=self._entry)
        entries["row"], entries["column"], entries["value"] = rows, columns, values
        self._waiting.append(entries)
        if sum(part.nbytes for part in self._waiting) >= self._at_once:
            self._write()

    def blocks(self) -> Iterator[Any]:
        """The rows of each bucket, in their order."""
        self._write()
        for number, (begin, end) in enumerate(pairwise(self.bounds)):
            yield self._rows(self._file(number), begin, end)

    def _write(self) -> None:
        if not self._waiting:
            return
        entries = np.concatenate(self._waiting)
        self._waiting = []
        places = np.searchsorted(self.bounds, entries["row"], side="right") - 1
        order = np.argsort(places, kind="stable")
        entries, places = entries[order], places[order]
        cuts = np.searchsorted(places, np.arange(len(self.bounds)))
        for number in np.unique(places):
            with self._file(int(number)).open("ab") as content:
                entries[cuts[number] : cuts[number + 1]].tofile(content)

    def _file(self, number: int) -> Path:
        return Path(self._folder, f"{number}.entries")

    def _rows(self, file: Path, begin: int, end: int) -> Any:
        shape = (end - begin, self._m)
        if not file.exists():
            return sparse.csr_array(shape, dtype=self._entry["value"])
        entries = np.fromfile(file, dtype=self._entry)
        places = (entries["row"] - begin, entries["column"])
        rows = sparse.csr_array(sparse.coo_array((entries["value"], places), shape=shape))
        rows.sum_duplicates()
        return rows
