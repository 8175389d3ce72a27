"""NumPy's own files: .npy, .npz, and SciPy's sparse .npz. Pickled objects are never loaded."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import named_arrays, table_checks
from manifact.io.unpacked_size import check_unpacked
from manifact.utils import memory


def read_npy(file: Path, source: str, image_shape: tuple[int, ...] | None = None) -> Samples:
    """The table in a .npy file."""
    _whole(file)
    mapped = np.load(file, mmap_mode="r", allow_pickle=False)  # checks that the file is as long as its header says
    if not isinstance(mapped, np.ndarray):
        raise refusal(file, "is not a .npy file", "name it .npz if it holds several arrays")
    memory.require(mapped.nbytes, f"{source}", "use fewer samples, or a sparse .npz")
    return Samples("table", source, table_checks.checked_table(file, np.array(mapped)), image_shape=image_shape)


def read_npz(
    file: Path, source: str, variable: str | None = None, image_shape: tuple[int, ...] | None = None
) -> Samples:
    """The table in a .npz file: SciPy's sparse matrix, the only array, or X, data or fea with classes y or gnd.

    Arrays ``names``, ``feature_names`` and ``image_shape`` are used where they are there and fit.
    """
    _whole(file)
    with zipfile.ZipFile(file) as archive:
        size = sum(member.file_size for member in archive.infolist())
    check_unpacked(file, size)
    with np.load(file, allow_pickle=False) as stored:
        if variable is None and {"format", "shape", "data"} <= set(stored.files):
            return Samples("table", source, _sparse(file), image_shape=image_shape)
        return _fields(file, source, stored, variable, image_shape)


def _sparse(file: Path) -> Any:
    from scipy import sparse

    return table_checks.checked_table(file, sparse.load_npz(file))


def _fields(file: Path, source: str, stored: Any, variable: str | None, image_shape: Any) -> Samples:
    name = named_arrays.name_of_samples(file, stored.files, variable, stored.files)
    X = table_checks.checked_table(file, stored[name], name)
    if image_shape is None and "image_shape" in stored.files:
        image_shape = _image_shape(stored["image_shape"], X.shape[1])
    return Samples(
        "table",
        source,
        X,
        names=_names(stored, "names", X.shape[0]),
        feature_names=_unique(file, _names(stored, "feature_names", X.shape[1])),
        image_shape=image_shape,
        labels=named_arrays.classes_beside(file, stored, name, X.shape[0]),
    )


def _names(stored: Any, field: str, n: int) -> list[str] | None:
    if field not in stored.files:
        return None
    values = stored[field]
    return [str(value) for value in values] if values.shape == (n,) and values.dtype.kind in "UT" else None


def _unique(file: Path, names: list[str] | None) -> list[str] | None:
    return None if names is None else table_checks.distinct_names(file, names)


def _image_shape(values: Array, m: int) -> tuple[int, ...] | None:
    if values.ndim != 1 or values.dtype.kind not in "iu" or len(values) not in (2, 3) or np.prod(values) != m:
        return None
    return tuple(int(value) for value in values)


def _whole(file: Path) -> None:
    if file.stat().st_size == 0:
        raise refusal(file, "is empty", "write it again")
