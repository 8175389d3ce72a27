"""What a model found, put where scanpy looks for it: obsm["X_key"], varm["key"], obs["key"] and uns["key"].

Into an AnnData object, or into a copy of an .h5ad file that takes the place of another only when it is whole.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from manifact._version import __version__
from manifact.backends import Array, on_host
from manifact.io.file_errors import guarded, optional_module, refusal
from manifact.io.readers.h5ad import is_former, whole
from manifact.io.readers.hdf5_inspection import inspect
from manifact.io.readers.table_checks import made_distinct
from manifact.models.feature_names import feature_names
from manifact.models.feature_relevance import RELEVANCE, is_signed, ranked, relevance_of, shares
from manifact.utils.errors import BadValueError
from manifact.utils.files import replacing

KEY = "manifact"
#: Genes of each part that uns lists.
TOP_GENES = 50


@dataclass(frozen=True)
class CellResults:
    """Results for n cells under a key."""

    key: str
    #: n x k, and the cluster of each cell, −1 for none.
    V: Array
    labels: Array
    #: m x k parts and the names of their genes, or None for models whose parts have no genes.
    parts: Array | None
    genes: list[str] | None
    uns: dict[str, Any]

    def clusters(self) -> Any:
        """The clusters as a categorical of the parts' numbers, as scanpy's own clusterings are."""
        import pandas as pd

        names = np.array([str(label) if label >= 0 else None for label in self.labels.tolist()], dtype=object)
        return pd.Categorical(names, categories=_groups(self.labels))

    def parts_over(self, var_names: Sequence[str]) -> Array | None:
        """The parts over these genes, zero for genes that were left out, as scanpy has its principal components."""
        if self.parts is None or self.genes is None:
            return None
        place = {name: number for number, name in enumerate(made_distinct([str(name) for name in var_names]))}
        whole = np.zeros((len(var_names), self.parts.shape[1]), dtype=self.parts.dtype)
        kept = [number for number, name in enumerate(self.genes) if name in place]
        whole[[place[self.genes[number]] for number in kept]] = self.parts[kept]
        return whole


def results_of(
    model: Any, V: Any, labels: Any, key: str = KEY, matrix: str | None = None, genes: Sequence[str] | None = None
) -> CellResults:
    """Results of a model for cells with this V and these clusters; ``genes`` where the model does not know them."""
    if not isinstance(key, str) or not key or "/" in key:
        raise BadValueError("{key}={!r} must be a name without a slash: give another", key)
    components = getattr(model, "components_", None)
    parts = None if components is None else np.ascontiguousarray(np.asarray(on_host(components)).T)
    names = feature_names(model) if genes is None else genes
    named = None if names is None or parts is None else [str(name) for name in names]
    labels = np.asarray(labels)
    preparation = getattr(model, "preparation_", None)
    uns: dict[str, Any] = {
        "model": type(model).__name__,
        "version": __version__,
        "matrix": matrix or getattr(model, "source_", {}).get("matrix") or "",
        "preparation": getattr(preparation, "described", ""),
        "params": _parameters(model, key),
    }
    if named is not None:
        uns |= {"genes": np.array(named, dtype=object), **_rankings(model, named, _groups(labels))}
    return CellResults(key, np.asarray(on_host(V)), labels, parts, named, uns)


def put_into(adata: Any, results: CellResults) -> None:
    """Write results into an AnnData object; earlier ones of the same key are replaced, as scanpy's tools do."""
    key = results.key
    parts = results.parts_over(adata.var_names)
    with warnings.catch_warnings():
        # A view becomes an object of its own, which is what whoever fits a view wants.
        warnings.filterwarnings("ignore", message=".*view.*")
        adata.obs[key] = results.clusters()
        adata.obsm[f"X_{key}"] = results.V
        if parts is not None:
            adata.varm[key] = parts
        adata.uns[key] = results.uns
        # Colours that plots gave to the clusters that were there before.
        adata.uns.pop(f"{key}_colors", None)


