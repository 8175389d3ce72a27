"""Matrices within a file or an object: HDF5 and zarr arrays, groups that hold a sparse one, and arrays in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.backends.block_samples import even_bounds
from manifact.io.file_errors import refusal
from manifact.io.out_of_core.entry_buckets import EntryBuckets
from manifact.io.out_of_core.mapped_arrays import whole_chunks
from manifact.io.out_of_core.row_sources import checked_block
from manifact.io.out_of_core.workspace import Workspace

#: What a sparse matrix consists of.
PARTS = ("data", "indices", "indptr")


@dataclass(frozen=True)
class StoredMatrix:
    """A matrix that is read by blocks of rows: ``read(element)`` yields them, the file may have been opened again."""

    shape: tuple[int, int]
    is_sparse: bool
    n_bytes: int
    read: Callable[[Any], Iterator[Any]]
    #: Removes what reading keeps on disk.
    release: Callable[[], None] = lambda: None


def stored_matrix(file: Any, element: Any, space: Workspace, what: str) -> StoredMatrix:
    """What stands for a matrix, read by rows; ``what`` is its name in the file.

    Sparse matrices that are stored by columns are sorted into rows on disk first.
    """
    if _is_dense(element):
        return _dense(file, element, space, what)
    shape, form = _described(file, element, what)
    parts = {name: _part(element, name) for name in PARTS}
    n_bytes = sum(int(part.shape[0]) * part.dtype.itemsize for part in parts.values())
    if parts["data"].dtype.kind not in "biuf":
        raise refusal(file, f"holds {what} of type {parts['data'].dtype}", "store numbers alone")
    indptr = _pointers(file, parts, shape[0] if form == "csr" else shape[1], what)
    if form == "csr":
        return StoredMatrix(shape, True, n_bytes, _by_rows(file, parts, indptr, shape, space, what))
    made: list[EntryBuckets] = []
    read = _by_columns(file, parts, indptr, shape, space, what, made)
    return StoredMatrix(shape, True, n_bytes, read, made.clear)


def values_of(element: Any) -> Any:
    """The values of a matrix that are stored, in one or two dimensions."""
    return element if _is_dense(element) else _part(element, "data")


def _is_dense(element: Any) -> bool:
    """Anndata's handles on sparse matrices have a type, and a group; SciPy's have a format."""
    return hasattr(element, "dtype") and not hasattr(element, "group") and not sparse.issparse(element)


def _dense(file: Any, element: Any, space: Workspace, what: str) -> StoredMatrix:
    if len(element.shape) != 2 or 0 in element.shape:
        raise refusal(file, f"holds {what} of shape {tuple(element.shape)}", "store n x m numbers")
    n, m = map(int, element.shape)
    row = m * element.dtype.itemsize
    bounds = even_bounds(n, whole_chunks(element, space))

    def read(element: Any) -> Iterator[Any]:
        for begin, end in pairwise(bounds):
            yield checked_block(file, np.asarray(element[begin:end]), begin, what)

    return StoredMatrix((n, m), False, n * row, read)


def _described(file: Any, element: Any, what: str) -> tuple[tuple[int, int], str]:
    """Shape of a sparse matrix, and whether it is stored by rows or by columns."""
    if sparse.issparse(element) or hasattr(element, "group"):
        shape, form = element.shape, element.format
    else:
        about = dict(element.attrs)
        shape = about.get("shape", about.get("h5sparse_shape", ()))
        form = str(about.get("encoding-type", about.get("h5sparse_format", ""))).removesuffix("_matrix")
    if len(shape) != 2 or form not in ("csr", "csc"):
        raise refusal(file, f"holds {what} in a form that we do not know ({form or 'none'})", "store it as CSR")
    if 0 in shape:
        raise refusal(file, f"holds {what} of {shape[0]} x {shape[1]} values", "it needs a sample and a feature")
    return (int(shape[0]), int(shape[1])), form


def _part(element: Any, name: str) -> Any:
    if sparse.issparse(element):
        return getattr(element, name)
    return (element.group if hasattr(element, "group") else element)[name]


def _pointers(file: Any, parts: dict[str, Any], lines: int, what: str) -> Array:
    """Where each row, or column, begins: compiled code would read wherever these point."""
    indptr = np.asarray(parts["indptr"][:], dtype=np.int64)
    stored = int(parts["indices"].shape[0])
    whole = len(indptr) == lines + 1 and int(parts["data"].shape[0]) == stored
    if not whole or indptr[0] != 0 or indptr[-1] != stored or (np.diff(indptr) < 0).any():
        raise refusal(file, f"holds {what}, whose parts do not fit each other", "write it again")
    return indptr


def _by_rows(
    file: Any, parts: dict[str, Any], indptr: Array, shape: tuple[int, int], space: Workspace, what: str
) -> Callable[[Any], Iterator[Any]]:
    each = parts["data"].dtype.itemsize + parts["indices"].dtype.itemsize
    bounds = bounds_by_entries(indptr, max(1, space.block_bytes // each))

    def read(element: Any) -> Iterator[Any]:
        data, indices = _part(element, "data"), _part(element, "indices")
        for begin, end in pairwise(bounds):
            entries = slice(int(indptr[begin]), int(indptr[end]))
            found = (np.asarray(data[entries]), np.asarray(indices[entries]))
            rows = sparse.csr_array((*found, indptr[begin : end + 1] - indptr[begin]), shape=(end - begin, shape[1]))
            yield checked_block(file, rows, begin, what)

    return read


def _by_columns(
    file: Any,
    parts: dict[str, Any],
    indptr: Array,
    shape: tuple[int, int],
    space: Workspace,
    what: str,
    made: list[EntryBuckets],
) -> Callable[[Any], Iterator[Any]]:
    each = 2 * parts["data"].dtype.itemsize + 24
    bounds = bounds_by_entries(indptr, max(1, space.block_bytes // each))

    def sorted_into_rows(element: Any) -> EntryBuckets:
        found = EntryBuckets(space, shape, parts["data"].dtype, int(indptr[-1]), str(file))
        data, indices = _part(element, "data"), _part(element, "indices")
        for begin, end in pairwise(bounds):
            entries = slice(int(indptr[begin]), int(indptr[end]))
            rows = np.asarray(indices[entries])
            if len(rows) and (rows.min() < 0 or rows.max() >= shape[0]):
                raise refusal(file, f"holds {what} with an index outside of it", "write it again")
            columns = np.repeat(np.arange(begin, end), np.diff(indptr[begin : end + 1]))
            found.add(rows, columns, np.asarray(data[entries]))
        return found

    def read(element: Any) -> Iterator[Any]:
        if not made:
            made.append(sorted_into_rows(element))
        first = 0
        for block in made[0].blocks():
            yield checked_block(file, block, first, what)
            first += block.shape[0]

    return read


def bounds_by_entries(indptr: Array, most: int) -> list[int]:
    """Bounds of blocks of so many entries at most, but of a row at least.

    >>> bounds_by_entries(np.array([0, 2, 3, 9, 10]), 3)
    [0, 2, 3, 4]
    """
    bounds, n = [0], len(indptr) - 1
    while bounds[-1] < n:
        begin = bounds[-1]
        end = int(np.searchsorted(indptr, indptr[begin] + most, side="right")) - 1
        bounds.append(min(n, max(begin + 1, end)))
    return bounds
