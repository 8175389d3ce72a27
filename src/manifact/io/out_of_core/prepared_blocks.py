"""From a source to X on disk: the preparation is learnt in one or two passes over the rows, then they are written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.backends.block_samples import SpooledBlocks
from manifact.io.cell_matrices import kind_of_parts
from manifact.io.out_of_core.row_sources import RowSource
from manifact.io.out_of_core.spool_writer import SpoolWriter
from manifact.io.out_of_core.word_counts import WordCounts
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.preparation import Preparation
from manifact.io.preparation.cell_preparation import CellPreparation
from manifact.io.preparation.cell_statistics import CellStatistics
from manifact.io.preparation.column_statistics import Columns
from manifact.io.preparation.document_preparation import DocumentPreparation, WordWishes
from manifact.io.preparation.learn_preparation import LearnOptions, checked_options
from manifact.io.preparation.table_preparation import TablePreparation
from manifact.io.sample_fingerprints import fingerprint
from manifact.utils.progress import steps


@dataclass(frozen=True)
class PreparedBlocks:
    """Samples that were prepared out of core.

    Attributes
    ----------
    samples : RowSource
        What is known of the samples; their raw values are still in their file.
    preparation : Preparation
    X : SpooledBlocks
        The prepared values, on disk until nobody needs them.
    fingerprint : array of n
        What tells the samples (`manifact.io.sample_fingerprints`).
    """

    samples: RowSource
    preparation: Any
    X: SpooledBlocks
    fingerprint: Array


def learnt_blocks(source: RowSource, space: Workspace, **options: Unpack[LearnOptions]) -> PreparedBlocks:
    """What `manifact.io.learn_and_apply` makes of the samples, without ever holding all of them."""
    scale, own = checked_options(source, options)
    if source.kind == "documents":
        return _documents(source, space, scale, own)
    if source.kind == "cells":
        source = with_values(source)
        statistics = CellStatistics(_seen(source, "looking at cells"), source.width, str(source.values))
        cells = CellPreparation.learn_genes(source, statistics, scale, **own)
        return applied_blocks(source, space, cells, _bytes_of_cells(source, statistics, cells))
    columns = Columns(_seen(source, "looking at columns"), source.width, source.is_sparse)
    table = TablePreparation.learn_columns(source, columns, scale, **own)
    return applied_blocks(source, space, table, source.n_bytes)


def applied_blocks(
    source: RowSource, space: Workspace, preparation: Preparation, n_bytes: int | None = None
) -> PreparedBlocks:
    """X of samples whose preparation is known; ``n_bytes`` is what it takes on disk, about."""
    source = with_values(source)

    def prepared() -> Iterator[tuple[Any, Any]]:
        for block in source.blocks():
            yield block, preparation.apply(block)

    return _written(source, space, preparation, prepared(), source.n_bytes if n_bytes is None else n_bytes)


def _documents(source: RowSource, space: Workspace, scale: str, options: dict[str, Any]) -> PreparedBlocks:
    asked = WordWishes.of(source.n_samples, **options)
    counted = WordCounts(asked.counter, space, source.source)
    told: list[Array] = []
    with steps("counting words", source.n_samples) as advance:
        for block in source.blocks():
            counted.add(block.texts or [])
            told.append(fingerprint(block, None))
            advance(block.n_samples)
    try:
        words, seen, counts = counted.settled(asked.low, asked.high, asked.max_features)
    except ValueError as problem:
        raise asked.nothing_left(source.source) from problem
    learnt = DocumentPreparation.of_words(asked, scale, words, seen)
    rows = ((None, learnt.apply_to_counts(block)) for block in counts())
    n_bytes = int(seen.sum()) * 12 + 8 * source.n_samples
    return replace(_written(source, space, learnt, rows, n_bytes), fingerprint=np.concatenate(told))


def _written(
    source: RowSource, space: Workspace, preparation: Preparation, rows: Iterator[tuple[Any, Any]], n_bytes: int
) -> PreparedBlocks:
    writer = SpoolWriter(space.scratch, n_bytes, source.source)
    told: list[Array] = []
    with steps("preparing samples", source.n_samples) as advance:
        for block, X in rows:
            writer.append(sparse.csr_array(X) if sparse.issparse(X) else X)
            if block is not None:
                told.append(fingerprint(block, X))
            advance(X.shape[0])
    source.release()
    per_row = writer.n_bytes / max(1, source.n_samples)
    X = writer.finished(space.rows(per_row))
    X.memory, X.scratch = space.memory, space.scratch
    return PreparedBlocks(source, preparation, X, np.concatenate(told) if told else np.empty(0))


def _seen(source: RowSource, title: str) -> Any:
    """A function that gives the raw rows, with a bar for a person who waits."""

    def blocks() -> Iterator[Any]:
        with steps(title, source.n_samples) as advance:
            for block in source.read():
                yield block
                advance(block.shape[0])

    return blocks


def with_values(source: RowSource) -> RowSource:
    """Cells of which it is known what their values are: a block alone does not tell."""
    if source.kind != "cells" or source.values is not None:
        return source
    values = kind_of_parts(block.data if sparse.issparse(block) else block for block in source.read())
    return replace(source, values=values)


def _bytes_of_cells(source: RowSource, statistics: CellStatistics, learnt: CellPreparation) -> int:
    """What X of the chosen genes takes on disk."""
    if not source.is_sparse:
        return 8 * source.n_samples * learnt.n_features
    if learnt.feature_names is None or source.feature_names is None:
        return source.n_bytes
    chosen = set(learnt.feature_names)
    kept = np.array([name in chosen for name in source.feature_names])
    return int(statistics.cells_with[kept].sum()) * 12 + 8 * source.n_samples
