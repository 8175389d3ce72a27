"""K = X Xᵀ, or any kernel, in the place of X: concept factorisation sees the data through products with K alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import as_data, backend_of, namespace
from manifact.backends.factor_operations import FactorOperations
from manifact.backends.protocol import Array
from manifact.utils.cached_properties import cached_property
from manifact.utils.memory import fits

NOT_A_KERNEL = "kernel is not positive semi-definite ({}): use another kernel, or add to its diagonal"


class _Gram(FactorOperations):
    """What both kinds share."""

    #: Whether K has negative entries (or may have: nobody forms it to see).
    signed: bool
    #: K_jj.
    row_squares: Array

    def __init__(self, kind: Any, weight: Array | None) -> None:
        self.backend = backend_of(kind)
        self.weight = None if weight is None else self.backend.like(weight, kind)
        self.shape = (kind.shape[0], kind.shape[0])
        self.dtype = kind.dtype

    @cached_property
    def square_sum(self) -> float:
        """Σ γ_j K_jj: the weighted square of the data in the kernel's space."""
        return float(self.backend.column_sums(self.weighted(self.row_squares[:, None]))[0])

    def settled(self, value: float, U: Array, V: Array) -> float:
        """Entries of the residual live in the kernel's space; its length is not negative there."""
        if value < -1e-3 * abs(self.square_sum):
            raise ValueError(NOT_A_KERNEL.format(f"it gives the squared length {value:g}"))
        return max(value, 0.0)


class LinearGram(_Gram):
    """K = X Xᵀ, applied as X (Xᵀ P), or formed where it is no larger than a dense X, fits, and so costs less."""

    def __init__(self, X: Any, weight: Array | None) -> None:
        super().__init__(X, weight)
        self._data: Any = as_data(X)
        self._X = X
        self.signed = self._data.signed
        self.row_squares = self._data.row_squares

    def times(self, P: Array) -> Array:
        """K P."""
        return (
            self._data.times(self._data.times_transposed(P))
            if self._formed is None
            else self.backend.product(self._formed, P)
        )

    @cached_property
    def _formed(self) -> Array | None:
        n, m = self._X.shape
        dense = isinstance(self._X, np.ndarray)
        return self._X @ self._X.T if dense and n <= m and fits(n * n * self.dtype.itemsize) else None

    @cached_property
    def _halves(self) -> tuple[Any, Any]:
        """X = X⁺ − X⁻, so that K = (X⁺X⁺ᵀ + X⁻X⁻ᵀ) − (X⁺X⁻ᵀ + X⁻X⁺ᵀ)."""
        positive, negative = self._data.halves()
        return positive, negative

    def times_positive(self, P: Array) -> Array:
        """K⁺ P."""
        one, other = self._halves
        return one.times(one.times_transposed(P)) + other.times(other.times_transposed(P))

    def times_negative(self, P: Array) -> Array:
        """K⁻ P."""
        one, other = self._halves
        return one.times(other.times_transposed(P)) + other.times(one.times_transposed(P))


class DenseGram(_Gram):
    """A kernel matrix that is there."""

    def __init__(self, K: Array, weight: Array | None) -> None:
        super().__init__(K, weight)
        xp = namespace(K)
        self._K = K
        self.signed = bool(xp.min(K) < 0)
        self.row_squares = xp.linalg.diagonal(K) + 0.0
        empty = xp.any(K != 0, axis=1) & (self.row_squares == 0)
        if bool(xp.any(self.row_squares < 0)) or bool(xp.any(empty)):
            worst = float(xp.min(self.row_squares))
            raise ValueError(NOT_A_KERNEL.format(f"its diagonal goes down to {worst:g}"))

    def times(self, P: Array) -> Array:
        """K P."""
        return self.backend.product(self._K, P)

    @cached_property
    def _halves(self) -> tuple[Array, Array]:
        xp = namespace(self._K)
        return xp.maximum(self._K, 0), xp.maximum(-self._K, 0)

    def times_positive(self, P: Array) -> Array:
        """K⁺ P."""
        return self.backend.product(self._halves[0], P)

    def times_negative(self, P: Array) -> Array:
        """K⁻ P."""
        return self.backend.product(self._halves[1], P)
