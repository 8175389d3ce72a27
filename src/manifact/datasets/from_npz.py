"""Data sets in our own layout: images in one .npz, counts in SciPy's sparse .npz with their classes beside it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import sparse

from manifact.datasets.dataset import Dataset
from manifact.datasets.sources import Entry
from manifact.io.file_errors import FileRefusedError, refusal, unreadable
from manifact.io.unpacked_size import check_unpacked
from manifact.utils.sparse_matrices import checked_structure

IMAGE_FIELDS = ("X", "y", "image_shape", "scale")


def read(entry: Entry, files: Sequence[Path]) -> Dataset:
    """The samples and classes in a file of our layout."""
    return (_images if entry.image_shapes else _counts)(entry, files[0])


def _images(entry: Entry, file: Path) -> Dataset:
    stored = _fields(file, IMAGE_FIELDS)
    X, scale = stored["X"], stored["scale"]
    if stored["image_shape"].shape != (2,) or scale.shape != ():
        raise refusal(
            file, "has an image_shape or a scale of the wrong length", "expected height and width, and one number"
        )
    height, width = stored["image_shape"].tolist()
    if X.ndim != 2 or X.shape[1] != height * width:
        raise refusal(
            file, f"holds X of shape {X.shape}", f"expected {height * width} columns for images {height} x {width}"
        )
    y = _classes(file, X, stored["y"])
    return Dataset(entry.name, X / scale if scale != 1 else X, y, (height, width))


def _counts(entry: Entry, file: Path) -> Dataset:
    X = _opened(file, _rows)
    beside = file.with_name(f"{file.stem}_y.npy")
    if not beside.exists():
        raise FileNotFoundError(f"{beside.name} is missing beside {file}: put it there, it holds the classes")
    y = _classes(beside, X, _opened(beside, lambda content: np.load(content, allow_pickle=False)))
    names = file.with_name(f"{file.stem}_names.npz")
    if not names.exists():
        return Dataset(entry.name, X, y)
    stored = _fields(names, ("genes", "classes"))
    return Dataset(entry.name, X, y, feature_names=stored["genes"], target_names=stored["classes"])


def _rows(content: IO[bytes]) -> Any:
    # SciPy trusts a file's indices, and reads wherever they point.
    return sparse.csr_array(checked_structure(sparse.load_npz(content)))


def _classes(file: Path, X: Any, y: Any) -> Any:
    if y.shape != X.shape[:1]:
        raise refusal(file, f"holds classes of shape {y.shape}", f"expected one for each of the {X.shape[0]} samples")
    return y.astype(np.int64)


def _fields(file: Path, names: Sequence[str]) -> dict[str, Any]:
    def read(content: IO[bytes]) -> dict[str, Any]:
        with np.load(content, allow_pickle=False) as stored:
            return {name: stored[name] for name in names if name in stored}

    found = _opened(file, read)
    missing = [name for name in names if name not in found]
    if missing:
        raise refusal(file, f"has no field {missing[0]}", f"expected the fields {', '.join(names)}")
    return found


def _opened(file: Path, read: Callable[[IO[bytes]], Any]) -> Any:
    content = io.BytesIO(file.read_bytes())  # so that what fails from here on is the content, not the disk
    try:
        if zipfile.is_zipfile(content):
            with zipfile.ZipFile(content) as archive:
                check_unpacked(file, sum(member.file_size for member in archive.infolist()))
        content.seek(0)
        return read(content)
    except (FileRefusedError, MemoryError):
        raise
    except Exception as problem:  # zipfile, zlib and NumPy each have their own way of saying that a file is damaged
        raise unreadable(file, "NumPy data", problem) from problem
