"""AnnData objects, as scanpy's tools treat them: fit a model to the cells, and find the results in the object.

``fit`` looks for counts or log-normalised values by itself (`manifact.io.read` says where), prepares them as
``manifact fit`` does, and writes

- ``adata.obsm["X_manifact"]``: V, how much of each part every cell has,
- ``adata.varm["manifact"]``: the parts over all genes, zero for genes that were left out,
- ``adata.obs["manifact"]``: the cluster of each cell, a categorical,
- ``adata.uns["manifact"]``: parameters, version, which matrix was taken, and the genes that tell most about each part,
  laid out as ``scanpy.tl.rank_genes_groups`` does, so that ``scanpy.pl.rank_genes_groups(adata, key="manifact")`` and
  its like draw them.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from manifact.graphs import LandmarkGraph
from manifact.io.cell_matrices import check_signs
from manifact.io.cell_results import KEY, put_into, results_of, top_genes_of
from manifact.io.out_of_core.drawn_samples import choose_n_components
from manifact.io.out_of_core.placed_blocks import placed_at_once, placed_in_blocks
from manifact.io.out_of_core.prepared_blocks import learnt_blocks
from manifact.io.out_of_core.stored_cells import object_is_too_large, object_source
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.preparation import Preparation, learn_and_apply
from manifact.io.readers.annotated_objects import check_writable, graph_of, map_of, read_object
from manifact.io.sample_fingerprints import fingerprint, first_changed
from manifact.models.feature_names import feature_names
from manifact.models.registry import on_command_line
from manifact.utils import checks
from manifact.utils.errors import BadTypeError, BadValueError

__all__ = ["fit", "predict", "prepare", "report", "top_genes", "transform", "write"]


def fit(
    adata: Any,
    model: Any = "affinity",
    n_components: int | str | None = None,
    *,
    layer: str = "auto",
    graph: str | None = None,
    key: str = KEY,
    memory: int | str | None = None,
    scratch: str | PathLike[str] | None = None,
    **preparation: Any,
) -> Any:
    """Fit a model to the cells, write what it found into ``adata``, and return the fitted model.

    Parameters
    ----------
    adata : AnnData
        Cells x genes; a view or an object that is backed by a file will do. Counts stay sparse.
    model : model or str, default="affinity"
        A model such as ``AffinityNMF(10)``, which is fitted in place, or the name of one on the command line.
    n_components : int or "auto", optional
        The number of parts, where ``model`` is a name. Default: what ``manifact fit`` takes ("auto" for affinity).
    layer : str, default="auto"
        The matrix: a layer, "raw" or "X"; "auto" takes the first without negative values among layers of counts,
        ``.raw``, X, layers of logarithms and other layers.
    graph : str, optional
        A matrix of ``adata.obsp``, such as "connectivities" of ``scanpy.pp.neighbors``, instead of the model's graph.
    key : str, default="manifact"
        The name that results get; earlier ones of this name are replaced.
    memory : int or str, optional
        Bytes that may be used, such as "4G". Default: what is free. Cells of an object that is backed by a file and
        that need more are read in blocks and kept on disk (`manifact.io.open_blocks`); a model that is named gets a
        `LandmarkGraph` then.
    scratch : path, optional
        The folder for temporary files of such cells. Default: the system's.
    **preparation
        ``genes``, ``min_cells``, ``weighting`` and ``scale``, as in `manifact.io.learn`.

    Returns
    -------
    fitted model
        With ``preparation_``, so that `transform` and ``manifact predict`` prepare new cells alike.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import manifact.anndata
    >>> from manifact import NMF
    >>> counts = np.random.default_rng(0).poisson(2, (60, 30)).astype("f4")
    >>> adata = anndata.AnnData(counts)
    >>> model = manifact.anndata.fit(adata, NMF(3, random_state=0))
    >>> adata.obsm["X_manifact"].shape, adata.varm["manifact"].shape, adata.uns["manifact"]["matrix"]
    ((60, 3), (30, 3), 'counts of X')
    """
    check_writable(adata)
    estimator = _model(model, n_components)
    space = Workspace.of(memory, scratch)
    in_blocks = object_is_too_large(adata, space, layer)
    samples: Any = object_source(adata, space, layer) if in_blocks else read_object(adata, layer)
    check_signs(estimator, samples)
    if in_blocks:
        prepared = learnt_blocks(samples, space, **preparation)
        learnt, X, told = prepared.preparation, prepared.X, prepared.fingerprint
        _settle_in_blocks(estimator, X, isinstance(model, str) and graph is None)
    else:
        learnt, X = learn_and_apply(samples, **preparation)
        told = fingerprint(samples, X)
    if graph is not None:
        if "graph" not in estimator.get_params(deep=False):
            raise BadValueError("{graph}={!r} needs a model with a graph, {} has none", graph, type(estimator).__name__)
        estimator.set_params(graph=graph_of(adata, graph))
    estimator.fit(X)
    estimator.preparation_ = learnt
    estimator.source_ = {
        "path": samples.source,
        "reading": {} if layer == "auto" else {"layer": layer},
        "names": samples.names,
        "matrix": samples.matrix,
        "fingerprint": told,
    }
    write(adata, estimator, key=key)
    return estimator


def transform(
    adata: Any,
    model: Any,
    *,
    layer: str = "auto",
    key: str | None = KEY,
    tie: bool | None = None,
    memory: int | str | None = None,
    scratch: str | PathLike[str] | None = None,
) -> Any:
    """V of other cells, with the parts of a fitted model; written into ``adata`` with the clusters.

    Genes are matched by name. Genes of the model that ``adata`` lacks count as not seen, and a warning names them; with
    fewer than half of them the cells are refused.

    Parameters
    ----------
    adata : AnnData
        Cells whose values are like those of the training cells: counts, if it were counts.
    model : fitted model
        From `fit`, or from a file by `manifact.load`.
    layer : str, default="auto"
        The matrix, as in `fit`; "auto" prefers values like those of the training cells.
    key : str or None, default="manifact"
        The name that results get; None writes nothing.
    tie : bool or None, default=None
        Whether cells are held near their neighbours among the training cells; None does so where the graph can.
    memory, scratch : optional
        As in `fit`: cells of an object that is backed by a file are read in blocks where they need more memory.

    Returns
    -------
    V : array, n_cells x k
    """
    return _placed(adata, model, layer, key, tie, Workspace.of(memory, scratch))[0]


def predict(
    adata: Any,
    model: Any,
    *,
    layer: str = "auto",
    key: str | None = KEY,
    tie: bool | None = None,
    memory: int | str | None = None,
    scratch: str | PathLike[str] | None = None,
) -> Any:
    """The clusters of other cells, with the parts of a fitted model; written into ``adata`` as by `transform`.

    Parameters are those of `transform`.

    Returns
    -------
    clusters : array of n_cells
        Numbers of parts, −1 for a cell that has nothing of them. ``adata.obs["manifact"]`` holds them as a categorical.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import manifact.anndata
    >>> from manifact import NMF
    >>> counts = np.random.default_rng(0).poisson(2, (60, 30)).astype("f4")
    >>> model = manifact.anndata.fit(anndata.AnnData(counts[:40]), NMF(3, random_state=0))
    >>> new = anndata.AnnData(counts[40:])
    >>> clusters = manifact.anndata.predict(new, model)
    >>> [str(cluster) for cluster in clusters] == new.obs["manifact"].tolist()
    True
    """
    return _placed(adata, model, layer, key, tie, Workspace.of(memory, scratch))[1]


def write(adata: Any, model: Any, *, key: str = KEY, genes: Any = None) -> None:
    """Write what a fitted model found about its training cells into ``adata``.

    `fit` does so by itself: this is for a model that was loaded from a file, or fitted to a matrix of these cells.

    Parameters
    ----------
    adata : AnnData
        The training cells, in their order.
    model : fitted model
    key : str, default="manifact"
        The name that results get.
    genes : sequence of str, optional
        Names of the model's features, where it was fitted to a matrix without names of only some of the genes.
    """
    check_writable(adata)
    V, n = model.representation_, adata.n_obs
    names = getattr(model, "source_", {}).get("names")
    if len(V) != n:
        raise ValueError(f"the model was fitted to {len(V)} cells and adata has {n}: pass those, or use transform")
    if names is not None and list(names) != [str(name) for name in adata.obs_names]:
        raise ValueError("the model was fitted to cells of other names, or in another order: use transform")
    m = model.n_features_in_
    if genes is None and feature_names(model) is None:
        if m != adata.n_vars:
            raise BadValueError(
                "the model has {} features without names and adata has {} genes: give {genes}=…", m, adata.n_vars
            )
        genes = adata.var_names
    if genes is not None and len(genes) != m:
        raise BadValueError("{genes} has {} names and the model {} features: give one for each", len(genes), m)
    put_into(adata, results_of(model, V, model.labels_, key, genes=genes))


def prepare(adata: Any, *, layer: str = "auto", **preparation: Any) -> tuple[Preparation, Any]:
    """What `fit` would fit to: the preparation of the cells, and X, such as for `manifact.select`.

    Takes ``layer`` as in `fit`, and ``genes``, ``min_cells``, ``weighting`` and ``scale`` of `manifact.io.learn`.
    """
    return learn_and_apply(read_object(adata, layer), **preparation)


def top_genes(model: Any, n: int = 10, genes: Any = None) -> Any:
    """The genes that tell most about each part, first first: a data frame with a column for each part.

    ``top_genes(model, 5).to_dict("list")`` is what ``scanpy.pl.dotplot`` and its like take as ``var_names``.

    Parameters
    ----------
    model : fitted model
    n : int, default=10
        Genes of each part.
    genes : sequence of str, optional
        Names of the features, where the model does not know them.
    """
    import pandas as pd

    checks.integer("n", n, at_least=1)
    names = feature_names(model) if genes is None else genes
    if names is None or not hasattr(model, "components_"):
        raise ValueError(
            "the model's parts have no genes with names: fit it with manifact.anndata.fit, or give genes=…"
        )
    order = top_genes_of(model, min(n, len(names)))
    return pd.DataFrame({str(part): [str(names[i]) for i in row] for part, row in enumerate(order)})


def report(
    adata: Any,
    model: Any,
    path: str | PathLike[str] | None = None,
    *,
    map: str = "auto",
    labels: str | None = None,
    title: str | None = None,
) -> Path:
    """Write the page to explore a model of these cells in, and return its path.

    Parameters
    ----------
    adata : AnnData
        The cells that the model was fitted to.
    model : fitted model
        From `fit`.
    path : path, optional
        The file to write.
    map : str, default="auto"
        Where cells lie on the map: a name in ``adata.obsm`` such as "X_umap"; "auto" takes X_umap, X_tsne or another
        usual map where there is one; "own" lays the cells out by V.
    labels : str, optional
        The column of ``adata.obs`` with known classes, to compare clusters with.
    title : str, optional
        Heading of the page.
    """
    from manifact.report import report as write_page

    learnt = _preparation(model)
    layer = getattr(model, "source_", {}).get("reading", {}).get("layer", "auto")
    samples = read_object(adata, layer, learnt.read_options.get("expects"))
    X = learnt.apply(samples)
    if samples.n_samples == len(model.representation_) and (changed := first_changed(model, samples, X)) is not None:
        raise ValueError(
            f"adata holds other cells than the model was fitted to, or other values (cell {changed}): pass those, or "
            "fit again"
        )
    found = None if map == "own" else map_of(adata, map)
    if labels is not None and labels not in adata.obs.columns:
        there = ", ".join(adata.obs.columns)
        raise BadValueError("{labels}={!r} is not in obs, which has {}: choose another", labels, there)
    return write_page(
        model,
        X,
        path,
        sample_names=samples.names,
        labels=None if labels is None else [None if value != value else value for value in adata.obs[labels]],
        positions=None if found is None else found[1],
        map_name=None if found is None else f"obsm[{found[0]!r}]",
        title=title,
    )


def _placed(adata: Any, model: Any, layer: str, key: str | None, tie: bool | None, space: Workspace) -> tuple[Any, Any]:
    """V and the clusters of other cells, written into ``adata`` unless the key is None."""
    learnt = _preparation(model)
    if key is not None:
        check_writable(adata)
    expects = learnt.read_options.get("expects")
    if object_is_too_large(adata, space, layer):
        source = object_source(adata, space, layer, expects)
        found = placed_in_blocks(model, source, space, tie, None, clusters=True)
    else:
        found = placed_at_once(model, read_object(adata, layer, expects), tie, None, clusters=True)
    if key is not None:
        put_into(adata, results_of(model, found.V, found.labels, key, found.samples.matrix))
    return found.V, found.labels


def _settle_in_blocks(model: Any, X: Any, named: bool) -> None:
    """What cells in blocks need beside a model that is named: a graph for them, and a number of parts."""
    if named and "graph" in model.get_params(deep=False):
        model.set_params(graph=LandmarkGraph())
    choose_n_components(model, X)


def __dir__() -> list[str]:
    return sorted(__all__)


def _model(model: Any, n_components: int | str | None) -> Any:
    if not isinstance(model, str):
        if not hasattr(model, "fit") or isinstance(model, type):
            raise BadTypeError("{model}={!r} must be a model such as AffinityNMF(10), or the name of one", model)
        if n_components is not None:
            raise BadValueError("{n_components}={!r} goes with a name, not with a model that has its own", n_components)
        return model
    known = on_command_line()
    checks.option("model", model, tuple(sorted(known)))
    given = {} if n_components is None else {"n_components": n_components}
    return known[model].cls(**{**known[model].command_line, "random_state": 0, **given})


def _preparation(model: Any) -> Any:
    learnt = getattr(model, "preparation_", None)
    if learnt is None or learnt.kind != "cells":
        raise ValueError("the model does not know how its cells were prepared: fit it with manifact.anndata.fit")
    return learnt
