"""Opening text files: plain or compressed by gzip, UTF-8 with or without a byte order mark."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import IO, cast

from manifact.io.file_errors import refusal

#: The csv module has one limit on the length of cells for the whole process.
_LIMIT = RLock()


def open_bytes(file: Path) -> IO[bytes]:
    """The bytes of a file, decompressed if its name ends in .gz."""
    return cast("IO[bytes]", gzip.open(file)) if file.suffix.lower() == ".gz" else file.open("rb")


@contextmanager
def open_text(file: Path, newline: str | None = None) -> Iterator[io.TextIOWrapper]:
    """The text of a file; one sentence with the position if it is not UTF-8."""
    with open_bytes(file) as content, io.TextIOWrapper(content, encoding="utf-8-sig", newline=newline) as text:
        try:
            yield text
        except UnicodeDecodeError as problem:
            raise _not_utf8(file) from problem


@contextmanager
def long_cells() -> Iterator[None]:
    """Let the csv module read cells of any length inside the block: a document may be a book."""
    with _LIMIT:
        before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _not_utf8(file: Path) -> ValueError:
    """The error for text that is not UTF-8, with the position of the first such byte in the file."""
    decoder, at = codecs.getincrementaldecoder("utf-8")(), 0
    with open_bytes(file) as content:
        while True:
            chunk = content.read(1 << 20)
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as problem:
                at += problem.start - pending
                break
            if not chunk:
                break
            at += len(chunk)
    return refusal(file, f"is not UTF-8 (byte {at})", "save it as UTF-8, e.g. with iconv -f latin1 -t utf-8")
