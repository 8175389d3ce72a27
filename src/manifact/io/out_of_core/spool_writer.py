"""Blocks of rows written one after the other into a folder on disk, from which they are mapped into memory again."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.backends.block_samples import DENSE, SPARSE, SpooledBlocks, even_bounds, write_metadata
from manifact.utils.errors import BadValueError, TooLargeError

#: How the folders of ours begin: who finds one after a process was killed knows what it is.
PREFIX = "manifact-blocks-"
#: Room on the disk that is left to others, as a share of what is written.
SPARE = 0.02


class SpoolWriter:
    """Takes blocks of rows in their order and keeps none of them; ``finished`` gives them back, mapped.

    Parameters
    ----------
    scratch : path, optional
        Where the folder is made. Default: the system's folder for temporary files.
    n_bytes : int, default=0
        What will be written, about: refused now if the disk has less.
    what : str
        What is written, for the refusal.
    """

    def __init__(self, scratch: Path | str | None = None, n_bytes: int = 0, what: str = "X") -> None:
        place = scratch_folder(scratch)
        require_disk(n_bytes, place, what)
        self._what = what
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        self._discard = weakref.finalize(self, shutil.rmtree, str(self.folder), True)
        self._files: tuple[GrowingArray, ...] = ()
        self._bounds = [0]
        self._kind, self._dtype, self._m, self._nnz = "", np.dtype(np.float64), 0, 0

    def append(self, X: Any) -> None:
        """Write the rows of a block: an array, or CSR, of the same type and width as those before."""
        if not self._files:
            self._begin(X)
        if X.shape[1] != self._m or sparse.issparse(X) != (self._kind == "csr"):
            raise ValueError(f"a block of shape {X.shape} does not fit the {self._kind} blocks of {self._m} columns")
        if not X.shape[0]:
            return
        try:
            self._write(X)
        except OSError as problem:
            raise OSError(
                f"{self._what} cannot be written to {self.folder.parent} ({problem.strerror or problem}): "
                "name another folder with scratch"
            ) from problem
        self._bounds.append(self._bounds[-1] + X.shape[0])

    @property
    def n_bytes(self) -> int:
        """What was written so far."""
        return sum(file.n_bytes for file in self._files)

    def finished(self, rows_per_block: int | None = None) -> SpooledBlocks:
        """The blocks, as they were written or of so many rows; their folder goes when nobody needs them any more."""
        if not self._files:
            raise ValueError(f"{self._what} has no rows: it needs a sample at least")
        if self._kind == "csr":
            self._files[0].append(np.array([self._nnz], dtype=np.int64))
        for file in self._files:
            file.close()
        n = self._bounds[-1]
        bounds = self._bounds if rows_per_block is None else even_bounds(n, rows_per_block)
        write_metadata(self.folder, self._kind, (n, self._m), self._dtype, bounds, self._nnz)
        found = SpooledBlocks(self.folder, temporary=True)
        self._discard.detach()
        return found

    def _begin(self, X: Any) -> None:
        self._m = int(X.shape[1])
        self._dtype = np.dtype(X.dtype)
        if sparse.issparse(X):
            self._kind = "csr"
            wide = np.dtype(np.int32 if self._m <= np.iinfo(np.int32).max else np.int64)
            types = (np.dtype(np.int64), wide, self._dtype)
            self._files = tuple(GrowingArray(self.folder / name, t) for name, t in zip(SPARSE, types, strict=True))
        else:
            self._kind = "dense"
            self._files = (GrowingArray(self.folder / DENSE[0], self._dtype, self._m),)

    def _write(self, X: Any) -> None:
        if self._kind == "dense":
            self._files[0].append(X)
            return
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        self._files[0].append(X.indptr[:-1].astype(np.int64) + self._nnz)
        self._files[1].append(X.indices[: X.nnz])
        self._files[2].append(X.data[: X.nnz])
        self._nnz += int(X.nnz)


class GrowingArray:
    """A .npy file that rows are added to; it says how many there are when it is closed."""

    def __init__(self, file: Path, dtype: np.dtype[Any], columns: int | None = None) -> None:
        self._dtype, self._columns, self._length = dtype, columns, 0
        self._content = file.open("wb")
        self._header()

    def append(self, values: Array) -> None:
        """Write these after what there is."""
        np.ascontiguousarray(values, dtype=self._dtype).tofile(self._content)
        self._length += len(values)

    @property
    def n_bytes(self) -> int:
        """What was written so far."""
        return self._length * (self._columns or 1) * self._dtype.itemsize

    def close(self) -> None:
        """Say how long the array is."""
        self._content.seek(0)
        self._header()
        self._content.close()

    def _header(self) -> None:
        # NumPy leaves room in its headers for the first length to grow.
        shape = (self._length,) if self._columns is None else (self._length, self._columns)
        described = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._content, described)


def spooled(blocks: Iterable[Any], scratch: Path | str | None = None, n_bytes: int = 0, what: str = "X") -> Any:
    """Blocks of rows on disk, mapped into memory: `SpooledBlocks`."""
    writer = SpoolWriter(scratch, n_bytes, what)
    for block in blocks:
        writer.append(block)
    return writer.finished()


def mapped_rows(shape: tuple[int, int], dtype: Any, scratch: Path | str | None = None) -> Array:
    """An array on disk to be filled; its file goes when nobody needs it any more."""
    place = scratch_folder(scratch)
    require_disk(shape[0] * shape[1] * np.dtype(dtype).itemsize, place, f"an array of {shape[0]} x {shape[1]}")
    folder = tempfile.mkdtemp(prefix=PREFIX, dir=place)
    rows = np.memmap(Path(folder, "rows"), dtype=dtype, mode="w+", shape=shape)
    weakref.finalize(rows, shutil.rmtree, folder, True)
    return rows


def scratch_folder(scratch: Path | str | None) -> Path:
    """The folder that temporary files go into, if there is such a one."""
    place = Path(tempfile.gettempdir() if scratch is None else scratch)
    if not place.is_dir():
        raise BadValueError("{scratch}={!r} is no folder: make it first, or name another", str(place))
    try:
        with tempfile.TemporaryFile(dir=place):
            return place
    except OSError as problem:
        raise BadValueError(
            "{scratch}={!r} cannot be written ({}): name another folder", str(place), problem.strerror
        ) from problem


def require_disk(n_bytes: int, place: Path, what: str) -> None:
    """Refuse what the disk has no room for."""
    free = shutil.disk_usage(place).free
    if n_bytes * (1 + SPARE) > free:
        raise TooLargeError(
            "{} would need about {:.1f} GiB on the disk of {} and {:.1f} GiB are free: name a folder on another one "
            "with {scratch}=…",
            what,
            n_bytes / 2**30,
            place,
            free / 2**30,
        )
