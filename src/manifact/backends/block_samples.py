"""X in blocks of rows: of a file that is larger than memory, or of an array that is cut into pieces.

A block is looked at when it is its turn and let go again; nothing here ever holds more of X than the caller asked for.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

Array = np.ndarray[Any, np.dtype[Any]]

#: What makes a folder of blocks whole: it is written last.
METADATA = "blocks.json"
#: Files of a dense folder, and of a sparse one.
DENSE, SPARSE = ("values.npy",), ("indptr.npy", "indices.npy", "data.npy")
VERSION = 1


class BlockSamples:
    """X in blocks of rows, read when they are asked for.

    Attributes
    ----------
    shape : (n, m)
    dtype : float32 or float64
    bounds : tuple of int
        Block i holds the rows ``bounds[i]:bounds[i + 1]``.
    is_sparse : bool
        Whether blocks are CSR arrays.
    """

    #: Which backend works with it.
    package = "blocks"
    ndim = 2
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    bounds: tuple[int, ...]
    is_sparse: bool
    #: Bytes that what is computed with it may take, and the folder for what goes to disk; None: what the system has.
    memory: float | None = None
    scratch: str | Path | None = None

    def block(self, i: int) -> Any:
        """The rows of block i, an array or CSR with sorted indices, which the caller must not change."""
        raise NotImplementedError

    @property
    def nbytes(self) -> int:
        """What X would take in memory."""
        raise NotImplementedError

    @property
    def n_blocks(self) -> int:
        """How many blocks there are."""
        return len(self.bounds) - 1

    def __len__(self) -> int:
        return self.shape[0]

    def digest(self) -> str:
        """A hash of all numbers and where they stand, however rows are cut into blocks."""
        lengths, places, numbers = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
        for i in range(self.n_blocks):
            block = self.block(i)
            if self.is_sparse:
                lengths.update(np.diff(block.indptr).astype(np.int64).data)
                places.update(block.indices.astype(np.int64).data)
            values = block.data if self.is_sparse else block
            numbers.update(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data)
        return " ".join([str(self.shape), str(self.dtype), *(one.hexdigest() for one in (lengths, places, numbers))])

    def rows(self, numbers: Any) -> Any:
        """The rows with these numbers, which ascend, gathered from the blocks that they are in."""
        numbers = np.asarray(numbers, dtype=np.int64)
        if len(numbers) and (numbers[0] < 0 or numbers[-1] >= self.shape[0]):
            raise IndexError(f"rows {numbers[0]} to {numbers[-1]} are asked for of {self.shape[0]}")
        places = np.searchsorted(self.bounds, numbers, side="right") - 1
        parts = []
        for i in np.unique(places):
            rows = self.block(int(i))[numbers[places == i] - self.bounds[i]]
            parts.append(rows)
        if self.is_sparse:
            return _stacked(parts, self.shape[1], self.dtype)
        return np.concatenate([np.empty((0, self.shape[1]), self.dtype), *parts])


class ArrayBlocks(BlockSamples):
    """An array, a memory map or a CSR matrix cut into blocks; its numbers are not copied.

    Numbers that are no floats become float64, a block at a time.
    """

    def __init__(self, X: Any, rows_per_block: int) -> None:
        self.is_sparse = sparse.issparse(X)
        if self.is_sparse:
            X = sparse.csr_array(X)
            if not X.has_canonical_format:
                X = X.copy()  # the user's own matrix stays as it is
                X.sum_duplicates()
        self._X = X
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self.dtype = np.dtype(X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
        self.bounds = even_bounds(self.shape[0], rows_per_block)

    def block(self, i: int) -> Any:
        begin, end = self.bounds[i], self.bounds[i + 1]
        if self.is_sparse:
            return csr_rows(self._X.indptr, self._X.indices, self._X.data, begin, end, self.shape[1], self.dtype)
        return np.ascontiguousarray(self._X[begin:end], dtype=self.dtype)

    @property
    def nbytes(self) -> int:
        X = self._X
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) if self.is_sparse else int(X.nbytes)


class SpooledBlocks(BlockSamples):
    """The blocks in a folder that was written for them, mapped into memory: what is read is what is asked for.

    Parameters
    ----------
    folder : path
        Of files as `manifact.io.out_of_core` writes them.
    temporary : bool, default=False
        Remove the folder when this object is closed or nobody needs it any more.

    Attributes
    ----------
    samples, preparation
        What is known of the samples (names, classes, features), and how they were prepared, where a file was.
    """

    samples: Any = None
    preparation: Any = None

    def __init__(self, folder: Path | str, temporary: bool = False) -> None:
        self.folder = Path(folder)
        stored = _metadata(self.folder)
        self.shape = (int(stored["shape"][0]), int(stored["shape"][1]))
        self.dtype = np.dtype(stored["dtype"])
        self.bounds = tuple(int(bound) for bound in stored["bounds"])
        self.is_sparse = stored["kind"] == "csr"
        self.nnz = int(stored["nnz"]) if self.is_sparse else self.shape[0] * self.shape[1]
        # Shared with the file and writable: compiled code makes no difference then, and a limit on the data of a
        # process does not count pages that the system can drop at any time.
        self._arrays = tuple(_mapped(self.folder / name) for name in (SPARSE if self.is_sparse else DENSE))
        remove = shutil.rmtree if temporary else _left_alone
        self._finalizer = weakref.finalize(self, remove, str(self.folder), True)

    def block(self, i: int) -> Any:
        begin, end = self.bounds[i], self.bounds[i + 1]
        if self.is_sparse:
            indptr, indices, data = self._arrays
            return csr_rows(indptr, indices, data, begin, end, self.shape[1], self.dtype)
        return self._arrays[0][begin:end]

    @property
    def nbytes(self) -> int:
        return sum(int(array.nbytes) for array in self._arrays)

    def close(self) -> None:
        """Remove the folder, if it is temporary; blocks cannot be read afterwards."""
        self._arrays = ()
        self._finalizer()

    def __enter__(self) -> SpooledBlocks:
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process maps the same files, and leaves them to this one.
        return SpooledBlocks, (str(self.folder),)


def even_bounds(n: int, rows: int) -> tuple[int, ...]:
    """Where blocks of so many rows begin, and the end of the last.

    >>> even_bounds(7, 3)
    (0, 3, 6, 7)
    """
    return (*range(0, n, max(1, rows)), n)


def csr_rows(
    indptr: Array, indices: Array, data: Array, begin: int, end: int, m: int, dtype: np.dtype[Any] | None = None
) -> Any:
    """The rows ``begin:end`` of canonical CSR parts, in the same memory."""
    first, last = int(indptr[begin]), int(indptr[end])
    narrow = np.int32 if max(last - first, m) <= np.iinfo(np.int32).max else np.int64
    # SciPy's constructor would copy slices of what is much larger, and look at every index.
    rows = sparse.csr_array((end - begin, m), dtype=dtype or data.dtype)
    rows.indptr = (indptr[begin : end + 1] - first).astype(narrow, copy=False)
    rows.indices = indices[first:last].astype(narrow, copy=False)
    rows.data = data[first:last].astype(dtype or data.dtype, copy=False)
    rows.has_sorted_indices = True
    rows.has_canonical_format = True
    return rows


def write_metadata(folder: Path, kind: str, shape: Sequence[int], dtype: Any, bounds: Sequence[int], nnz: int) -> None:
    """Declare a folder whole, whose other files are written already."""
    names = SPARSE if kind == "csr" else DENSE
    stored = {
        "format": "manifact blocks",
        "version": VERSION,
        "kind": kind,
        "shape": [int(length) for length in shape],
        "dtype": np.dtype(dtype).str,
        "bounds": [int(bound) for bound in bounds],
        "nnz": int(nnz),
        "files": {name: (folder / name).stat().st_size for name in names},
    }
    beside = folder / f"{METADATA}.tmp"
    beside.write_text(json.dumps(stored), encoding="utf-8")
    beside.replace(folder / METADATA)


def _metadata(folder: Path) -> dict[str, Any]:
    """What a folder says of itself, if its files are as long as they were."""
    if not (folder / METADATA).is_file():
        raise ValueError(f"{folder} holds no blocks, or their writer was interrupted: write them again")
    try:
        stored: dict[str, Any] = json.loads((folder / METADATA).read_text(encoding="utf-8"))
        if stored["format"] != "manifact blocks" or stored["version"] > VERSION:
            raise ValueError("of another version")
        for name, size in stored["files"].items():
            if (folder / name).stat().st_size != size:
                raise ValueError(f"{name} is of another size")
    except (ValueError, KeyError, TypeError, OSError) as problem:
        raise ValueError(f"{folder} holds blocks that cannot be read ({problem}): write them again") from problem
    return stored


def _mapped(file: Path) -> Array:
    array = np.load(file, mmap_mode=None if _is_empty(file) else "r+", allow_pickle=False)
    return np.asarray(array).view(np.ndarray)


def _is_empty(file: Path) -> bool:
    """Whether a .npy file holds no numbers: nothing cannot be mapped."""
    with file.open("rb") as content:
        version = np.lib.format.read_magic(content)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        return 0 in read(content)[0]


def _stacked(parts: Sequence[Any], m: int, dtype: np.dtype[Any]) -> Any:
    if not parts:
        return sparse.csr_array((0, m), dtype=dtype)
    rows = sparse.vstack(parts, format="csr") if len(parts) > 1 else parts[0]
    rows.has_sorted_indices = True
    rows.has_canonical_format = True
    return rows


def _left_alone(folder: str, ignore_errors: bool) -> None:
    """What becomes of a folder that is not ours."""
