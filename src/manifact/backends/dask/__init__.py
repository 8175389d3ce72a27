"""Dask: samples as a `dask.array` with chunks of rows, on threads, processes or a cluster.

The formulas are those of blocks (`manifact.backends.blocks`); here a walk over them is one graph of Dask's, with a task
for each chunk and its sums added up in a tree.
"""

from contextlib import AbstractContextManager
from typing import Any

import dask
import dask.array as da
import numpy as np

from manifact.backends.blocks.deferred import Rows
from manifact.backends.dask.dask_samples import DaskSamples
from manifact.backends.dask.task_graph import computed

__all__ = ["DaskSamples", "as_array", "as_blocks", "in_turn", "large_graphs", "on_host"]


def as_blocks(X: Any) -> DaskSamples:
    """A `dask.array` as samples in blocks."""
    return DaskSamples(X)


def as_array(P: Any) -> Any:
    """What has a row for each sample as a `dask.array` that is kept on the workers; a small array as the host's."""
    if not isinstance(P, Rows):
        return np.asarray(P.value())
    layout = P.layout
    layout.evaluate(P)
    lengths = (layout.rows(number) for number in range(layout.n_blocks))
    parts = [
        da.from_delayed(_as_delayed(part), (rows.stop - rows.start, *P.columns), dtype=P.dtype)
        for part, rows in zip(P.held.parts, lengths, strict=True)
    ]
    found = da.concatenate(parts)
    # What files hold is there as long as the array is.
    found.manifact_roots = P.held
    return found


def in_turn() -> AbstractContextManager[Any]:
    """One chunk after the other, in this thread, as long as the block lasts."""
    return dask.config.set(scheduler="synchronous")


def large_graphs() -> AbstractContextManager[Any]:
    """Graphs that hold large arrays on purpose are no reason for a warning, as long as the block lasts."""
    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"})


def on_host(array: Any) -> Any:
    """A `dask.array`, computed."""
    (found,) = computed(array)
    return found


def _as_delayed(part: Any) -> Any:
    """A future as it is, a value of this process as Dask takes it."""
    return dask.delayed(part, pure=False, traverse=False) if isinstance(part, np.ndarray) else part