def check_file(source: Path, target: Path, key: str, overwrite: bool) -> None:
    """Refuse, before any work, what would lose something: earlier results in a file that is written into itself."""
    optional_module("anndata", "anndata", str(target))
    if not (target.exists() and source.is_file() and target.samefile(source)) or overwrite:
        return
    import h5py

    with guarded(source, "an AnnData file"):
        inspect(source)
    with guarded(source, "an AnnData file"), h5py.File(source, "r") as stored:
        places = (("obs", key), ("obsm", f"X_{key}"), ("varm", key), ("uns", key))
        taken = [f"{group}[{name!r}]" for group, name in places if _has(stored, group, name)]
    if taken:
        raise BadValueError(
            "{} has {} already: pass {overwrite} to replace them, or give another {key}=…",
            source,
            " and ".join([", ".join(taken[:-1]), taken[-1]] if len(taken) > 1 else taken),
        )


def write_file(source: Path, target: Path, results: CellResults, names: Sequence[str] | None = None) -> None:
    """Copy an .h5ad file with results into ``target``, which may be the file itself; nothing else in it is touched.

    ``names`` are those of the cells that the results are about: a file that has changed since is refused.
    """
    optional_module("anndata", "anndata", str(target))
    import h5py

    try:
        with replacing(target) as temporary, guarded(source, "an AnnData file"):
            inspect(source)
            with h5py.File(source, "r") as stored:
                former = is_former(stored)
            if former:  # it is written anew, as anndata writes files now
                _write_former(source, temporary, results, names)
                return
            shutil.copyfile(source, temporary)
            with h5py.File(temporary, "r+") as stored:
                _put_into_file(source, stored, results, names)
    except OSError as problem:
        raise refusal(target, f"cannot be written ({problem.strerror or problem})", "name another file") from problem


def write_new_file(target: Path, samples: Any, results: CellResults) -> None:
    """Cells that came from another kind of file, with results, as a new .h5ad file."""
    anndata = optional_module("anndata", "anndata", str(target))
    import pandas as pd
    from scipy import sparse

    n, m = samples.X.shape
    names = [str(i) for i in range(n)] if samples.names is None else samples.names
    genes = [str(i) for i in range(m)] if samples.feature_names is None else samples.feature_names
    X = sparse.csr_matrix(samples.X) if sparse.issparse(samples.X) else samples.X
    adata = anndata.AnnData(X, obs=pd.DataFrame(index=names), var=pd.DataFrame(index=genes))
    put_into(adata, results)
    with replacing(target) as temporary:
        adata.write_h5ad(temporary)


def _write_former(source: Path, target: Path, results: CellResults, names: Sequence[str] | None) -> None:
    adata = whole(source)
    _check_names(source, adata.obs_names, results, names)
    put_into(adata, results)
    adata.write_h5ad(target)


def _check_names(source: Path, index: Any, results: CellResults, names: Sequence[str] | None) -> None:
    there = [str(name) for name in index]
    if len(there) != len(results.V) or (names is not None and there != list(names)):
        found = f"has changed since the model was fitted: it has {len(there):,} cells, of other names or another order"
        raise refusal(source, found, "fit again, or name the cells as they were")


def _put_into_file(source: Path, stored: Any, results: CellResults, names: Sequence[str] | None) -> None:
    try:
        from anndata.io import read_elem, write_elem
    except ImportError:  # before anndata 0.11
        from anndata.experimental import read_elem, write_elem

    def put(group: str, name: str, value: Any) -> None:
        if group not in stored:
            write_elem(stored, group, {})
        write_elem(stored[group], name, value)

    _check_names(source, read_elem(stored["obs"]).index, results, names)
    key = results.key
    _put_column(stored, key, results.clusters(), write_elem)
    put("obsm", f"X_{key}", results.V)
    parts = results.parts_over(read_elem(stored["var"]).index)
    if parts is not None:
        put("varm", key, parts)
    put("uns", key, results.uns)
    if f"uns/{key}_colors" in stored:
        del stored[f"uns/{key}_colors"]


