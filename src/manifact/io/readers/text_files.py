"""Opening text files: plain or compressed, UTF-8 unless a byte order mark or the user says otherwise."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import IO, Any

from manifact.io.file_errors import refusal
from manifact.io.readers.likely_encoding import likely_encoding
from manifact.io.unpacked_size import OBJECTS, STORE, allowed, unpacked
from manifact.utils.errors import BadValueError, Sentence

#: Endings of compressed files.
COMPRESSIONS: dict[str, Callable[[Path], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
#: Marks at the beginning of a text, and the codecs that read them; of UTF-16 and -32, the longer ones first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: Bytes in which a file without text shows that it has none, and those from which an encoding is guessed.
HEAD, SAMPLE = 1 << 13, 1 << 16
#: Characters of a line that an error shows.
SHOWN = 30

#: The csv module has one limit on the length of cells for the whole process.
_LIMIT = RLock()


def is_compressed(file: Path) -> bool:
    """Whether the end of a file's name says so."""
    return file.suffix.lower() in COMPRESSIONS


def ending(file: Path) -> str:
    """The end of a name without that of a compression.

    >>> ending(Path("notes.TXT.gz")), ending(Path("51060")), ending(Path("a.md"))
    ('.txt', '', '.md')
    """
    return Path(file.stem).suffix.lower() if is_compressed(file) else file.suffix.lower()


def open_bytes(file: Path) -> IO[bytes]:
    """The bytes of a file, decompressed if its name says that they are compressed."""
    if file.exists() and not file.is_file() and not file.is_dir():  # it may have no end
        raise refusal(file, "is a pipe or a device", "store the text in a file")
    return unpacked(file, COMPRESSIONS[file.suffix.lower()](file)) if is_compressed(file) else file.open("rb")


def check_encoding(encoding: str) -> None:
    """Refuse a name that is no encoding of text."""
    try:
        "text".encode(encoding)
    except (LookupError, ValueError) as problem:
        raise BadValueError(
            "{encoding}={!r} is not known: give a name such as utf-8, utf-16, cp1252, latin-1, shift_jis or gb18030",
            encoding,
        ) from problem


@contextmanager
def open_text(file: Path, newline: str | None = None, encoding: str | None = None) -> Iterator[io.TextIOWrapper]:
    """The text of a file; one sentence with the position and what it may be, if it is in another encoding."""
    with open_bytes(file) as content:
        codec = _codec(file, content, encoding)
        with io.TextIOWrapper(content, encoding=codec, newline=newline) as text:
            try:
                yield text
            except UnicodeDecodeError as problem:
                raise _not_decodable(file, codec) from problem


def lines(file: Path, text: IO[str]) -> Iterator[str]:
    """The lines of a text: none of them longer, and no more of them blank, than the size of the file allows.

    Only a compressed file can have such lines. Cells or a record of JSON take many times the memory of their line,
    and a blank line takes time alone.
    """
    most, blank = allowed(file) // OBJECTS, 0
    while line := text.readline(most):
        if len(line) >= most:
            while text.read(most):  # if all of it is too much, that is said
                pass
            raise refusal(file, f"has a line of {most:,} characters or more", STORE)
        if line.isspace():
            blank += 1
            if blank > most:
                raise refusal(file, f"has more than {most:,} blank lines", "leave them out")
        yield line


@contextmanager
def long_cells() -> Iterator[None]:
    """Let the csv module read cells of any length inside the block: a document may be a book."""
    with _LIMIT:
        before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _codec(file: Path, content: IO[bytes], encoding: str | None) -> str:
    """The codec for a file whose beginning may have a mark; what is not text is refused."""
    head = content.read(HEAD)
    content.seek(0)
    asked = "utf-8" if encoding is None else codecs.lookup(encoding).name
    for mark, codec in MARKS:
        if head.startswith(mark) and (encoding is None or asked.startswith(codec.removesuffix("-sig"))):
            return codec
    if b"\0" in head and not asked.startswith(("utf-16", "utf-32")):
        at, likely = head.index(b"\0"), likely_encoding(head)
        if likely is not None and likely.startswith("utf-16"):
            raise refusal(file, f"looks like {likely}", Sentence("give {encoding}={!r}", likely))
        raise refusal(file, f"is not text (byte {at} is 0)", "remove it, or name files of text")
    return asked


def _not_decodable(file: Path, codec: str) -> ValueError:
    """The error for text in another encoding, with the first byte that cannot be read and what the text may be."""
    codec = codec.removesuffix("-sig")
    decoder, at, line = codecs.getincrementaldecoder(codec)(), 0, 1
    with open_bytes(file) as content:
        while True:
            chunk = content.read(1 << 20)
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as problem:
                line += chunk.count(b"\n", 0, max(0, problem.start - pending))
                at += problem.start - pending
                break
            if not chunk:
                break
            line += chunk.count(b"\n")
            at += len(chunk)
        content.seek(max(0, at - SAMPLE // 4))
        sample = content.read(SAMPLE)
    name = "UTF-8" if codec == "utf-8" else codec
    found = f"is not {name} (byte {at}) in line {line}"
    likely = likely_encoding(sample)
    if likely is None or likely == codec:
        return refusal(file, found, Sentence("say with {encoding}=… which encoding it is in"))
    shown = _around(sample, min(at, SAMPLE // 4), likely)
    remedy = Sentence("give {encoding}={!r}, or save it as UTF-8 (iconv -f {} -t utf-8)", likely, likely)
    return refusal(file, f"{found}, perhaps {likely} ({shown!r})", remedy)


def _around(sample: bytes, at: int, encoding: str) -> str:
    """The words around a byte, in an encoding."""
    begin = max(sample.rfind(b"\n", 0, at) + 1, at - SHOWN // 2)
    end = sample.find(b"\n", at)
    line = sample[begin : min(end if end >= 0 else len(sample), at + SHOWN // 2)]
    return " ".join(line.decode(encoding, "ignore").split())
