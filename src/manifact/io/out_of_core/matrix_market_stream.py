"""Matrix Market files that are larger than memory: read once, their entries sorted into blocks of rows on disk."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from manifact.io.cell_matrices import SPOKEN, kind_of_parts
from manifact.io.file_errors import guarded, refusal
from manifact.io.out_of_core.entry_buckets import EntryBuckets
from manifact.io.out_of_core.row_sources import RowSource, checked_block
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.readers import matrix_market, table_checks, tenx
from manifact.io.readers.matrix_market import Head, MatrixMarketError
from manifact.io.readers.text_files import open_bytes
from manifact.utils.errors import Sentence
from manifact.utils.progress import steps

#: What an entry takes in memory, and how often a line of text is there while it is read.
ENTRY, COPIES = 12, 8
WHAT = "a Matrix Market file"
#: Where SciPy says that an entry is wrong.
LINE = re.compile(r"\bLine (\d+)")


def source(file: Path, name: str, space: Workspace, image_shape: tuple[int, ...] | None = None) -> RowSource:
    """The rows of a coordinate file; entries are sorted when the first block is asked for."""
    return _rows(file, name, space, False, image_shape)


def tenx_source(folder: Path, name: str, space: Workspace) -> RowSource:
    """Cells x genes from the matrix of genes x cells that 10x writes, with barcodes and gene symbols."""
    matrix = tenx._part(folder, tenx.MATRIX)
    found = _rows(matrix, name, space, True, None)
    values = kind_of_parts(block.data for block in found.read())
    return replace(
        found,
        kind="cells",
        names=tenx._column(tenx._part(folder, "barcodes.tsv"), found.count, 0),
        feature_names=table_checks.made_distinct(
            tenx._column(tenx._part(folder, "features.tsv", "genes.tsv"), found.width, 1)
        ),
        matrix=f"{SPOKEN[values]} of {matrix.name}",
        values=values,
    )


def head_of(file: Path) -> Head:
    """The first lines of a file."""
    with _opened(file) as content:
        return matrix_market._head(content)


def _rows(file: Path, name: str, space: Workspace, transposed: bool, image_shape: Any) -> RowSource:
    head, symmetry = _head(file)
    n, m = (head.columns, head.rows) if transposed else (head.rows, head.columns)
    entries = head.entries * (1 if symmetry == "general" else 2)
    sorted_once: list[EntryBuckets] = []

    def read() -> Iterator[Any]:
        if not sorted_once:
            sorted_once.append(_sorted(file, head, symmetry, space, transposed))
        first = 0
        for block in sorted_once[0].blocks():
            yield checked_block(file, block, first)
            first += block.shape[0]

    return RowSource(
        "table",
        name,
        image_shape=image_shape,
        count=n,
        width=m,
        n_bytes=entries * ENTRY + 4 * n,
        is_sparse=True,
        read=read,
        release=sorted_once.clear,
    )


def _head(file: Path) -> tuple[Head, str]:
    """The head of a file of entries, and its symmetry."""
    head = head_of(file)
    with _opened(file) as content:
        symmetry = content.readline(1000).decode("latin-1").lower().split()[-1]
    if not head.sparse:
        raise refusal(
            file,
            "lists all values by columns, which is not read in blocks",
            Sentence("store entries by their coordinates, or a .npy file, or raise {memory}=…"),
        )
    return head, symmetry


def _sorted(file: Path, head: Head, symmetry: str, space: Workspace, transposed: bool) -> EntryBuckets:
    """All entries, those of one half of a symmetric matrix in both, on disk by blocks of rows."""
    shape = (head.columns, head.rows) if transposed else (head.rows, head.columns)
    dtype = np.int64 if head.field in ("integer", "unsigned-integer") else np.float64
    found = EntryBuckets(space, shape, dtype, head.entries * (1 if symmetry == "general" else 2), str(file))
    with _opened(file) as content, steps("sorting entries", head.entries) as advance:
        above = matrix_market._head(content).lines
        for lines in _lines(content, head, space):
            rows, columns, values = _entries(head, lines, above)
            above += len(rows)
            advance(len(rows))
            if symmetry != "general":
                off = rows != columns
                mirrored = -values[off] if symmetry == "skew-symmetric" else values[off]
                rows, columns = np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])
                values = np.concatenate([values, mirrored])
            found.add(*((columns, rows) if transposed else (rows, columns)), values)
    return found


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file; what is wrong with them is told with its name."""
    with guarded(file, WHAT), open_bytes(file) as content:
        try:
            yield content
        except MatrixMarketError as problem:
            raise refusal(file, problem.found, problem.remedy) from problem


def _lines(content: IO[bytes], head: Head, space: Workspace) -> Iterator[bytes]:
    """Whole lines that are entries and nothing else, some at a time; as many in all as the head says."""
    entry, seen, rest = head.entry, 0, b""
    while chunk := content.read(max(1 << 12, min(matrix_market.BLOCK, space.block_bytes // COPIES))):
        text = rest + chunk
        cut = text.rstrip().rfind(b"\n") + 1  # what follows may be half a line, or the last one with blank ones
        lines, rest = text[:cut], text[cut:]
        if lines:
            seen += matrix_market._entries(entry, lines)
            yield lines
    if rest.strip():
        last = rest.rstrip() + b"\n"
        seen += matrix_market._entries(entry, last)
        yield last
    if seen != head.entries:
        raise MatrixMarketError(f"has {seen} entries and its head says {head.entries}")


def _entries(head: Head, lines: bytes, above: int) -> tuple[Any, Any, Any]:
    """Rows, columns and values of lines: SciPy reads them as a file of their own, with two lines above them."""
    from scipy.io import mmread

    field = "real" if head.field == "double" else head.field
    first = f"%%MatrixMarket matrix coordinate {field} general\n{head.rows} {head.columns} {lines.count(10)}\n"
    try:
        found = mmread(io.BytesIO(first.encode() + lines))
    except (ValueError, OverflowError) as problem:
        told = LINE.sub(lambda line: f"Line {int(line[1]) - 2 + above}", str(problem))
        raise type(problem)(told) from problem
    return found.row, found.col, found.data
