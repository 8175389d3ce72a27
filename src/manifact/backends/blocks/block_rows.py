"""What graphs and starts ask of samples in blocks: one number for each sample, or a few of the samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends.block_samples import BlockSamples
from manifact.backends.numpy import sample_rows
from manifact.backends.protocol import Array


def as_samples(X: BlockSamples) -> BlockSamples:
    """Blocks are checked as they are read."""
    return X


def is_real(X: BlockSamples) -> bool:
    """Whether entries are numbers without an imaginary part."""
    return X.dtype.kind == "f"


def as_floats(X: BlockSamples) -> BlockSamples:
    """Blocks are floats."""
    return X


def is_sparse(X: BlockSamples) -> bool:
    """Whether zeros are not stored."""
    return X.is_sparse


def taken(X: BlockSamples, some: Any) -> Any:
    """The rows with these numbers, in memory."""
    return X.rows(some)


def dense(X: Any) -> Array:
    """Rows that were taken, with their zeros."""
    return sample_rows.dense(X)


def typed(X: Any, dtype: Any) -> Any:
    """X in a type that NumPy names: an array with a row for each sample, or a small one."""
    from array_api_compat import array_namespace

    return array_namespace(X).astype(X, np.dtype(dtype), copy=False)


def extent(X: BlockSamples) -> tuple[float, float]:
    """The smallest and the largest entry."""
    from manifact.backends.blocks.block_data import BlockData

    facts = BlockData(X, None).facts
    low, high = facts["low"], facts["high"]
    if not np.isfinite([low, high]).all():
        _refuse_not_finite(X)
    return low, high


def _refuse_not_finite(X: BlockSamples) -> None:
    """Say where the first entry is that is no number, in the words of one memory."""
    for what, function, remedy in BAD:
        rows = np.flatnonzero(_of_blocks(X, function))
        if len(rows):
            block = int(np.searchsorted(X.bounds, rows[0], side="right"))
            raise ValueError(
                f"Input X contains {what}, first in X[{rows[0]}], which is in block {block} of {X.n_blocks}: {remedy}, "
                "or leave out those rows or columns"
            )


def lengths(X: BlockSamples) -> Array:
    """‖x_j‖ of every row, in float64."""
    return _of_blocks(X, sample_rows.lengths)


def empty(X: BlockSamples) -> Array:
    """Which rows hold nothing but zeros."""
    return _of_blocks(X, sample_rows.empty)


def _of_blocks(X: BlockSamples, function: Callable[[Any], Any]) -> Array:
    from manifact.backends.blocks.block_data import BlockData

    return BlockData(X, None).of_rows(function)


def _with_nan(X: Any) -> Array:
    return _any_in_row(X, np.isnan)


def _with_infinity(X: Any) -> Array:
    return _any_in_row(X, np.isinf)


def _any_in_row(X: Any, function: Callable[[Any], Any]) -> Array:
    """Which rows have an entry of which something is true."""
    if not sparse.issparse(X):
        return np.asarray(function(X).any(axis=1))
    return np.asarray(sparse.csr_array((function(X.data), X.indices, X.indptr), shape=X.shape).sum(axis=1)).ravel() > 0


#: What is no number, who finds it, and what can be done.
BAD = (
    ("NaN", _with_nan, "fill in what is missing"),
    ("infinity", _with_infinity, "give numbers that are finite"),
)
