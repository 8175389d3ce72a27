"""Data that are larger than memory: fitted in blocks of rows that are kept on disk, placed a block at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manifact.cli import column_notes, data_notes
from manifact.cli.new_samples import graph_samples
from manifact.utils.errors import BadValueError, Sentence

if TYPE_CHECKING:
    from manifact.io.out_of_core.placed_blocks import PlacedSamples
    from manifact.io.out_of_core.workspace import Workspace
    from manifact.io.readers.formats import CheckedPath

#: Documents that are looked at to see whether the words of a part stand together.
DOCUMENTS = 100_000


@dataclass(frozen=True)
class TrainingData:
    """Samples, how they were prepared, and X: in memory, or in blocks of rows on disk."""

    samples: Any
    preparation: Any
    X: Any
    #: What tells the samples, where X is in blocks.
    fingerprint: Any = None

    @property
    def in_blocks(self) -> bool:
        """Whether X is on disk."""
        return self.fingerprint is not None

    @property
    def some(self) -> Any:
        """X, or as many of its rows as are looked at to judge words."""
        if not self.in_blocks:
            return self.X
        from manifact.io.out_of_core.drawn_samples import drawn

        return drawn(self.X, DOCUMENTS)


def training_data(data: CheckedPath, preparing: Mapping[str, Any], space: Workspace) -> TrainingData:
    """What a model is fitted to; read at once where that fits into the memory."""
    from manifact.io import learn_and_apply
    from manifact.io.out_of_core.open_sources import fits, open_source
    from manifact.io.out_of_core.prepared_blocks import learnt_blocks

    if fits(data, space):
        samples = data.read()
        return TrainingData(samples, *learn_and_apply(samples, **preparing))
    found = learnt_blocks(open_source(data, space), space, **preparing)
    return TrainingData(found.samples, found.preparation, found.X, found.fingerprint)


def refuse_outputs(data: CheckedPath, space: Workspace, report: Path | None, write: Path | None) -> None:
    """Refuse, before any work, files that cannot be made of samples in blocks."""
    from manifact.io.out_of_core.open_sources import fits

    unwritable = write is not None and data.path.suffix.lower() != ".h5ad"
    if (report is None and not unwritable) or fits(data, space):
        return
    option = "{report}" if report is not None else "{write}"
    raise BadValueError(
        option + "={!r} needs all samples in memory, and {} does not fit into {}: raise {memory}=…, or leave it out",
        str(report if report is not None else write),
        data.source,
        shown(space.memory),
    )


def in_blocks_unless(data: CheckedPath, space: Workspace, cluster: str | None) -> Sentence | None:
    """What would bring samples that come in blocks of rows into one memory; None for those that are in one."""
    from manifact.io.out_of_core.open_sources import fits

    if fits(data, space):
        return None if cluster is None else Sentence("leave out {cluster}")
    return Sentence("raise {memory}=…" if cluster is None else "leave out {cluster} and raise {memory}=…")


def facts(found: TrainingData, space: Workspace) -> dict[str, Any]:
    """For the summary: blocks, bytes on disk, and the memory that the samples were too large for."""
    if not found.in_blocks:
        return {}
    return {"out_of_core": {"blocks": found.X.n_blocks, "bytes": found.X.nbytes, "memory": space.memory}}


def notes(found: TrainingData, labels: Any) -> list[str]:
    """What is worth a person's look, as far as it is seen in one walk over the blocks."""
    if not found.in_blocks:
        return data_notes.notes(found.samples, found.preparation, found.X, labels)
    samples, preparation = found.samples, found.preparation
    return [
        *data_notes.cells(samples, preparation),
        *data_notes.blank_lines(samples),
        *data_notes.of_reading(samples),
        *data_notes.unplaced(samples, empty(found.X), labels),
    ]


def unnamed(samples: Any) -> list[str]:
    """That documents in blocks have no names, which are not looked for where they would take too much memory."""
    if samples.kind != "documents" or samples.names is not None or not hasattr(samples, "blocks"):
        return []
    return ["samples are called by their places from 0: if a field names them, say with --name which one"]


def refuse_negative(model: Any, found: TrainingData) -> None:
    """Refuse values below zero where a model takes none."""
    if not found.in_blocks:
        data_notes.refuse_negative(model, found.samples, found.preparation, found.X)
    elif found.samples.kind == "table" and getattr(model, "_non_negative", False):
        for number in range(found.X.n_blocks):
            column_notes.refuse_negative(found.samples.source, found.preparation, found.X.block(number))


def empty(X: Any) -> Any:
    """Which rows of X, in blocks or not, hold nothing but zeros."""
    import numpy as np

    from manifact.utils.sparse_matrices import empty_rows

    if not hasattr(X, "block"):
        return empty_rows(X)
    return np.concatenate([empty_rows(X.block(number)) for number in range(X.n_blocks)])


def choose_on_some(model: Any, X: Any) -> list[str]:
    """Give a model the number of parts that some samples say, where it was left open; what was done, in words."""
    from manifact.io.out_of_core.drawn_samples import choose_n_components

    few = choose_n_components(model, X)
    if not few:
        return []
    return [f"{model.n_components} parts were chosen on {few:,} of the {X.shape[0]:,} samples (-k sets others)"]


def placed(
    model: Any,
    data: CheckedPath,
    space: Workspace,
    tie: bool | None,
    graph_from: Path | None,
    clusters: bool,
    workers: Any = None,
) -> PlacedSamples:
    """V of new samples, and their clusters if they are asked for; read at once where that fits into the memory.

    ``workers`` of a cluster place them, if there are some.
    """
    from manifact.io.out_of_core.open_sources import fits, open_source
    from manifact.io.out_of_core.placed_blocks import placed_at_once, placed_in_blocks

    if fits(data, space):
        samples = data.read()
        return placed_at_once(model, samples, tie, graph_samples(graph_from, samples), clusters, workers)
    source = open_source(data, space)
    return placed_in_blocks(model, source, space, tie, graph_samples(graph_from, source), clusters, workers)


def shown(n_bytes: int) -> str:
    """A size for a person."""
    from manifact.utils.sizes import shown_size

    return shown_size(n_bytes)
