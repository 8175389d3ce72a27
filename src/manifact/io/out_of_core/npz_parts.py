"""A folder of .npz files, each with some rows of one matrix: SciPy's CSR, or a dense array."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.backends.block_samples import even_bounds
from manifact.io.file_errors import guarded, refusal
from manifact.io.out_of_core.row_sources import RowSource, checked_block
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.readers import named_arrays, numpy_files
from manifact.utils.errors import Sentence
from manifact.utils.sizes import shown_size

#: How a person is told what such a file is.
WHAT = "NumPy arrays"


@dataclass(frozen=True)
class Part:
    """What a file says of its rows before they are read."""

    file: Path
    shape: tuple[int, int]
    dtype: Any
    is_sparse: bool
    n_bytes: int
    names: list[str] | None = None
    feature_names: list[str] | None = None
    labels: Array | None = None


def source(
    folder: Path, name: str, space: Workspace, variable: str | None = None, image_shape: tuple[int, ...] | None = None
) -> RowSource:
    """The rows of all files of a folder, one file below the other in the order of their names."""
    parts = [_part(file, variable) for file in files_in_order(folder, ".npz")]
    first = parts[0]
    for part in parts:
        _check_like(first, part)
        if 2 * part.n_bytes > space.memory:
            raise refusal(
                part.file,
                f"takes {shown_size(part.n_bytes)} in memory, of which {shown_size(space.memory)} may be used",
                Sentence("write more and smaller files, or raise {memory}=…"),
            )
    dtype = np.result_type(*(part.dtype for part in parts))

    def read() -> Iterator[Any]:
        for part in parts:
            with guarded(part.file, WHAT):
                X = numpy_files.read_npz(part.file, str(part.file), variable).X
            row = part.n_bytes / part.shape[0]
            bounds = even_bounds(part.shape[0], space.rows(row))
            for begin, end in pairwise(bounds):
                yield checked_block(part.file, X[begin:end].astype(dtype, copy=False), begin)

    return RowSource(
        "table",
        name,
        names=_joined([part.names for part in parts]),
        feature_names=first.feature_names,
        image_shape=image_shape,
        labels=_joined_labels([part.labels for part in parts]),
        count=sum(part.shape[0] for part in parts),
        width=first.shape[1],
        n_bytes=sum(part.n_bytes for part in parts),
        is_sparse=first.is_sparse,
        read=read,
    )


def files_in_order(folder: Path, ending: str) -> list[Path]:
    """The files with an ending, as people number them: part2 before part10."""
    found = [
        file for file in folder.iterdir() if file.suffix.lower() == ending and not file.name.startswith((".", "_"))
    ]
    if not found:
        raise refusal(folder, f"has no {ending} files", "put some there, or name a single file")
    return sorted(found, key=lambda file: natural_order(file.name))


def unpacked_size(folder: Path) -> int:
    """Bytes of all arrays of all files."""
    size = 0
    for file in files_in_order(folder, ".npz"):
        with guarded(file, WHAT), zipfile.ZipFile(file) as archive:
            size += sum(member.file_size for member in archive.infolist())
    return size


def natural_order(name: str) -> list[tuple[int, int, str]]:
    """A key by which numbers within names are compared as numbers.

    >>> sorted(["part10", "part2", "a"], key=natural_order)
    ['a', 'part2', 'part10']
    """
    pieces = re.split(r"(\d+)", name)
    return [(0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces if piece]


def _part(file: Path, variable: str | None) -> Part:
    with guarded(file, WHAT), zipfile.ZipFile(file) as archive, np.load(file, allow_pickle=False) as stored:
        if variable is None and {"format", "shape", "data"} <= set(stored.files):
            n, m = map(int, stored["shape"])
            (count, *_), dtype = _header(archive, "data")
            n_bytes = count * (dtype.itemsize + 4) + 4 * n
            return Part(file, (n, m), dtype, True, n_bytes)
        name = named_arrays.name_of_samples(file, stored.files, variable, stored.files)
        shape, dtype = _header(archive, name)
        if len(shape) != 2:
            raise refusal(file, f"holds {name} of shape {shape}", "store n x m numbers, a row for each sample")
        return Part(
            file,
            (shape[0], shape[1]),
            dtype,
            False,
            shape[0] * shape[1] * dtype.itemsize,
            numpy_files._names(stored, "names", shape[0]),
            numpy_files._unique(file, numpy_files._names(stored, "feature_names", shape[1])),
            named_arrays.classes_beside(file, stored, name, shape[0]),
        )


def _header(archive: zipfile.ZipFile, name: str) -> tuple[tuple[int, ...], Any]:
    """Shape and type of an array in an archive, of which only the beginning is read."""
    with archive.open(f"{name}.npy") as content:
        version = np.lib.format.read_magic(content)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(content)
        return tuple(map(int, shape)), dtype


def _check_like(first: Part, part: Part) -> None:
    """Refuse a file that is not of one matrix with the first."""
    if part.shape[1] != first.shape[1]:
        found = f"has {part.shape[1]} columns and {first.file.name} has {first.shape[1]}"
        raise refusal(part.file, found, "give all parts the same columns")
    if part.is_sparse != first.is_sparse:
        found = f"is {'sparse' if part.is_sparse else 'dense'}, which {first.file.name} is not"
        raise refusal(part.file, found, "store all parts in one way")
    if part.feature_names != first.feature_names:
        raise refusal(part.file, f"has other names of columns than {first.file.name}", "give all parts the same")


def _joined(names: list[list[str] | None]) -> list[str] | None:
    return None if None in names else [name for part in names for name in part or ()]


def _joined_labels(labels: list[Array | None]) -> Array | None:
    known = [part for part in labels if part is not None]
    return np.concatenate(known) if len(known) == len(labels) else None
