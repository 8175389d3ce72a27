"""What a fitted model says of new samples that are read a block at a time: nothing but V is kept, and that on disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from manifact.io.out_of_core.prepared_blocks import with_values
from manifact.io.out_of_core.row_sources import RowSource
from manifact.io.out_of_core.spool_writer import mapped_rows
from manifact.io.out_of_core.workspace import Workspace
from manifact.utils.progress import steps
from manifact.utils.sparse_matrices import empty_rows

#: Blocks into which samples in memory are cut for each worker of a cluster.
BLOCKS_EACH = 4


@dataclass(frozen=True)
class PlacedSamples:
    """New samples beside the parts of a model.

    Attributes
    ----------
    samples : Samples
    V : array, n x k
        Of samples that were read in blocks, mapped from a file that goes with it.
    labels : array of n
        Clusters; −1 where none were asked for.
    empty : bool array of n
        Samples without an entry.
    below : int
        Cells of a table that are below all training samples.
    """

    samples: Any
    V: Any
    labels: Any
    empty: Any
    below: int


def placed_at_once(
    model: Any, samples: Any, tie: bool | None, graph_X: Any, clusters: bool, workers: Any = None
) -> PlacedSamples:
    """Samples that are in memory; ``workers`` of a cluster share them, if there are some."""
    X, said = model.preparation_.apply(samples), partial(_said, model, tie, clusters)
    if workers is None:
        V, labels = said((X, graph_X))
    else:
        parts = zip(*workers.mapped(said, _cut(X, graph_X, BLOCKS_EACH * workers.n_workers)), strict=True)
        V, labels = map(np.concatenate, parts)
    return PlacedSamples(samples, V, labels, empty_rows(X), _below(model, samples))


def placed_in_blocks(
    model: Any,
    source: RowSource,
    space: Workspace,
    tie: bool | None,
    graph_X: Any,
    clusters: bool,
    workers: Any = None,
) -> PlacedSamples:
    """Samples of a file; ``graph_X``, another matrix of them to look for neighbours in, is in memory.

    ``workers`` of a cluster are given the blocks as these are read, if there are some.
    """
    source, said = with_values(source), partial(_said, model, tie, clusters)
    n, first, below = source.n_samples, 0, [0]
    V: Any = None
    labels, nothing = np.full(n, -1, dtype=np.int64), np.empty(n, dtype=bool)

    def prepared() -> Iterator[tuple[Any, Any]]:
        read = 0
        for block in source.blocks():
            X = model.preparation_.apply(block)
            rows = slice(read, read + X.shape[0])
            read, nothing[rows] = rows.stop, empty_rows(X)
            below.append(_below(model, block))
            yield X, None if graph_X is None else graph_X[rows]

    with steps("placing samples", n) as advance:
        for part, found in map(said, prepared()) if workers is None else workers.mapped(said, prepared()):
            rows = slice(first, first + len(part))
            V = mapped_rows((n, part.shape[1]), part.dtype, space.scratch) if V is None else V
            V[rows], labels[rows] = part, found
            first = rows.stop
            advance(len(part))
    source.release()
    return PlacedSamples(source, V, labels, nothing, sum(below))


def _cut(X: Any, graph_X: Any, blocks: int) -> Iterator[tuple[Any, Any]]:
    """Samples in memory, and the same as the graph knows them, in so many blocks."""
    rows = max(1, -(-X.shape[0] // blocks))
    for start in range(0, X.shape[0], rows):
        some = slice(start, start + rows)
        yield X[some], None if graph_X is None else graph_X[some]


def _said(model: Any, tie: bool | None, clusters: bool, block: tuple[Any, Any]) -> tuple[Any, Any]:
    """V, and the clusters if they are asked for, of samples and of the same as the graph knows them."""
    X, graph_X = block
    if clusters:
        V, labels = model._V_and_clusters(X, tie, graph_X)
        return V, labels
    return model.transform(X, tie=tie, graph_X=graph_X), np.full(X.shape[0], -1, dtype=np.int64)


def _below(model: Any, samples: Any) -> int:
    preparation = model.preparation_
    return int(preparation.below(samples)) if preparation.kind == "table" else 0
