"""Folders that hold one table: zarr stores, and files of rows (.npz, .parquet) that belong below each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manifact.io.file_errors import guarded, optional_module, refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers.other_files import ELSEWHERE, leads_out
from manifact.io.readers.zarr_stores import check_store
from manifact.utils import memory

#: Endings of files whose rows are put below each other.
PARTS = (".npz", ".parquet")
#: Files that a zarr store of either version of the format has at its top.
MARKS = ("zarr.json", ".zarray", ".zgroup")


def store_of(folder: Path) -> str | None:
    """What a folder holds: "zarr array", "zarr cells", ".npz" or ".parquet"; None if it is no table."""
    if any((folder / mark).is_file() for mark in MARKS):
        zarr = optional_module("zarr", "zarr", str(folder))
        check_store(folder)
        with guarded(folder, "a zarr store"):
            return "zarr array" if hasattr(zarr.open(str(folder), mode="r"), "ndim") else "zarr cells"
    try:
        files = [file for file in folder.iterdir() if not file.name.startswith((".", "_"))]
    except OSError:
        return None
    endings = {file.suffix.lower() for file in files}
    found = next((ending for ending in PARTS if endings == {ending}), None)
    for file in files if found is not None else ():
        if leads_out(file, folder):
            raise refusal(file, ELSEWHERE, "put the file itself there")
    return found


def read_zarr(folder: Path, source: str, **options: Any) -> Samples:
    """The rows of a 2-d array."""
    return _whole("zarr_arrays", "source", folder, source, options)


def read_zarr_cells(folder: Path, source: str, **options: Any) -> Samples:
    """Counts or log-normalised values of AnnData, chosen as those of an .h5ad file are."""
    return _whole("zarr_arrays", "cells", folder, source, options)


def read_zarr_table(folder: Path, source: str, **options: Any) -> Samples:
    """X of AnnData, or what ``layer`` names, whatever its values are."""
    return _whole("zarr_arrays", "table", folder, source, options)


def read_npz(folder: Path, source: str, **options: Any) -> Samples:
    """The rows of all .npz files, in the order of their names."""
    return _whole("npz_parts", "source", folder, source, options)


def read_parquet(folder: Path, source: str, **options: Any) -> Samples:
    """The rows of all Parquet files, in the order of their names; or the matrix whose entries they list."""
    return _whole("parquet_parts", "source", folder, source, options)


def _whole(module: str, function: str, folder: Path, source: str, options: dict[str, Any]) -> Samples:
    """All rows in memory, from where they are read in blocks as well."""
    from importlib import import_module

    from manifact.io.out_of_core.workspace import Workspace

    rows = getattr(import_module(f"manifact.io.out_of_core.{module}"), function)(
        folder, source, Workspace.of(), **options
    )
    memory.require(rows.n_bytes, source, "use fewer samples")
    found: Samples = rows.whole()
    return found
