"""A .npy file, mapped into memory: a block is the part of the file that it is in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends.block_samples import even_bounds
from manifact.io.file_errors import refusal
from manifact.io.out_of_core.row_sources import RowSource, checked_block
from manifact.io.out_of_core.workspace import Workspace


def source(file: Path, name: str, space: Workspace, image_shape: tuple[int, ...] | None = None) -> RowSource:
    """The rows of a .npy file."""
    if file.stat().st_size == 0:
        raise refusal(file, "is empty", "write it again")
    mapped: Any = np.load(file, mmap_mode="r", allow_pickle=False)
    if not isinstance(mapped, np.ndarray):
        raise refusal(file, "is not a .npy file", "name it .npz if it holds several arrays")
    return of_array(file, name, space, mapped, image_shape)


def of_array(
    file: Path | str, name: str, space: Workspace, X: Any, image_shape: tuple[int, ...] | None = None
) -> RowSource:
    """The rows of anything that is sliced as an array is."""
    if X.ndim != 2:
        raise refusal(file, f"holds an array of shape {tuple(X.shape)}", "store n x m numbers, a row for each sample")
    n, m = map(int, X.shape)
    if 0 in (n, m):
        raise refusal(file, f"holds {n} x {m} values", "it needs a sample and a feature at least")
    bounds = even_bounds(n, whole_chunks(X, space))

    def read() -> Iterator[Any]:
        for begin, end in pairwise(bounds):
            yield checked_block(file, np.asarray(X[begin:end]), begin)

    return RowSource(
        "table", name, image_shape=image_shape, count=n, width=m, n_bytes=n * m * X.dtype.itemsize, read=read
    )


def whole_chunks(X: Any, space: Workspace) -> int:
    """So many rows that no chunk of a stored array is read for two blocks, where chunks are not larger than memory."""
    row = X.shape[1] * X.dtype.itemsize
    rows, chunks = space.rows(row), getattr(X, "chunks", None)
    each = int(chunks[0]) if chunks else 1
    if each <= rows:
        return rows // each * each
    return each if each * row <= space.memory // 4 else rows
