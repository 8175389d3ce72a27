"""Γ X in blocks: every product is a formula, and blocks are read when a walk comes to them."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import blocks as block_backend
from manifact.backends.blocks.block_layouts import layout_of, source_of
from manifact.backends.blocks.deferred import Rows, apply, summed
from manifact.backends.factor_operations import FactorOperations
from manifact.utils.cached_properties import cached_property
from manifact.utils.errors import BadValueError


class BlockData(FactorOperations):
    """What data of one memory offer, for X in blocks."""

    #: Formulas are arrays to those who use them, and none to who checks types.
    backend: Any = block_backend
    #: The expanded square is as it is: nobody reads X again for the digits that it lost.
    settles_for_free = True
    weight: Any

    def __init__(self, X: Any, weight: Any) -> None:
        self.shape = X.shape
        self.dtype = X.dtype
        self._X = X
        layout = layout_of(X)
        self.source = Rows(layout, None, (), (X.shape[1],), X.dtype)
        self.source.held = source_of(X, weight)
        self.weight = None if weight is None else block_backend.like_rows(np.asarray(weight, dtype=X.dtype), X)

    def _of_block(self, name: str, *arguments: Any, columns: Any = None, kept: bool = False) -> Rows:
        found = apply(_method, self.source, name, *arguments, columns=columns)
        found.kept = kept
        return found

    def _summed(self, name: str, *arguments: Any, shape: Any = None) -> Any:
        return summed(_method, self.source, name, *arguments, shape=shape)

    def of_rows(self, function: Any) -> Any:
        """What a function makes of the rows of each block of X, on the host."""
        return block_backend.host(apply(_of_samples, self.source, function, columns=()))

    @cached_property
    def facts(self) -> dict[str, float]:
        """Sums over all entries, and the smallest and largest, in one walk."""
        known: dict[str, float] | None = getattr(self._X, "facts", None) if self.weight is None else None
        if known is None:
            sums = {name: self._summed(name) for name in ("square_sum", "entry_sum", "entropy_sum")}
            # NumPy's, which let NaN through.
            low = summed(_least, self.source, combine=np.minimum)
            high = summed(_most, self.source, combine=np.maximum)
            known = {name: float(value) for name, value in (sums | {"low": low, "high": high}).items()}
            if self.weight is None:
                self._X.facts = known
        return known

    @property
    def signed(self) -> bool:
        """Whether X has negative entries."""
        return self.facts["low"] < 0

    @property
    def square_sum(self) -> float:
        """Σ γ_j x_ji²."""
        return self.facts["square_sum"]

    @property
    def entry_sum(self) -> float:
        """Σ γ_j x_ji."""
        return self.facts["entry_sum"]

    @property
    def entropy_sum(self) -> float:
        """Σ γ_j (x_ji log x_ji − x_ji)."""
        return self.facts["entropy_sum"]

    @property
    def squares(self) -> Rows:
        """Σ_i γ_j x_ji² of each sample."""
        return self._of_block("squares", columns=())

    @property
    def row_squares(self) -> Rows:
        """‖x_j‖²."""
        return self._of_block("row_squares", columns=())

    def times(self, U: Any) -> Rows:
        """Γ X U."""
        # Kept: steps with momentum read it again where X is not read.
        return self._of_block("times", U, columns=(U.shape[1],), kept=True)

    def times_transposed(self, V: Any) -> Any:
        """Xᵀ Γ V."""
        return self._summed("times_transposed", V, shape=(self.shape[1], V.shape[1]))

    def ratio_times(self, U: Any, V: Any) -> tuple[Rows, Any]:
        """(Γ X / Y) U and Σ γ_j x_ji log y_ji, Y = V Uᵀ."""
        both = self._of_block("ratio_times", U, V, columns=())
        first = apply(operator.getitem, both, 0, columns=(U.shape[1],), dtype=self.dtype)
        first.kept = True
        return first, summed(operator.getitem, both, 1, shape=())

    def ratio_times_transposed(self, U: Any, V: Any) -> Any:
        """(Γ X / Y)ᵀ V."""
        return self._summed("ratio_times_transposed", U, V, shape=(self.shape[1], V.shape[1]))

    def settled(self, value: Any, U: Any, V: Any) -> Any:
        """Not below zero."""
        return (abs(value) + value) / 2

    def row(self, j: int) -> Any:
        """Row j of X, dense."""
        row = self._X.rows(np.array([j]))
        return (row.toarray() if sparse.issparse(row) else row)[0]

    def halves(self) -> Any:
        """Data of any sign are those of concept models, which look at all samples at once."""
        raise BadValueError("X in blocks of rows must be >= 0: concept models need all samples in one memory")

    def dense_blocks(self) -> Iterator[tuple[slice, Any]]:
        """Losses without kernels of their own."""
        raise TypeError("this loss needs X in one memory: use 'frobenius' or 'kullback-leibler'")

    def project_least_squares(self, U: Any, G: Any, pull: Any, shift: Any, l1: float) -> Rows:
        """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 (x_jU + pull_j − l1/2)ᵀv, each on its own."""
        return self._projected("project_least_squares", U, G, pull, shift, l1)

    def project_divergence(self, U: Any, pull: Any, shift: Any, l1: float, l2: float) -> Rows:
        """Rows argmin_{v ≥ 0} KL(x_j ‖ U v) + Σ (l1 + shift_j) v + l2/2 v² − pull_j log v, each on its own."""
        return self._projected("project_divergence", U, pull, shift, l1, l2)

    def _projected(self, name: str, U: Any, *arguments: Any) -> Rows:
        return self._of_block(name, U, *arguments, columns=(U.shape[1],), kept=True)


def _method(data: Any, name: str, *arguments: Any) -> Any:
    """What data of a block say of themselves, or do."""
    found = getattr(data, name)
    return found(*arguments) if callable(found) else found


def _of_samples(data: Any, function: Any) -> Any:
    return function(data.X)


def _least(data: Any) -> float:
    return float(data.X.min()) if min(data.shape) else np.inf


def _most(data: Any) -> float:
    return float(data.X.max()) if min(data.shape) else -np.inf
