"""The papers' data sets, read from a data home."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from manifact.datasets import from_idx, from_matlab, from_npz, from_tenx
from manifact.datasets.dataset import Dataset
from manifact.datasets.sources import NAMES, SETS, Entry
from manifact.utils import checks

__all__ = ["NAMES", "data_home", "find", "load"]

Folder = str | os.PathLike[str] | None
Reader = Callable[[Entry, Sequence[Path]], Dataset]


def data_home(home: Folder = None) -> Path:
    """The folder that holds the data: ``home``, else ``$MANIFACT_DATA``, else our folder in the user's cache."""
    if home or os.environ.get("MANIFACT_DATA"):
        return Path(home or os.environ["MANIFACT_DATA"]).expanduser()
    return user_cache()


def user_cache() -> Path:
    """Our folder in the user's cache, which is ``$XDG_CACHE_HOME``, else ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manifact"


def load(name: str, home: Folder = None) -> Dataset:
    """The raw samples and classes of one of the papers' data sets.

    Read are, in this order: our layout (``coil20.npz``) and the files that circulate (``COIL20.mat``, upper or lower
    case), both with the same values. Images are upright: ``X[i].reshape(image_shape)``. Classes count from 0, −1 is
    unknown.
    """
    checks.option("name", name, SETS)
    entry, folder = SETS[name], data_home(home)
    files = find(name, folder)
    if not files:
        originals = " with ".join(entry.originals[0])
        raise FileNotFoundError(
            f"{name} is not in {folder}: put {entry.layout} there, or set MANIFACT_DATA to its folder; "
            f"{originals} will do as well, and `manifact data {name}` downloads it"
        )
    return _reader(files[0])(entry, files)


def find(name: str, home: Folder = None) -> tuple[Path, ...]:
    """The files that `load` reads for a data set, none if it is not there."""
    entry, folder = SETS[name], data_home(home)
    if not folder.is_dir():
        return ()
    if (folder / entry.layout).exists():
        return (folder / entry.layout,)
    present = {file.name.lower(): file for file in sorted(folder.iterdir())}
    groups = ([present.get(file.lower()) for file in group] for group in entry.originals)
    return next((tuple(file for file in group if file) for group in groups if all(group)), ())


def _reader(file: Path) -> Reader:
    if file.name.endswith(".tar.gz"):
        return from_tenx.read
    readers: dict[str, Reader] = {".npz": from_npz.read, ".mat": from_matlab.read}
    return readers.get(file.suffix.lower(), from_idx.read)
