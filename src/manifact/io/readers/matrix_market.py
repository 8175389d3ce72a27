"""Matrix Market files. Their lines are checked before SciPy trusts them: a damaged one can crash the interpreter."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from manifact.io.file_errors import refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import table_checks
from manifact.io.readers.text_files import open_bytes
from manifact.utils import memory

#: Bytes that are checked together, and those of an entry and of a dense value in memory.
BLOCK, ENTRY, VALUE = 1 << 24, 40, 16
#: Endings that SciPy opens by itself.
SCIPY = (".mtx", ".gz", ".bz2")
SYMMETRIES = ("general", "symmetric", "skew-symmetric")

_PLACE, _GAP, _END = rb"[0-9]{1,18}+", rb"[ \t]++", rb"[ \t]*+\r?\n"
_WHOLE = rb"[+-]?[0-9]{1,18}+"
_REAL = rb"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++|nan|inf(?:inity)?)(?:[eE][+-]?[0-9]{1,9}+)?"
#: What an entry's value looks like.
FIELDS = {"real": _REAL, "double": _REAL, "integer": _WHOLE, "unsigned-integer": rb"[0-9]{1,18}+", "pattern": b""}


@dataclass(frozen=True)
class Head:
    """The first lines: what each entry is, and how many there are."""

    sparse: bool
    field: str
    rows: int
    columns: int
    entries: int
    #: How many lines these are, with those of comments.
    lines: int

    @property
    def n_bytes(self) -> int:
        """Memory that the matrix takes while it is read."""
        return self.entries * ENTRY + (self.rows + self.columns) * VALUE if self.sparse else self.entries * VALUE

    @property
    def entry(self) -> re.Pattern[bytes]:
        """Lines of entries and nothing else."""
        value = FIELDS[self.field]
        places = _PLACE + _GAP + _PLACE + (_GAP if value else b"") if self.sparse else b""
        return re.compile(rb"(?:[ \t]*+" + places + value + _END + rb")*+", re.IGNORECASE)


class MatrixMarketError(ValueError):
    """What was found and the remedy, kept apart: the sentence around them is for those who know the file's name."""

    def __init__(
        self, found: str, remedy: str = "it is cut short, damaged or not a Matrix Market file, replace it"
    ) -> None:
        super().__init__(f"it {found}")
        self.found, self.remedy = found, remedy


def read(file: Path, source: str, image_shape: tuple[int, ...] | None = None) -> Samples:
    """The matrix in a .mtx file, a row for each sample; coordinate files stay sparse."""
    return Samples("table", source, table_checks.checked_table(file, read_file(file)), image_shape=image_shape)


def read_file(file: Path) -> Any:
    """The matrix in a file, compressed or not; sparse if its entries are coordinates."""
    from scipy.io import mmread

    try:
        with open_bytes(file) as content:
            complete = check_lines(content, str(file))
    except MatrixMarketError as problem:
        raise refusal(file, problem.found, problem.remedy) from problem
    if complete and file.suffix.lower() in SCIPY:
        return mmread(file)
    with open_bytes(file) as content:
        return mmread(with_last_line_ended(content.read()))


def read_bytes(content: bytes, name: str) -> Any:
    """The matrix in the content of a file that is called ``name``."""
    from scipy.io import mmread

    check_lines(io.BytesIO(content), name)
    return mmread(with_last_line_ended(content))


def check_lines(content: IO[bytes], name: str) -> bool:
    """Refuse all but a head and the lines that it promises; true if the last of them ends as the others do."""
    head = _head(content)
    memory.require(head.n_bytes, name, "use fewer samples")
    return _body(content, head)


def with_last_line_ended(content: bytes) -> io.BytesIO:
    """The lines with an end to the last one: SciPy would read beyond it without."""
    return io.BytesIO(content.rstrip() + b"\n")


def _head(content: IO[bytes]) -> Head:
    words = content.readline(1000).decode("latin-1").lower().split()
    if not words:
        raise MatrixMarketError("is empty", "write it again")
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"] or words[2] not in ("coordinate", "array"):
        raise MatrixMarketError("does not begin with %%MatrixMarket matrix")
    _, _, form, field, symmetry = words
    if field not in FIELDS or symmetry not in SYMMETRIES or (form, field) == ("array", "pattern"):
        raise MatrixMarketError(f"holds a {field} {symmetry} matrix", "store a real general or symmetric one")
    line, lines = content.readline(), 2
    while line and (not line.strip() or line.startswith(b"%")):
        line, lines = content.readline(), lines + 1
    sizes = line.split()
    if len(sizes) != (3 if form == "coordinate" else 2) or not all(re.fullmatch(_PLACE, size) for size in sizes):
        raise MatrixMarketError("has no sizes below its comments")
    rows, columns, *given = map(int, sizes)
    if 0 in (rows, columns):
        raise MatrixMarketError(f"holds {rows} x {columns} values", "it needs a sample and a feature at least")
    if symmetry != "general" and rows != columns:
        raise MatrixMarketError(f"has a {symmetry} matrix of {rows} x {columns}")
    triangle = rows * (rows - 1 if symmetry == "skew-symmetric" else rows + 1) // 2
    listed = rows * columns if symmetry == "general" else triangle
    return Head(form == "coordinate", field, rows, columns, given[0] if given else listed, lines)


def _body(content: IO[bytes], head: Head) -> bool:
    entry, entries, rest = head.entry, 0, b""
    while chunk := content.read(BLOCK):
        block = rest + chunk
        cut = block.rstrip().rfind(b"\n") + 1  # what follows may be half a line, or the last one with blank ones
        block, rest = block[:cut], block[cut:]
        entries += _entries(entry, block)
    last = rest.rstrip() + b"\n" if rest.strip() else b""
    entries += _entries(entry, last)
    if entries != head.entries:
        raise MatrixMarketError(f"has {entries} entries and its head says {head.entries}")
    return rest == last


def _entries(entry: re.Pattern[bytes], block: bytes) -> int:
    if not entry.fullmatch(block):
        raise MatrixMarketError("has a line that is not an entry")
    return block.count(b"\n")