def _put_column(stored: Any, key: str, column: Any, write_elem: Any) -> None:
    obs = stored["obs"]
    write_elem(obs, key, column)
    order = [str(name) for name in obs.attrs.get("column-order", [])]
    if key not in order:
        obs.attrs["column-order"] = np.array([*order, key], dtype=object).astype("O")


def _has(stored: Any, group: str, name: str) -> bool:
    if group not in stored:
        return False
    held = stored[group]
    return name in held if hasattr(held, "keys") else name in (held.dtype.names or ())


def _groups(labels: Array) -> list[str]:
    """Names of the clusters that have cells, by number."""
    return [str(label) for label in np.unique(labels[labels >= 0]).tolist()]


def _parameters(model: Any, key: str) -> dict[str, Any]:
    """Parameters as a file holds them, and what scanpy's plots of ranked genes ask for."""
    plain = {
        name: value if isinstance(value, bool | int | float | str) else _shown(value)
        for name, value in model.get_params(deep=False).items()
        if value is not None
    }
    used_raw = getattr(model, "source_", {}).get("matrix", "").endswith(".raw")
    return {**plain, "groupby": key, "reference": "rest", "method": KEY, "use_raw": used_raw}


def _shown(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return f"{type(value).__name__} {shape}" if shape is not None else " ".join(repr(value).split())


def _rankings(model: Any, genes: Sequence[str], groups: Sequence[str]) -> Mapping[str, Any]:
    """The genes that tell most about the part of each cluster, laid out as scanpy's ranked genes.

    Scores are relevances without their logarithm, p(w | part)^λ (p(w | part) / p(w))^(1 − λ): above 0, and 0 for a gene
    that the part has nothing of. Of parts with negative weights they are the weights. Fold changes compare a gene's
    share of the part with its share of all parts. Nothing was tested, so p-values, which scanpy asks for, are NaN.
    """
    if not groups:
        return {}
    components = np.asarray(on_host(model.components_))
    order = top_genes_of(model, min(TOP_GENES, len(genes)))
    s = None if is_signed(components) else shares(components, on_host(model.representation_))
    columns: dict[str, list[Array]] = {name: [] for name in ("names", "scores", "logfoldchanges", "pvals", "pvals_adj")}
    for part, row in ((int(group), order[int(group)]) for group in groups):
        unknown = np.full(len(row), np.nan)
        score, change = components[part, row], unknown
        if s is not None:
            given, overall = s.given_part[part, row], s.overall[row]
            score = np.exp(relevance_of(given, overall, RELEVANCE))
            there = (given > 0) & (overall > 0)
            change = np.where(there, np.log2(np.where(there, given, 1) / np.where(there, overall, 1)), np.nan)
        names = np.array([genes[i] for i in row], dtype=object)
        for name, values in zip(columns, (names, score, change, unknown, unknown), strict=True):
            columns[name].append(values)
    return {
        name: np.rec.fromarrays(values, dtype=[(group, "O" if name == "names" else "f4") for group in groups])
        for name, values in columns.items()
    }


def top_genes_of(model: Any, n: int) -> list[Array]:
    """For each part exactly ``n`` columns: those that tell most about it, then those of most weight in it.

    Of parts with negative weights those of most weight, so that what a part lacks comes last.
    """
    components = np.asarray(on_host(model.components_))
    if is_signed(components):
        return [np.argsort(-part, kind="stable")[:n] for part in components]
    found = []
    for part, first in zip(components, ranked(components, on_host(model.representation_), n, RELEVANCE), strict=True):
        rest = np.argsort(-np.abs(part), kind="stable")
        found.append(np.concatenate([first, rest[~np.isin(rest, first)]])[:n].astype(int))
    return found
