"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside ``path`` to write to, moved into its place if the block ends well and deleted if not."""
    path = path.resolve()  # what a link points to is replaced, not the link
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".manifact-", suffix=".tmp")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # A temporary file is its owner's alone; a page, a table or a model is for everyone the folder is for, or for
        # those whom the file that it replaces was for.
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check_place(parameter: str, path: Path) -> Path:
    """The path, if a file can be put there; one sentence if it is a folder or in none."""
    if path.is_dir():
        raise ValueError(f"{parameter}={str(path)!r} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise ValueError(
            f"{parameter}={str(path)!r} is in a folder that does not exist: make {str(path.parent)!r} first"
        )
    try:
        with tempfile.TemporaryFile(dir=path.parent):
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


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_arrays(path: Path, arrays: Mapping[str, Array], metadata: dict[str, str]) -> None:
    """Write a safetensors file."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        with replacing(path) as temporary:
            save_file(dict(arrays), temporary, metadata=metadata)
    except SafetensorError as error:
        raise OSError(f"{path} cannot be written ({error}): name another file") from error


def read_arrays(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """Arrays and metadata of a safetensors file, or one sentence that says why not."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except SafetensorError as error:
        # What the library says is about bytes of a header, of which whoever named the wrong file knows nothing.
        raise ValueError(f"{path} is torn or not a file of ours: name another one") from error


def _umask() -> int:
    mask = os.umask(0o077)  # what another thread makes in between is its owner's alone
    os.umask(mask)
    return mask
