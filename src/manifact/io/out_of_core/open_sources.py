"""Which files can be read in blocks, what they would take in memory, and their sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from manifact.io.cell_matrices import stored_bytes
from manifact.io.file_errors import guarded, refusal
from manifact.io.out_of_core.row_sources import RowSource
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.readers.formats import CheckedPath
from manifact.io.readers.text_files import is_compressed
from manifact.utils.errors import Sentence

#: Where the rows of a file come from, by the module and function that read it at once.
SOURCES = {
    ("numpy_files", "read_npy"): ("mapped_arrays", "source"),
    ("matrix_market", "read"): ("matrix_market_stream", "source"),
    ("tenx", "read"): ("matrix_market_stream", "tenx_source"),
    ("h5ad", "read"): ("stored_cells", "source"),
    ("h5ad", "read_table"): ("stored_cells", "table_source"),
    ("table_folders", "read_zarr"): ("zarr_arrays", "source"),
    ("table_folders", "read_zarr_cells"): ("zarr_arrays", "cells"),
    ("table_folders", "read_zarr_table"): ("zarr_arrays", "table"),
    ("table_folders", "read_npz"): ("npz_parts", "source"),
    ("table_folders", "read_parquet"): ("parquet_parts", "source"),
    ("parquet", "read"): ("parquet_parts", "source"),
    ("record_documents", "read_jsonl"): ("document_streams", "json_source"),
    ("text_documents", "read_lines"): ("document_streams", "lines_source"),
}
#: X is in memory as it was read, and as it was prepared.
TWICE = 2
#: Bytes in memory for each of a text, of which words and their weights are made; and what compression hides.
OF_TEXT, COMPRESSION = 3, 4


def open_source(path: CheckedPath, space: Workspace) -> RowSource:
    """The rows of a file, which are read in blocks."""
    place = SOURCES.get((path.reader.module, path.reader.function))
    if place is None:
        raise refusal(
            path.source,
            f"is {path.reader.what}, which is not read in blocks",
            Sentence("store it as .zarr, .h5ad, .parquet, .npy, .mtx or .jsonl, or raise {memory}=…"),
        )
    with guarded(path.path, path.reader.what):
        function = getattr(import_module(f"manifact.io.out_of_core.{place[0]}"), place[1])
        found: RowSource = function(path.path, path.source, space, **path.arguments)
    return found if found.kind == path.reader.kind else replace(found, kind=path.reader.kind)


def fits(path: CheckedPath, space: Workspace) -> bool:
    """Whether a file can be read and prepared within the memory."""
    try:
        needed = memory_needed(path)
    except ValueError:
        return True  # what is wrong with it is for its reader to say
    return needed is None or needed <= space.memory


def memory_needed(path: CheckedPath) -> int | None:
    """Bytes that reading and preparing a file at once takes, about; None if only its reader can tell.

    Of one that is not read in blocks it is what the file has, and so the least that it can be.
    """
    size = _SIZES.get(path.reader.module)
    if size is None or (path.reader.module, path.reader.function) not in SOURCES:
        return path.path.stat().st_size if path.path.is_file() else None
    with guarded(path.path, path.reader.what):
        return size(path.path, path.arguments)


def _of_array(file: Path, arguments: Any) -> int:
    return TWICE * file.stat().st_size


def _of_entries(file: Path, arguments: Any) -> int:
    from manifact.io.out_of_core.matrix_market_stream import head_of

    return head_of(file).n_bytes


def _of_tenx(folder: Path, arguments: Any) -> int:
    from manifact.io.readers import tenx

    return _of_entries(tenx._part(folder, tenx.MATRIX), arguments)


def _of_cells(file: Path, arguments: Any) -> int:
    from manifact.io.readers import h5ad

    with h5ad._opened(file) as (stored, _):
        if h5ad.is_former(stored):
            return TWICE * file.stat().st_size
        return memory_of_matrices(h5ad._matrices(file, stored), arguments.get("layer"))


def memory_of_matrices(matrices: Any, layer: str | None) -> int:
    """Of the largest matrix that may be chosen."""
    places = {layer: matrices._named(layer)[1]} if layer not in (None, "auto") else matrices.places()
    return TWICE * max((stored_bytes(element) for element in places.values()), default=0)


def _of_text(file: Path, arguments: Any) -> int:
    return OF_TEXT * file.stat().st_size * (COMPRESSION if is_compressed(file) else 1)


def _of_parquet(file: Path, arguments: Any) -> int:
    from manifact.io.out_of_core.parquet_parts import parts
    from manifact.io.readers import parquet

    found = [parquet._opened(part).metadata for part in parts(file)]
    return TWICE * sum(about.num_rows * about.num_columns * 8 for about in found)


def _of_folder(folder: Path, arguments: Any) -> int:
    from manifact.io.readers.table_folders import store_of

    store = store_of(folder)
    if store == ".parquet":
        return _of_parquet(folder, arguments)
    if store == ".npz":
        from manifact.io.out_of_core.npz_parts import unpacked_size

        return TWICE * unpacked_size(folder)
    from manifact.io.out_of_core.zarr_arrays import opened
    from manifact.io.readers import h5ad

    stored = opened(folder)
    if store == "zarr array":
        return TWICE * stored_bytes(stored)
    return memory_of_matrices(h5ad._matrices(folder, stored), arguments.get("layer"))


_SIZES: dict[str, Callable[[Path, Any], int]] = {
    "numpy_files": _of_array,
    "matrix_market": _of_entries,
    "tenx": _of_tenx,
    "h5ad": _of_cells,
    "table_folders": _of_folder,
    "parquet": _of_parquet,
    "record_documents": _of_text,
    "text_documents": _of_text,
}
