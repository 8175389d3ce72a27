"""Who does the array work. A backend follows from the type of X and offers a narrow set of operations.

Nothing above this package imports numba, and every sum over samples goes through `Data`.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


class Products(Protocol):
    """What all data offer; Γ holds the sample weights (identity where there are none)."""

    shape: tuple[int, int]
    dtype: Any
    weight: Array | None

    def times(self, U: Array) -> Array:
        """Γ X U (for kernels K U, not weighted)."""

    @property
    def square_sum(self) -> float:
        """Σ γ_j x_ji²."""

    @property
    def diagonal(self) -> Array:
        """‖x_j‖², not weighted."""

    def settled(self, value: float, U: Array, V: Array) -> float:
        """Σ γ_j (x_ji − y_ji)² where the expanded square ``value`` lost its digits: anew if that is cheap, or ≥ 0."""

    def weighted(self, V: Array) -> Array:
        """Γ V."""

    def gram(self, V: Array) -> Array:
        """Vᵀ Γ V, in float64."""

    def cross(self, A: Array, B: Array) -> Array:
        """AᵀB, in float64."""

    def column_sums(self, V: Array) -> Array:
        """Σ_j γ_j v_j, in float64."""

    def sums(self, U: Array) -> Array:
        """Σ_i u_i, in float64."""

    def inner(self, A: Array, B: Array) -> float:
        """Σ a_ij b_ij."""

    def sweep(self, V: Array, G: Array, B: Array, scale: Any, shift: Any, sweeps: int) -> Array:
        """V after exact coordinate steps on scale_j vᵀGv − 2 b_jᵀv + shift_j vᵀv over v ≥ 0, each row on its own."""

    def rescale(self, P: Array, negative: Array, positive: Array) -> Array:
        """P ∘ negative / positive, with a floor under the denominators."""


class Data(Products, Protocol):
    """Γ X with all that models do to it."""

    def times_transposed(self, V: Array) -> Array:
        """Xᵀ Γ V."""

    def ratio_times(self, U: Array, V: Array) -> tuple[Array, float]:
        """(Γ X / Y) U and Σ γ_j x_ji log y_ji, Y = V Uᵀ."""

    def ratio_times_transposed(self, U: Array, V: Array) -> Array:
        """(Γ X / Y)ᵀ V."""

    def row(self, j: int) -> Array:
        """Row j of Γ X, dense."""

    @property
    def squares(self) -> Array:
        """Σ_i γ_j x_ji² of each sample."""

    @property
    def entry_sum(self) -> float:
        """Σ γ_j x_ji."""

    @property
    def entropy_sum(self) -> float:
        """Σ γ_j (x_ji log x_ji − x_ji)."""

    def project_least_squares(self, U: Array, G: Array, pull: Array | None, shift: Any, l1: float) -> Array:
        """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 (x_jU + pull_j − l1/2)ᵀv, each on its own."""

    def project_divergence(self, U: Array, pull: Array | None, shift: Any, l1: float, l2: float) -> Array:
        """Rows argmin_{v ≥ 0} KL(x_j ‖ U v) + Σ (l1 + shift_j) v + l2/2 v² − pull_j log v, each on its own."""


class Gram(Products, Protocol):
    """K = X Xᵀ or another kernel in the place of X, n x n and symmetric."""

    #: Whether K has negative entries, or may have.
    signed: bool

    def times_positive(self, P: Array) -> Array:
        """K⁺ P, for some K = K⁺ − K⁻ with both parts ≥ 0."""

    def times_negative(self, P: Array) -> Array:
        """K⁻ P."""


def as_data(X: Any, weight: Array | None = None) -> Data:
    """Wrap validated X (dense array or CSR) and its sample weights."""
    from manifact.backends import numpy as backend

    return backend.wrap(X, weight)


def as_gram(X: Any, weight: Array | None = None) -> Gram:
    """K = X Xᵀ, never formed."""
    from manifact.backends import gram

    return gram.LinearGram(X, weight)


def as_kernel(K: Any, weight: Array | None = None) -> Gram:
    """A kernel matrix."""
    from manifact.backends import gram

    return gram.DenseGram(K, weight)
