"""AnnData objects: what the reader of .h5ad files does, for cells that are in memory, backed by a file, or a view."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.io.cell_matrices import CellMatrices, in_memory
from manifact.io.file_errors import refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import table_checks
from manifact.io.readers.h5ad import marked_genes, usual_map
from manifact.utils.errors import BadTypeError, BadValueError
from manifact.utils.sparse_matrices import checked_structure

#: What an object is called in sentences and files.
SOURCE = "adata"


def read_object(adata: Any, layer: str | None = None, expects: str | None = None, source: str = SOURCE) -> Samples:
    """Counts or log-normalised values of the cells, with the names of cells and genes; the object is left alone."""
    check_annotated(adata)
    raw = adata.raw
    matrices = CellMatrices(source, adata.X, None if raw is None else raw.X, adata.layers)
    chosen = matrices.choose(lambda part, place: _checked(part, place, source), layer, expects)
    genes = raw.var if chosen.place == ".raw" else adata.var
    return Samples(
        "cells",
        source,
        chosen.X,
        names=[str(name) for name in adata.obs_names],
        feature_names=table_checks.made_distinct([str(name) for name in genes.index]),
        matrix=chosen.described,
        values=chosen.values,
        highly_variable=marked_genes(adata.var, genes),
    )


def check_annotated(adata: Any) -> None:
    """Refuse what is no AnnData object."""
    if not all(hasattr(adata, name) for name in ("obs", "var", "obsm", "varm", "uns", "layers", "raw")):
        raise BadTypeError(
            "{adata} is a {}, not an AnnData object: pass one, or give a matrix to the fit of a model",
            type(adata).__name__,
        )


def check_writable(adata: Any) -> None:
    """Refuse, before any work, an object that nothing can be written into."""
    check_annotated(adata)
    if getattr(adata, "isbacked", False) and adata.is_view:
        raise BadValueError(
            "{adata} is a view of an object that is backed by a file, and nothing can be written into it: pass "
            "adata.to_memory()"
        )


def graph_of(adata: Any, name: str) -> Any:
    """The affinity that obsp has under a name, such as "connectivities"."""
    name = name.removeprefix("obsp:")
    if name not in adata.obsp:
        there = ", ".join(map(repr, adata.obsp.keys()))
        remedy = "choose another {graph}=…" if there else "run scanpy.pp.neighbors first, or leave out {graph}=…"
        raise BadValueError("{graph}={!r} is not in obsp, which has {}: " + remedy, name, there or "nothing")
    W = in_memory(adata.obsp[name], SOURCE)
    return sparse.csr_array(checked_structure(W) if sparse.issparse(W) else W)


def map_of(adata: Any, name: str = "auto") -> tuple[str, Any] | None:
    """A map of the cells in obsm and its name: the one that is named, or the first that is usual, or None."""
    maps = adata.obsm
    chosen = usual_map(maps) if name == "auto" else name if name in maps else f"X_{name}"
    if chosen is None:
        return None
    if chosen not in maps:
        there = ", ".join(map(repr, maps.keys()))
        raise BadValueError("{map}={!r} is not in obsm, which has {}: choose another", name, there or "nothing")
    return chosen, np.asarray(maps[chosen])


def _checked(element: Any, place: str, source: str) -> Any:
    X = in_memory(element, source)
    if sparse.issparse(X):
        X = sparse.csr_array(checked_structure(X))
        # Entries are put in order below, which must not happen to the user's own arrays.
        X = X if X.has_canonical_format else X.copy()
    else:
        X = np.asarray(X)
        if X.dtype.kind == "O":
            raise refusal(source, f"holds Python objects in {place}", "store numbers alone")
    return table_checks.checked_table(source, X, place)
