"""What all data share, of any kind and on any backend: everything that only touches the factors."""

from __future__ import annotations

from typing import Any

from manifact.backends.protocol import Array, Backend, Descent


class FactorOperations:
    """Sums and steps on the factors, weighted as the samples are."""

    shape: tuple[int, int]
    dtype: Any
    weight: Array | None
    #: Who works with these arrays.
    backend: Backend
    #: Whether `settled` is as cheap as asking if it is needed.
    settles_for_free: bool = False

    def out_of_memory(self, trouble: BaseException, k: int) -> str | None:
        """What to do where a device had too little memory; None for other troubles."""
        return None

    def weighted(self, V: Array) -> Array:
        """Γ V."""
        return V if self.weight is None else self.backend.scale(V, rows=self.weight)

    def gram(self, V: Array) -> Array:
        """Vᵀ Γ V, in float64."""
        return self.backend.cross(V, self.weighted(V))

    def cross(self, A: Array, B: Array) -> Array:
        """AᵀB, in float64."""
        return self.backend.cross(A, B)

    def weighted_sums(self, V: Array) -> Array:
        """Σ_j γ_j v_j, in float64."""
        if self.weight is None:
            return self.backend.column_sums(V)
        return self.backend.cross(self.weight[:, None], V)[0]

    def sums(self, P: Array) -> Array:
        """Σ_i p_i of each column, in float64."""
        return self.backend.column_sums(P)

    def inner(self, A: Array, B: Array) -> Any:
        """Σ a_ij b_ij, a number or one of the device."""
        return self.backend.inner(A, B)

    def rescale(self, P: Array, negative: Array, positive: Array) -> Array:
        """P ∘ negative / positive, with a floor under the denominators."""
        return self.backend.rescale(P, negative, positive)

    def descended(
        self, U: Array, V: Array, before: tuple[Array, Array], rate: float, XtV: Array, sweeps: int
    ) -> Descent | None:
        """Nothing better than the steps one by one."""
        return None
