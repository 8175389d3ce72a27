"""What data without a name are, such as those of a pipe: told by how they begin."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from typing import Any

from manifact.io.readers.delimited_cells import is_number

#: How files begin, and what they are.
BEGINNINGS = (
    (b"\x93NUMPY", "npy"),
    (b"PK\x03\x04", "npz"),
    (b"PAR1", "parquet"),
    (b"\x89HDF\r\n\x1a\n", "h5ad"),
    (b"%%MatrixMarket", "mtx"),
    (b"MATLAB 5.0", "mat"),
)
#: How compressed files begin, the ends of their names, and what opens them.
COMPRESSED: tuple[tuple[bytes, str, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", ".gz", gzip.open),
    (b"BZh", ".bz2", bz2.open),
    (b"\xfd7zXZ\x00", ".xz", lzma.open),
)
#: Lines that must look like rows of a table, and share of numbers among their cells.
LINES, NUMBERS = 20, 0.5


def format_of(head: bytes) -> str | None:
    """The format that the beginning of a file shows; None if it is a text of any kind.

    >>> format_of(b"%%MatrixMarket matrix"), format_of(b'{"text": "one"}\\n{'), format_of(b"one\\ntwo\\n")
    ('mtx', 'jsonl', None)
    """
    for beginning, found in BEGINNINGS:
        if head.startswith(beginning):
            return found
    first = head.split(b"\n", 1)[0].removeprefix(b"\xef\xbb\xbf").strip()
    if first[:1] in (b"{", b'"'):
        try:
            json.loads(first)
        except ValueError:
            return None
        return "jsonl"
    return None


def looks_like_a_table(head: bytes) -> bool:
    """Whether lines of text may be rows: all of as many cells, between tabs or most of them numbers.

    >>> looks_like_a_table(b"a,b,c\\n1,2,x\\n3,4,y\\n"), looks_like_a_table(b"one, two\\nthree, four\\n")
    (True, False)
    """
    lines = head.decode("utf-8", "replace").splitlines()[:LINES]
    rows = [line for line in lines if line.strip()]
    for separator in ",;\t":
        cells = [row.split(separator) for row in rows]
        body = [cell.strip() for row in cells[1:] for cell in row]
        if len({len(row) for row in cells}) == 1 and len(cells[0]) > 1 and body:
            return separator == "\t" or sum(map(is_number, body)) >= NUMBERS * len(body)
    return False
