"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manifact.utils.living_processes import has_ended, name_of_process

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

#: What files beside their place are called, with the process that writes them.
PREFIX, SUFFIX = ".manifact-", ".tmp"
A_DAY = 24 * 60 * 60


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside ``path`` to write to, moved into its place if the block ends well and deleted if not.

    What is in place is on the disk: a machine that loses its power has the old file, or the new one.
    """
    path = path.resolve()  # what a link points to is replaced, not the link
    temporary = path.parent / f"{PREFIX}{name_of_process()}-{secrets.token_hex(8)}{SUFFIX}"
    try:
        _begin(temporary, path)
        yield temporary
        _to_disk(temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    with suppress(OSError):  # some systems cannot; the file is whole all the same
        _to_disk(path.parent)


def _begin(temporary: Path, path: Path) -> None:
    """Make an empty file beside ``path``, for everyone the folder is for, or for those whom the file there is for.

    The system takes off what the umask says, which only it can read without changing it for other threads.
    """
    held = path.stat().st_mode & 0o777 if path.exists() else None
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if held is None else 0o600))
    if held is not None:
        temporary.chmod(held)


def _to_disk(path: Path) -> None:
    # Some systems bring to the disk only what may be written; folders may not.
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_abandoned(folder: Path) -> None:
    """Delete what killed processes have left of files that they were writing here."""
    for file in folder.glob(f"{PREFIX}*{SUFFIX}"):
        with suppress(OSError):
            ended = has_ended(file.name.removeprefix(PREFIX))
            # Of a process on another machine nothing is known, but that nobody writes to a file once a day.
            if ended or (ended is None and time.time() - file.stat().st_mtime > A_DAY):
                file.unlink()


def check_place(parameter: str, path: Path) -> Path:
    """The path, if a file can be put there; one sentence if it is a folder or in none."""
    try:
        mode = os.stat(path.resolve()).st_mode
    except (FileNotFoundError, NotADirectoryError):
        mode = stat.S_IFREG
    except (OSError, RuntimeError, ValueError) as problem:  # a loop of links, a name too long, a name with a zero
        reason = getattr(problem, "strerror", None) or problem
        raise ValueError(f"{parameter}={str(path)!r} cannot be a file ({reason}): name another one") from problem
    if stat.S_ISDIR(mode):
        raise ValueError(f"{parameter}={str(path)!r} is a folder: name a file in it")
    if not stat.S_ISREG(mode):
        raise ValueError(f"{parameter}={str(path)!r} is a pipe or a device: name a file")
    if not path.parent.is_dir():
        raise ValueError(
            f"{parameter}={str(path)!r} is in a folder that does not exist: make {str(path.parent)!r} first"
        )
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            remove_abandoned(path.resolve().parent)
            return path
    except OSError as error:
        raise ValueError(
            f"{parameter}={str(path)!r} cannot be written ({error.strerror}): name a file in another folder"
        ) from error


def writable(option: str, folder: Path) -> Path:
    """The folder, made if it was not there; one sentence if nothing can be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder):
            return folder
    except OSError as error:
        raise ValueError(
            f"{option}={str(folder)!r} cannot be written ({error.strerror}): give another folder"
        ) from error


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """The same as `replacing`; what keeps the file from being written is said in one sentence."""
    try:
        with replacing(path) as temporary:
            yield temporary
    except OSError as error:
        raise OSError(f"{path} cannot be written ({error.strerror or error}): name another file") from error


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    with written(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
