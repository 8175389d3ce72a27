"""The layout that samples in blocks give to all that is computed with them."""

from __future__ import annotations

from typing import Any

from manifact.backends.block_samples import BlockSamples
from manifact.backends.blocks.layout import Layout
from manifact.backends.blocks.local_walk import LocalWalk, Source
from manifact.backends.passing_data import lasting_data, passing_data
from manifact.utils.memory import available

#: Share of the memory that arrays with a row for each sample may take, before they go to disk; and that X may take, to
#: stay there from walk to walk with its transpose, which makes it so many times as large.
FACTORS_SHARE, KEPT_SHARE, TIMES_SPARSE = 0.25, 0.25, 2.2


def layout_of(X: Any) -> Layout:
    """How the rows of samples, or of what is computed with them, are cut."""
    known = getattr(X, "layout", None)
    if known is None:
        known = X.layout = Layout(X.bounds, _walker(X))
    return known


def source_of(X: BlockSamples, weight: Any) -> Any:
    """Where walks find X: read each time, or kept where there is room for it."""
    made = getattr(X, "source", None)
    if made is not None:
        return made(weight)
    keeps = X.is_sparse and TIMES_SPARSE * X.nbytes <= KEPT_SHARE * _memory(X)
    return Source(X, weight, lasting_data if keeps else passing_data, keeps)


def _memory(X: Any) -> float:
    return float(getattr(X, "memory", None) or available() or 1 << 40)


def _walker(X: Any) -> Any:
    made = getattr(X, "walker", None)
    if made is not None:
        return made()
    return LocalWalk(FACTORS_SHARE * _memory(X), getattr(X, "scratch", None))
