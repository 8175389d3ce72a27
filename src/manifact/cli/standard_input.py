"""Data from standard input, which commands call ``-``: kept in a file for as long as the command runs.

Readers look at a file more than once, and some formats end with what one has to know first; so what comes down a pipe
is written down before it is read. Sentences that name the file say "standard input" instead.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import IO, Any

from manifact.utils.errors import BadValueError

#: What stands for standard input, and for standard output.
DASH = Path("-")
CALLED = "standard input"
#: Bytes that tell what the data are.
HEAD = 1 << 14
#: Options that are for tables and records, and so say that lines are not documents.
OF_RECORDS = ("text", "name", "label")

#: Where it is kept; removed when the program ends.
_kept: dict[Path, TemporaryDirectory[str]] = {}


def is_dash(path: Path | None) -> bool:
    """Whether a path stands for standard input or output.

    >>> is_dash(Path("-")), is_dash(Path("./-")), is_dash(None)
    (True, True, False)
    """
    return path is not None and str(path) == str(DASH)


def check_there(data: Path | None = None, model: Path | None = None) -> None:
    """Refuse files that are not there before anything is imported that would read them: that takes seconds."""
    if model is not None and not model.exists():
        raise ValueError(f"{model} is not there: give the path of a model file, as `manifact fit` writes them")
    if model is not None and not model.is_file():
        raise ValueError(f"{model} is no plain file: give the path of a model file, as `manifact fit` writes them")
    if data is not None and not is_dash(data) and not data.exists():
        raise ValueError(f"{data} does not exist: check the path")


def called(path: Path) -> str:
    """Data as a person knows them."""
    return CALLED if is_dash(path) else str(path)


def shown(text: str) -> str:
    """A text that says "standard input" where it names the file that it is kept in."""
    for file in _kept:
        text = text.replace(str(file), CALLED)
    return text


def received(path: Path, reading: Mapping[str, Any], kind: str | None = None) -> Path:
    """The path, or the file that standard input is kept in, whose name says what it is.

    ``kind`` is what a model was fitted to. Where ``format`` is not among the options, it is told by how the data begin;
    text of no other kind is a document in each line, unless the options or the kind say that it is a table.
    """
    if not is_dash(path):
        return path
    place = TemporaryDirectory(prefix="manifact-")
    raw = Path(place.name, "received")
    with raw.open("wb") as stream:
        copyfileobj(_binary(sys.stdin), stream)
    if raw.stat().st_size == 0:
        raise BadValueError("standard input is empty: send data to it, or name a file")
    head, compression = _head(raw)
    file = raw.with_name(f"standard-input.{_format(head, reading, kind)}{compression}")
    raw.rename(file)
    _kept[file] = place
    return file


def _binary(stream: Any) -> IO[bytes]:
    """Bytes of a stream; tests send text."""
    found: IO[bytes] = getattr(stream, "buffer", None) or BytesIO(stream.read().encode())
    return found


def _head(file: Path) -> tuple[bytes, str]:
    """The first bytes, decompressed, and the ending that says how."""
    from manifact.io.file_errors import guarded
    from manifact.io.readers.content_formats import COMPRESSED

    with file.open("rb") as stream:
        head = stream.read(HEAD)
    for beginning, ending, opener in COMPRESSED:
        if head.startswith(beginning):
            with guarded(CALLED, "compressed data"), opener(file) as stream:
                return stream.read(HEAD), ending
    return head, ""


def _format(head: bytes, reading: Mapping[str, Any], kind: str | None) -> str:
    from manifact.io.readers.content_formats import format_of, looks_like_a_table

    if "format" in reading:
        return str(reading["format"])
    found = format_of(head)
    if found is not None:
        return found
    asked = reading.get("kind", kind)
    if asked not in (None, "documents") or any(option in reading for option in OF_RECORDS):
        return "csv"
    if asked is None and looks_like_a_table(head):
        raise BadValueError(
            "standard input may be a table or documents in lines: say which with {format}=csv, tsv or txt"
        )
    return "txt"
