"""Cells in AnnData files (.h5ad, zarr) and in objects that are backed by one, of which only blocks of rows are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from manifact.io.cell_matrices import CellMatrices
from manifact.io.file_errors import optional_module, refusal
from manifact.io.out_of_core.open_sources import memory_of_matrices
from manifact.io.out_of_core.row_sources import RowSource
from manifact.io.out_of_core.stored_matrices import StoredMatrix, stored_matrix, values_of
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.readers import annotated_objects, h5ad, table_checks
from manifact.io.readers.zarr_stores import check_store


def source(
    file: Path,
    name: str,
    space: Workspace,
    layer: str | None = None,
    label: str | None = None,
    expects: str | None = None,
) -> RowSource:
    """The matrix of an .h5ad file that its reader would choose, with the names of cells and genes."""
    return _of_file(file, name, space, partial(h5ad._opened, file), layer, label, expects)


def table_source(
    file: Path, name: str, space: Workspace, layer: str | None = None, label: str | None = None
) -> RowSource:
    """X, or what ``layer`` names, whatever its values are."""
    return source(file, name, space, "X" if layer is None else layer, label)


def zarr_source(
    file: Path,
    name: str,
    space: Workspace,
    layer: str | None = None,
    label: str | None = None,
    expects: str | None = None,
) -> RowSource:
    """The same of AnnData in a zarr store."""
    return _of_file(file, name, space, partial(opened_zarr, file), layer, label, expects)


@contextmanager
def opened_zarr(file: Path) -> Iterator[tuple[Any, Any]]:
    """The open store, and the function that reads an element of it."""
    zarr = optional_module("zarr", "zarr", str(file))
    optional_module("anndata", "anndata", str(file))
    from anndata.io import read_elem

    check_store(file)
    yield zarr.open_group(str(file), mode="r"), read_elem


def object_is_too_large(adata: Any, space: Workspace, layer: str | None) -> bool:
    """Whether an object is backed by a file whose cells do not fit into the memory; views of such have to."""
    if not getattr(adata, "isbacked", False) or adata.is_view:
        return False
    return memory_of_matrices(_matrices(adata), layer) > space.memory


def _matrices(adata: Any) -> CellMatrices:
    raw = adata.raw
    return CellMatrices(annotated_objects.SOURCE, adata.X, None if raw is None else raw.X, adata.layers)


def object_source(adata: Any, space: Workspace, layer: str | None = None, expects: str | None = None) -> RowSource:
    """The cells of an AnnData object, whose values may be in a file."""
    annotated_objects.check_annotated(adata)
    raw, name, matrices = adata.raw, annotated_objects.SOURCE, _matrices(adata)
    chosen = matrices.choose(lambda part, place: values_of(part), layer, expects)
    element = matrices.places()[chosen.place]
    matrix = stored_matrix(name, element, space, chosen.place)
    genes = raw.var if chosen.place == ".raw" else adata.var
    return _described(name, matrix, partial(matrix.read, element), adata.obs, adata.var, genes, chosen)


def _of_file(
    file: Path,
    name: str,
    space: Workspace,
    opened: Callable[[], AbstractContextManager[tuple[Any, Any]]],
    layer: str | None,
    label: str | None,
    expects: str | None,
) -> RowSource:
    with opened() as (stored, element):
        if h5ad.is_former(stored):
            raise refusal(
                file, "has the layout of anndata before 0.7, which is not read in blocks", "write it with a later one"
            )
        matrices = h5ad._matrices(file, stored)
        chosen = matrices.choose(lambda part, place: values_of(part), layer, expects)
        obs, var = (h5ad._frame(file, stored, element, part) for part in ("obs", "var"))
        genes = h5ad._frame(file, stored, element, "raw/var") if chosen.place == ".raw" else var
        matrix = stored_matrix(file, matrices.places()[chosen.place], space, chosen.place)
        labels = None if label is None else h5ad._classes(file, obs, label)

    def read() -> Iterator[Any]:
        with opened() as (stored, _):
            yield from matrix.read(h5ad._matrices(file, stored).places()[chosen.place])

    if (len(obs), len(genes)) != matrix.shape:
        sizes = f"{matrix.shape[0]} x {matrix.shape[1]}"
        problem = f"has {len(obs)} observations and {len(genes)} variables for {sizes} values"
        raise refusal(file, problem, "write it again with anndata")
    return _described(name, matrix, read, obs, var, genes, chosen, labels)


def _described(
    name: str,
    matrix: StoredMatrix,
    read: Callable[[], Iterator[Any]],
    obs: Any,
    var: Any,
    genes: Any,
    chosen: Any,
    labels: Any = None,
) -> RowSource:
    return RowSource(
        "cells",
        name,
        names=[str(cell) for cell in obs.index],
        feature_names=table_checks.made_distinct([str(gene) for gene in genes.index]),
        labels=labels,
        matrix=chosen.described,
        values=chosen.values,
        highly_variable=h5ad.marked_genes(var, genes),
        count=matrix.shape[0],
        width=matrix.shape[1],
        n_bytes=matrix.n_bytes,
        is_sparse=matrix.is_sparse,
        read=read,
        release=matrix.release,
    )
