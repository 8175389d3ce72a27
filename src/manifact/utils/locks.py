"""One writer at a time, by locks that the system lets go of when their process ends, however it ends.

They are between processes of one machine, and between threads; where the system has none, nobody is kept out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from manifact.utils.errors import BadValueError, Parameter, Sentence

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]


#: What is longer has no room beside it: names of files end at 255 bytes.
MOST_BYTES_OF_NAME = 200


@contextmanager
def only_writer(parameter: str, path: Path) -> Iterator[None]:
    """Be the only one who writes to ``path``; one sentence for whoever comes second.

    The lock is that of an empty file beside it, which goes at the end: ``path`` itself is replaced while it is held.
    """
    path = path.resolve()
    beside = path.with_name(_name_of_lock(path.name))
    try:
        handle = _only_handle(beside)
    except OSError as problem:
        raise BadValueError(
            "{}={!r} cannot be kept for this run alone, since {!r} cannot be opened ({}): remove that, or name another "
            "file",
            Parameter(parameter),
            str(path),
            str(beside),
            Sentence(problem.strerror or str(problem)),
        ) from problem
    if handle is None:
        raise BadValueError(
            "{}={!r} is being written by another process: wait until it has ended, or name another file",
            Parameter(parameter),
            str(path),
        )
    try:
        yield
    finally:
        try:
            with suppress(OSError):
                beside.unlink()
        finally:
            handle.close()


class _Handle:
    """An open file, and with it a lock: closed with the object, so that an interrupt at any moment leaves none."""

    def __init__(self, path: Path) -> None:
        self.number = -1
        # A link that somebody laid there would have a file made elsewhere.
        self.number = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)

    def close(self) -> None:
        """Let go of it."""
        number, self.number = self.number, -1
        if number >= 0:
            os.close(number)

    def __del__(self) -> None:
        self.close()


def _name_of_lock(name: str) -> str:
    """Of a name that leaves no room for more, a digest."""
    short = name if len(os.fsencode(name)) <= MOST_BYTES_OF_NAME else sha256(os.fsencode(name)).hexdigest()
    return f".{short}.lock"


def _only_handle(beside: Path) -> _Handle | None:
    """The file, open and locked; None while another has it."""
    while True:
        handle = _Handle(beside)
        if not _taken(handle.number):
            handle.close()
            return None
        # Who had it before may have deleted it in between: then the next one would lock another file.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle.number), beside.stat()):
                return handle
        handle.close()


def _taken(handle: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some file systems have no locks
        return True
    return True
