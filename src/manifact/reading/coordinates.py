"""The Matrix Market format: SciPy reads it fast and trusts every byte, so that a file is checked line by line first."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from manifact import memory
from manifact.reading.opening import opened
from manifact.reading.problems import refusal

#: Bytes that are checked together, and those of an entry and of a dense value in memory.
BLOCK, ENTRY, VALUE = 1 << 24, 40, 16
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


def matrix(file: Path) -> Any:
    """The matrix, sparse if its entries are coordinates."""
    from scipy.io import mmread

    with opened(file) as content:
        head = _head(file, content)
        memory.require(head.n_bytes, str(file), "use fewer samples")
        whole = _check(file, content, head)
    if whole:
        return mmread(file)
    with opened(file) as content:  # SciPy reads beyond a last line that does not end
        return mmread(io.BytesIO(content.read().rstrip() + b"\n"))


def _head(file: Path, content: IO[bytes]) -> Head:
    words = content.readline(1000).decode("latin-1").lower().split()
    if not words:
        raise refusal(file, "is empty", "write it again")
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"] or words[2] not in ("coordinate", "array"):
        raise _unlike(file, "does not begin with %%MatrixMarket matrix")
    _, _, form, field, symmetry = words
    if field not in FIELDS or symmetry not in SYMMETRIES or (form, field) == ("array", "pattern"):
        raise refusal(file, f"holds a {field} {symmetry} matrix", "store a real general or symmetric one")
    line = content.readline()
    while line and (not line.strip() or line.startswith(b"%")):
        line = content.readline()
    sizes = line.split()
    if len(sizes) != (3 if form == "coordinate" else 2) or not all(re.fullmatch(_PLACE, size) for size in sizes):
        raise _unlike(file, "has no sizes below its comments")
    rows, columns, *given = map(int, sizes)
    if 0 in (rows, columns):
        raise refusal(file, f"holds {rows} x {columns} values", "it needs a sample and a feature at least")
    if symmetry != "general" and rows != columns:
        raise _unlike(file, f"has a {symmetry} matrix of {rows} x {columns}")
    triangle = rows * (rows - 1 if symmetry == "skew-symmetric" else rows + 1) // 2
    listed = rows * columns if symmetry == "general" else triangle
    return Head(form == "coordinate", field, rows, columns, *(given or [listed]))


def _check(file: Path, content: IO[bytes], head: Head) -> bool:
    """Refuse all but the lines that the head promises; whether the last of them ends as the others."""
    entry, entries, rest = head.entry, 0, b""
    while chunk := content.read(BLOCK):
        block = rest + chunk
        cut = block.rstrip().rfind(b"\n") + 1  # what follows may be half a line, or the last one with blank ones
        block, rest = block[:cut], block[cut:]
        entries += _entries(file, entry, block)
    last = rest.rstrip() + b"\n" if rest.strip() else b""
    entries += _entries(file, entry, last)
    if entries != head.entries:
        raise _unlike(file, f"has {entries} entries and its head says {head.entries}")
    return rest == last


def _entries(file: Path, entry: re.Pattern[bytes], block: bytes) -> int:
    if not entry.fullmatch(block):
        raise _unlike(file, "has a line that is no entry")
    return block.count(b"\n")


def _unlike(file: Path, found: str) -> ValueError:
    return refusal(file, found, "it is cut short, damaged or no Matrix Market file, replace it")
