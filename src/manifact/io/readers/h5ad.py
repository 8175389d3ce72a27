"""AnnData files, through anndata; only the parts that are asked for are read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.cell_matrices import CellMatrices, stored_bytes
from manifact.io.file_errors import optional_module, refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import table_checks
from manifact.io.readers.hdf5_inspection import inspect
from manifact.utils import memory
from manifact.utils.errors import Sentence

#: Maps of the cells that a page shows where nobody names one, the usual ones first.
MAPS = ("X_umap", "X_tsne", "X_draw_graph_fa", "X_draw_graph_fr", "X_phate")


def read(
    file: Path, source: str, layer: str | None = None, label: str | None = None, expects: str | None = None
) -> Samples:
    """Counts or log-normalised values, with the names of cells and genes, and a column of obs as labels."""
    with _opened(file) as (stored, element):
        if is_former(stored):
            return _read_former(file, source, layer, label, expects)
        chosen = _matrices(file, stored).choose(
            lambda part, place: table_checks.checked_table(file, _read(file, part, element), place), layer, expects
        )
        obs, var = (_frame(file, stored, element, part) for part in ("obs", "var"))
        genes = _frame(file, stored, element, "raw/var") if chosen.place == ".raw" else var
        _check_size(file, chosen.X, obs, genes)
        return Samples(
            "cells",
            source,
            chosen.X,
            names=[str(name) for name in obs.index],
            feature_names=table_checks.made_distinct([str(name) for name in genes.index]),
            labels=None if label is None else _classes(file, obs, label),
            matrix=chosen.described,
            values=chosen.values,
            highly_variable=marked_genes(var, genes),
        )


def read_table(file: Path, source: str, layer: str | None = None, label: str | None = None) -> Samples:
    """X, or what ``layer`` names, whatever its values are."""
    return read(file, source, "X" if layer is None else layer, label)


def read_pairs(file: Path, name: str) -> Any:
    """A matrix of obsp, such as the graph "connectivities"."""
    if not file.is_file():
        raise refusal(file, "does not exist", "check the path")
    with _opened(file) as (stored, element):
        if is_former(stored):
            from manifact.io.readers.annotated_objects import graph_of

            return graph_of(whole(file), name)
        part = f"obsp/{name}"
        if part not in stored:
            others = ", ".join(stored["obsp"]) if "obsp" in stored else ""
            found = f"has no {part}" + (f", but {others}" if others else "")
            remedy = Sentence("choose one with {graph}='obsp:…'") if others else "choose another file"
            raise refusal(file, found, remedy)
        return table_checks.checked_table(file, _read(file, stored[part], element), part)


def read_map(file: Path, name: str | None = None) -> tuple[str, Array] | None:
    """A map of the cells in obsm and its name: the one that is named, or the first that is usual, or None."""
    with _opened(file) as (stored, element):
        former = is_former(stored)
        maps = whole(file).obsm if former else stored.get("obsm", {})
        chosen = usual_map(maps) if name is None else name if name in maps else f"X_{name}"
        if chosen is None:
            return None
        if chosen not in maps:
            there = ", ".join(maps)
            found = f"has no obsm/{name}" + (f", but {there}" if there else ", and no other")
            raise refusal(file, found, Sentence("choose one with {map}=…, or leave it out"))
        return chosen, np.asarray(maps[chosen] if former else element(maps[chosen]))


def is_former(stored: Any) -> bool:
    """Whether an open file has the layout of anndata before 0.7, whose parts are not read one by one."""
    return "raw.X" in stored or ("obs" in stored and not hasattr(stored["obs"], "keys"))


def whole(file: Path) -> Any:
    """All of a file, for layouts of which parts cannot be read."""
    anndata = optional_module("anndata", "anndata", str(file))
    memory.require(file.stat().st_size, str(file), "use fewer cells")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its age
        return anndata.read_h5ad(file)


def usual_map(names: Any) -> str | None:
    """The first of the usual maps that is among these names."""
    return next((name for name in MAPS if name in names), None)


def marked_genes(var: Any, genes: Any) -> Array | None:
    """Which genes var marks as highly variable, for those of another table of genes, such as .raw's."""
    if "highly_variable" not in var.columns or var["highly_variable"].dtype.kind != "b":
        return None
    return np.asarray(genes.index.isin(var.index[var["highly_variable"]]))


def _read_former(file: Path, source: str, layer: str | None, label: str | None, expects: str | None) -> Samples:
    from manifact.io.readers.annotated_objects import read_object

    adata = whole(file)
    samples = read_object(adata, layer, expects, str(file))
    return replace(samples, source=source, labels=None if label is None else _classes(file, adata.obs, label))


@contextmanager
def _opened(file: Path) -> Iterator[tuple[Any, Any]]:
    """The open file, and the function that reads an element of it."""
    if file.stat().st_size == 0:
        raise refusal(file, "is empty", "write it again")
    anndata = optional_module("anndata", "anndata", str(file))
    try:
        from anndata.io import read_elem
    except ImportError:  # before anndata 0.11
        read_elem = anndata.experimental.read_elem
    import h5py

    inspect(file)
    with h5py.File(file, "r") as stored:
        yield stored, read_elem


def _matrices(file: Path, stored: Any) -> CellMatrices:
    def there(part: str) -> Any:
        return stored[part] if part in stored and stored[part].attrs.get("encoding-type") != "null" else None

    layers = {name: stored["layers"][name] for name in stored["layers"]} if "layers" in stored else {}
    return CellMatrices(str(file), there("X"), there("raw/X"), layers)


def _read(file: Path, part: Any, element: Any) -> Any:
    memory.require(stored_bytes(part), str(file), "use fewer cells")
    if hasattr(part, "keys"):
        _check_sparse(part)
    return element(part)


def _check_sparse(part: Any) -> None:
    """Rows and columns that a group says it has must be there: anndata makes room for them before it looks."""
    shape = part.attrs["shape"] if "shape" in part.attrs else part.attrs["h5sparse_shape"]
    lengths = [int(length) for length in np.atleast_1d(shape)]
    if len(lengths) != 2 or part["indptr"].shape[0] - 1 not in lengths:
        raise ValueError(f"a sparse matrix of {' x '.join(map(str, lengths))} has {part['indptr'].shape} beginnings")


def _check_size(file: Path, X: Any, obs: Any, genes: Any) -> None:
    if (len(obs), len(genes)) != X.shape:
        found = f"has {len(obs)} observations and {len(genes)} variables for {X.shape[0]} x {X.shape[1]} values"
        raise refusal(file, found, "write it again with anndata")


def _frame(file: Path, stored: Any, element: Any, part: str) -> Any:
    frame = element(stored[part]) if part in stored else None
    if not hasattr(frame, "index") or not hasattr(frame, "columns"):
        raise refusal(file, f"has no table {part}", "write it again with anndata")
    return frame


def _classes(file: Path, obs: Any, label: str) -> Array:
    if label not in obs.columns:
        names = ", ".join(map(str, obs.columns)) or "no columns"
        raise refusal(file, f"has no {label!r} in obs, but {names}", Sentence("choose another {label}=…"))
    column = obs[label]
    if column.dtype.kind in "iub":
        return np.asarray(column)
    return table_checks.labels_from_text(
        file, ["" if absent else str(value) for value, absent in zip(column, column.isna(), strict=True)]
    )
