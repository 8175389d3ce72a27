"""K = X Xᵀ, or any kernel, in the place of X: concept factorisation sees the data through products with K alone."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.backends.numpy import _NumpyData, wrap

NOT_A_KERNEL = "kernel is not positive semi-definite ({}): use another kernel, or add to its diagonal"


class _Gram(_NumpyData):
    """What both kinds share."""

    #: Whether K has negative entries (or may have: nobody forms it to see).
    signed: bool
    diagonal: Array

    @cached_property
    def square_sum(self) -> float:
        """Σ γ_j K_jj: the weighted square of the data in the kernel's space."""
        weight = 1.0 if self.weight is None else self.weight
        return float(np.sum(weight * self.diagonal, dtype=np.float64))

    def settled(self, value: float, U: Array, V: Array) -> float:
        """Entries of the residual live in the kernel's space; its length is not negative there."""
        if value < -1e-3 * abs(self.square_sum):
            raise ValueError(NOT_A_KERNEL.format(f"it gives the squared length {value:g}"))
        return max(value, 0.0)


class LinearGram(_Gram):
    """K = X Xᵀ, applied as X (Xᵀ P), or formed where it is no larger than a dense X and so costs less."""

    def __init__(self, X: Any, weight: Array | None) -> None:
        self._X = wrap(X, None)
        self.weight = weight
        self.shape = (X.shape[0], X.shape[0])
        self.dtype = X.dtype
        self.signed = bool(X.min() < 0)
        self.diagonal = self._X.diagonal

    def times(self, P: Array) -> Array:
        return self._X.times(self._X.times_transposed(P)) if self._formed is None else self._formed @ P

    @cached_property
    def _formed(self) -> Array | None:
        X = self._X.X  # type: ignore[attr-defined]
        return X @ X.T if not sparse.issparse(X) and X.shape[0] <= X.shape[1] else None

    @cached_property
    def _halves(self) -> tuple[Any, Any]:
        """X = X⁺ − X⁻, so that K = (X⁺X⁺ᵀ + X⁻X⁻ᵀ) − (X⁺X⁻ᵀ + X⁻X⁺ᵀ)."""
        X = self._X.X  # type: ignore[attr-defined]
        if sparse.issparse(X):
            return wrap(sparse.csr_array(X.maximum(0)), None), wrap(sparse.csr_array((-X).maximum(0)), None)
        return wrap(np.maximum(X, 0), None), wrap(np.maximum(-X, 0), None)

    def times_positive(self, P: Array) -> Array:
        one, other = self._halves
        return one.times(one.times_transposed(P)) + other.times(other.times_transposed(P))

    def times_negative(self, P: Array) -> Array:
        one, other = self._halves
        return one.times(other.times_transposed(P)) + other.times(one.times_transposed(P))


class DenseGram(_Gram):
    """A kernel matrix that is there."""

    def __init__(self, K: Array, weight: Array | None) -> None:
        self._K = K
        self.weight = weight
        self.shape = K.shape
        self.dtype = K.dtype
        self.signed = bool(K.min() < 0)
        self.diagonal = np.diag(K).copy()
        if (self.diagonal < 0).any() or (K.any(axis=1) & (self.diagonal == 0)).any():
            worst = float(self.diagonal.min())
            raise ValueError(NOT_A_KERNEL.format(f"its diagonal goes down to {worst:g}"))

    def times(self, P: Array) -> Array:
        return self._K @ P

    @cached_property
    def _halves(self) -> tuple[Array, Array]:
        return np.maximum(self._K, 0), np.maximum(-self._K, 0)

    def times_positive(self, P: Array) -> Array:
        return self._halves[0] @ P

    def times_negative(self, P: Array) -> Array:
        return self._halves[1] @ P
