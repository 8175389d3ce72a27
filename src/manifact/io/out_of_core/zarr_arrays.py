"""A zarr store: a 2-d array, or AnnData."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manifact.io.file_errors import guarded, optional_module, refusal
from manifact.io.out_of_core.mapped_arrays import of_array
from manifact.io.out_of_core.row_sources import RowSource
from manifact.io.out_of_core.stored_cells import zarr_source
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.readers.zarr_stores import check_store


def source(folder: Path, name: str, space: Workspace, image_shape: tuple[int, ...] | None = None) -> RowSource:
    """The rows of a 2-d array."""
    return of_array(folder, name, space, opened(folder), image_shape)


def cells(
    folder: Path,
    name: str,
    space: Workspace,
    layer: str | None = None,
    label: str | None = None,
    expects: str | None = None,
) -> RowSource:
    """The matrix of AnnData that would be chosen of an .h5ad file."""
    stored = opened(folder)
    if "X" not in stored and "layers" not in stored:
        raise refusal(folder, "is neither a 2-d array nor AnnData", "name the array within it")
    return zarr_source(folder, name, space, layer, label, expects)


def table(folder: Path, name: str, space: Workspace, layer: str | None = None, label: str | None = None) -> RowSource:
    """X of AnnData, or what ``layer`` names, whatever its values are."""
    return cells(folder, name, space, "X" if layer is None else layer, label)


def opened(folder: Path) -> Any:
    """The array or group."""
    zarr = optional_module("zarr", "zarr", str(folder))
    check_store(folder)
    with guarded(folder, "a zarr store"):
        return zarr.open(str(folder), mode="r")
