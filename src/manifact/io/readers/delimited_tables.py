"""Tables as delimited text: .csv, .tsv, compressed or not, with or without a header and row names."""

from __future__ import annotations

import csv
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from sys import getsizeof
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import decimal_commas, table_checks
from manifact.io.readers.chosen_columns import Wanted, places
from manifact.io.readers.decimal_commas import CommaCell
from manifact.io.readers.delimited_cells import has_decimal_comma, is_missing, is_number
from manifact.io.readers.delimited_faults import Faults
from manifact.io.readers.delimited_layout import Layout, Row, delimiter, find_layout
from manifact.io.readers.table_assembly import RawTable, Wishes, assembled
from manifact.io.readers.text_files import is_compressed, lines, long_cells, open_bytes, open_text
from manifact.io.spreadsheet_cells import unprotected
from manifact.io.unpacked_size import TIMES_TEXT, Held, check_unpacked, size_unpacked
from manifact.utils import memory
from manifact.utils.errors import Sentence

#: Rows whose cells say what a column holds, and cells that are turned into numbers together.
HEAD, BLOCK = 200, 1 << 18
#: Bytes of a number, which is in memory as it was read and as a feature.
NUMBER, COPIES = 8, 2


def read(
    file: Path,
    source: str,
    name: str | None = None,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    image_shape: tuple[int, ...] | None = None,
    encoding: str | None = None,
    drop: Wanted = None,
    keep: Wanted = None,
    missing: str | None = None,
    id: str | None = None,
    decimal: str | None = None,
) -> Samples:
    """The table in a text file.

    The first row is a header if one of its cells is text above numbers, if all are text, if they are 0, 1, 2 and so
    on, as pandas numbers columns, or if they are text in the corner and then numbers that rise or fall as wavelengths
    and years do, where the rows below do not. The first column holds row names if it is text, if its header is empty
    or "name", or if the header is one cell short, as R writes it. ``name`` and ``label`` choose columns by their
    header, or by their number from 1 where there is none. Commas, semicolons and tabs separate cells, and blank lines
    are skipped. Columns that look like ids are left out, and name the samples if nothing else does. Decimals follow a
    point, or a comma where ``decimal`` says so or `decimal_commas` finds it.
    """
    n_bytes = _bytes_of_text(file)
    with open_text(file, newline="", encoding=encoding) as text, long_cells(), without_collection():
        separator = delimiter(file, encoding)
        rows = _rows(file, csv.reader(lines(file, text), delimiter=separator, strict=True))
        head = _head(file, rows)
        if not head:
            raise refusal(file, "is empty", "write a row for each sample")
        comma = decimal_commas.found([cells for _, cells in head], separator) if decimal is None else None
        mark = decimal or ("." if comma is None else ",")
        pointed = head if mark == "." else [(line, decimal_commas.with_points(cells)) for line, cells in head]
        found = find_layout(file, pointed, name, label, columns, drop, id)
        kept = frozenset(places(file, "keep", keep, found.header, found.width))
        body = head[1:] if found.header is not None else head
        if not body:
            raise refusal(file, "has a header and no samples", "write a row for each sample")
        _fits(file, source, n_bytes, body, found)
        table = _table(file, chain(body, rows), found, mark)
    table.notes += _notes(found, name, comma, head, new=columns is not None)
    wishes = Wishes(missing, kept, found.dropped, columns is None, decimal, found.ignored)
    return assembled(file, source, table, wishes, image_shape)


def _notes(found: Layout, name: str | None, comma: CommaCell | None, head: list[Row], new: bool) -> list[Sentence]:
    """How numbers are read, and that a column of numbers without a header is none of the features."""
    told = []
    if comma is not None:
        where = repr(found.header[comma.column]) if found.header else str(comma.column + 1)
        told.append(Sentence("numbers are read with decimal commas, such as {!r} in column {}", comma.cell, where))
    nameless = found.name == 0 and name is None and found.header is not None and not found.header[0]
    if nameless and not new and all(is_number(cells[0]) for _, cells in head[1:]):
        told.append(Sentence("the first column has no header, names the samples and is no feature"))
    return told


def columns_of_numbers(file: Path, encoding: str | None = None) -> int:
    """How many columns hold nothing but numbers, as far as the first rows tell, and values that are missing."""
    with open_text(file, newline="", encoding=encoding) as text, long_cells():
        reader = csv.reader(lines(file, text), delimiter=delimiter(file, encoding), strict=True)
        head = _head(file, _rows(file, reader))
    body = [cells for _, cells in head[1:]]
    columns = zip(*body, strict=False)
    return sum(
        any(map(_is_numeric, cells)) and all(_is_numeric(cell) or is_missing(cell) for cell in cells)
        for cells in columns
    )


