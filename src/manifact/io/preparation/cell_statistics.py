"""What a preparation of cells learns from: depths, cells with a gene, means and variances, of all rows or of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.io.preparation.variable_genes import Moments
from manifact.utils.cached_properties import cached_property


class CellStatistics:
    """Of cells x genes whose rows ``blocks()`` gives, as often as they are asked for."""

    def __init__(self, blocks: Callable[[], Iterable[Any]], n_genes: int, values: str) -> None:
        self._blocks, self.n_genes, self.values = blocks, n_genes, values

    @cached_property
    def _first_look(self) -> tuple[Array, Array]:
        """The depth of each cell, and in how many cells each gene was seen."""
        depths, seen = [], np.zeros(self.n_genes, dtype=np.int64)
        for X in self._blocks():
            depths.append(_depths(X, self.values))
            seen += _cells_with(X)
        return np.concatenate(depths), seen

    @property
    def cells_with(self) -> Array:
        """In how many cells each gene was seen."""
        return self._first_look[1]

    @property
    def depth(self) -> float:
        """The median number of counts of a cell; of logarithms, of the values that they are logarithms of."""
        if self.values == "scaled":
            return 1.0
        depths = self._first_look[0]
        return float(np.median(depths[depths > 0])) if (depths > 0).any() else 1.0

    def moments(self, genes: Array, depth: float) -> tuple[Array, Array]:
        """Mean and variance of these genes' counts in cells of one depth."""
        found = Moments(len(genes))
        for X in self._blocks():
            if self.values == "log":
                found.add(X[:, genes])
            else:
                found.add(log_normalized(X[:, genes].astype(np.float32), totals(X), depth))
        return found.mean, found.variance


def totals(X: Any) -> Array:
    """The sum of each row."""
    return np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()


def log_normalized(X: Any, totals: Array, depth: float) -> Any:
    """log(1 + depth x / total) of each row; rows without counts stay zero."""
    factor = (depth / np.where(totals > 0, totals, 1)).astype(X.dtype)
    if sparse.issparse(X):
        data = X.data * np.repeat(factor, np.diff(X.indptr))
        return sparse.csr_array((np.log1p(data, out=data), X.indices, X.indptr), shape=X.shape)
    normalized = X * factor[:, None]
    return np.log1p(normalized, out=normalized)


def _depths(X: Any, values: str) -> Array:
    if values != "log":
        return totals(X)
    if sparse.issparse(X):
        return totals(sparse.csr_array((np.expm1(X.data), X.indices, X.indptr), shape=X.shape))
    return np.array([np.expm1(row.astype(np.float64)).sum() for row in X])


def _cells_with(X: Any) -> Array:
    if sparse.issparse(X):
        return np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
    return np.count_nonzero(X, axis=0)
