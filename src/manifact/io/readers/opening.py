"""Opening text files: plain or packed, UTF-8 with or without a byte order mark."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import IO, cast

from manifact.io.readers.problems import not_utf8

#: The csv module has one limit on the length of cells for the whole process.
_LIMIT = RLock()


def opened(file: Path) -> IO[bytes]:
    """The bytes of a file, unpacked if its name ends in .gz."""
    return cast("IO[bytes]", gzip.open(file)) if file.suffix.lower() == ".gz" else file.open("rb")


@contextmanager
def lines(file: Path, newline: str | None = None) -> Iterator[io.TextIOWrapper]:
    """The text of a file, to go through by lines; one sentence with the position if it is not UTF-8."""
    with opened(file) as content, io.TextIOWrapper(content, encoding="utf-8-sig", newline=newline) as text:
        try:
            yield text
        except UnicodeDecodeError as problem:
            raise not_utf8(file, opened) from problem


@contextmanager
def long_cells() -> Iterator[None]:
    """Let the csv module read cells of any length inside the block: a document may be a book."""
    with _LIMIT:
        before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
        try:
            yield
        finally:
            csv.field_size_limit(before)