def _is_numeric(cell: str) -> bool:
    return is_number(cell) or has_decimal_comma(cell)


def _rows(file: Path, reader: Any) -> Iterator[Row]:
    """Rows that are not blank, each with the number of its line."""
    try:
        for cells in reader:
            if cells and (len(cells) > 1 or cells[0].strip()):
                yield reader.line_num, cells
    except csv.Error as problem:
        raise refusal(file, f"has a broken line {reader.line_num} ({problem})", "check its quotes") from problem


def _head(file: Path, rows: Iterator[Row]) -> list[Row]:
    """The first rows, whose cells are texts that may take many times what they have in the file."""
    head, held = [], Held(file)
    for row in islice(rows, HEAD):
        head.append(row)
        held.add(sum(map(_held, row[1])))
    return head


def _held(cell: str) -> int:
    """Bytes of a cell in a list; Python has each single character once."""
    return NUMBER if len(cell) < 2 else NUMBER + getsizeof(cell)


@contextmanager
def without_collection() -> Iterator[None]:
    """Inside the block Python does not look for cycles: it would walk over all rows again and again, and find none."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _table(file: Path, rows: Iterator[Row], found: Layout, decimal: str) -> RawTable:
    """The numbers, names and labels of all rows."""
    names: list[str] = []
    classes: list[str] = []
    blocks, read = [], 0
    faults = Faults(found, decimal)
    size = max(1, BLOCK // found.width)
    while block := list(islice(rows, size)):
        for line, cells in block:
            if len(cells) != found.width:
                given = f"has {len(cells)} cells in line {line} and {found.width} in the first"
                raise refusal(file, given, "give every row the same columns")
        if found.name is not None:
            names += [unprotected(cells[found.name]) for _, cells in block]
            read += sum(map(_held, names[-len(block) :]))
        if found.label is not None:
            classes += [unprotected(cells[found.label].strip()) for _, cells in block]
            read += sum(map(_held, classes[-len(block) :]))
        numbers = _numbers(block, found) if decimal == "." else None
        blocks.append(faults.numbers(block) if numbers is None else numbers)
        read += COPIES * blocks[-1].nbytes
        check_unpacked(file, (read + faults.n_bytes) // TIMES_TEXT)
        memory.require(read // COPIES, str(file), "use fewer rows")
    return RawTable(
        _joined(blocks),
        faults.problems,
        faults.texts,
        header=found.feature_names(),
        places=found.columns,
        names=names if found.name is not None else None,
        labels=table_checks.labels_from_text(file, classes) if found.label is not None else None,
    )


def _joined(blocks: list[Array]) -> Array:
    """All rows of blocks, each of which is given up when it is copied."""
    X = np.empty((sum(map(len, blocks)), blocks[0].shape[1]))
    end = len(X)
    while blocks:
        block = blocks.pop()
        X[end - len(block) : end] = block
        end -= len(block)
    return X


def _numbers(block: list[Row], found: Layout) -> Array | None:
    """The numbers of a block, or None if a cell is none."""
    first, last = found.span
    if len(found.columns) == found.width:
        kept = [cells for _, cells in block]
    elif found.contiguous:
        kept = [cells[first:last] for _, cells in block]
    else:
        kept = [[cells[column] for column in found.columns] for _, cells in block]
    try:
        numbers = np.array(kept, dtype=np.float64)
    except ValueError:
        return None
    # Python takes 1_000 for a number, and so does NumPy; in a table it is a name in the wrong column.
    if not np.isfinite(numbers).all() or any("_" in "".join(cells) for cells in kept):
        return None
    return numbers


def _bytes_of_text(file: Path) -> int:
    """How long the text of a file is, unpacked; refused where it is longer than the file allows."""
    if not is_compressed(file):
        return file.stat().st_size
    with open_bytes(file) as content:
        return size_unpacked(content)


def _fits(file: Path, source: str, n_bytes: int, head: list[Row], found: Layout) -> None:
    """The table and its features must fit, judged by the bytes of the first rows."""
    sample = sum(len(cell) + 1 for _, cells in head for cell in cells)
    rows = n_bytes * len(head) / sample
    needed = int(rows * COPIES * NUMBER * len(found.columns))
    memory.require(needed, source, "use fewer rows, or a sparse format such as .npz")
    check_unpacked(file, needed // TIMES_TEXT)
