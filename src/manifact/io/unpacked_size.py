"""How much a file may unpack to: that follows from the size of the file, and not from what it says of itself."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, Any, cast

from manifact.io.file_errors import refusal
from manifact.utils import memory
from manifact.utils.errors import Sentence

#: What any file may unpack to, and how many times its own size: counts and pixels that are mostly zero compress by a
#: hundred, deflate by a thousand at most, and a file that was made to do harm by more.
SMALL, TIMES = 1 << 28, 256
#: Bytes of numbers, and of what is made of them on the way, for one of their text.
TIMES_TEXT = 4
#: Bytes of a stream after which it is seen again whether there is memory for as many more.
STEP = 1 << 26
#: Bytes that are unpacked at a time, where all that is asked for is how many there are.
PIECE = 1 << 20
#: Bytes that Python takes for one of JSON, at worst: that of a list without anything in it.
OBJECTS = 32
STORE = "store it without compression, or in parts, if this is as it should be"


def allowed(file: Path) -> int:
    """Bytes that the content of a file may have in memory."""
    return SMALL + TIMES * file.stat().st_size


def check_unpacked(file: Path, n_bytes: int, remedy: str | Sentence = STORE) -> None:
    """Refuse content of so many bytes, if the file is too small for that or the memory is."""
    if n_bytes > allowed(file):
        raise refusal(file, _claim(file, n_bytes), remedy)
    memory.require(n_bytes, str(file), "read it on a larger machine or in parts")


class Held:
    """What is kept of a file while it is read: refused as soon as it is more than the file's size allows."""

    def __init__(self, file: Path) -> None:
        self._file, self._most = file, allowed(file)
        self._bytes, self._checked = 0, min(PIECE, self._most)

    def add(self, n_bytes: int) -> None:
        """Count what was kept."""
        self._bytes += n_bytes
        if self._bytes > self._checked:
            self._check()

    def _check(self) -> None:
        if self._bytes > self._most:
            size = self._file.stat().st_size
            found = f"would take more than {self._most / 2**20:,.0f} MiB in memory from {size:,} bytes"
            raise refusal(self._file, found, STORE)
        # What is kept is no longer free: there has to be room for what comes until the next look.
        room = min(self._bytes, STEP)
        read = f"{self._file}, of which {self._bytes / 2**20:,.0f} MiB are read,"
        memory.require(room, read, "read it on a larger machine or in parts")
        self._checked = min(self._bytes + room, self._most)


def _claim(file: Path, n_bytes: int) -> str:
    return f"would unpack to {n_bytes / 2**20:,.0f} MiB from {file.stat().st_size:,} bytes"


class UnpackedStream(io.BufferedIOBase):
    """The decompressed bytes of a file, which ends in a refusal where there are more than its size allows."""

    def __init__(self, file: Path, opened: Any) -> None:
        self._file, self._inner = file, opened
        self._most, self._checked = allowed(file), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        return self._counted(self._inner.read(self._at_most(size)))

    def read1(self, size: int = -1, /) -> bytes:
        return self._counted(self._inner.read1(self._at_most(size if size >= 0 else io.DEFAULT_BUFFER_SIZE)))

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._counted(self._inner.readline(self._at_most(size)))

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return int(self._inner.seek(offset, whence))

    def tell(self) -> int:
        return int(self._inner.tell())

    def close(self) -> None:
        try:
            self._inner.close()
        finally:
            super().close()

    def _at_most(self, size: int | None) -> int:
        """As many bytes as are asked for, or one more than there may be."""
        left = max(0, self._most - self._inner.tell()) + 1
        return left if size is None or size < 0 else min(size, left)

    def _counted(self, content: bytes) -> bytes:
        at = self._inner.tell()
        if at > self._most:
            raise refusal(self._file, f"unpacks to more than {self._most / 2**20:,.0f} MiB", STORE)
        if at > self._checked:
            room = OBJECTS * min(at, STEP)
            memory.require(room, f"{self._file}, of which {at / 2**20:,.0f} MiB are read,", "read it in parts")
            self._checked = at + STEP
        return content


def size_unpacked(stream: IO[bytes]) -> int:
    """Bytes of a stream that is bounded, which is read to its end and goes back to its beginning.

    To unpack takes a small part of what it takes to make numbers of a text: a file that would be refused at its end is
    refused before.
    """
    size = 0
    while piece := stream.read(PIECE):
        size += len(piece)
    stream.seek(0)
    return size


def unpacked(file: Path, opened: Any) -> IO[bytes]:
    """The stream, bounded by the size of the file."""
    return cast("IO[bytes]", UnpackedStream(file, opened))
