"""How far V Uᵀ is from X."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.terms.state import State
from manifact.terms.term import Quadratic


def _cancels(value: float, square: float, dtype: Any) -> bool:
    """Whether the expanded square has lost too many digits, so that the residual is summed instead."""
    return value < max(1e-6, 1e5 * float(np.finfo(dtype).eps)) * square


class Frobenius:
    """‖X − V Uᵀ‖², rows weighted by γ (GNMF paper, eq 1 and appendix C)."""

    def value(self, s: State) -> float:
        """‖X‖² − 2 <X U, V> + <UᵀU, VᵀV>, from products that the updates need anyway."""
        square = s.data.square_sum
        value = square - 2 * s.data.inner(s.XU, s.V) + s.data.inner(s.UtU_wide, s.VtV_wide)
        if _cancels(value, square, s.data.dtype):
            return s.data.settled(value, s.U, s.V)
        return value

    def grad_U(self, s: State) -> tuple[Any, Any]:
        """2 U VᵀV and 2 XᵀV."""
        return s.basis @ (2 * s.VtV), 2 * s.XtV

    def grad_V(self, s: State) -> tuple[Any, Any]:
        """2 V UᵀU and 2 X U."""
        return s.data.weighted(s.V @ (2 * s.UtU)), 2 * s.XU

    def quadratic_U(self, s: State) -> Quadratic:
        """2 U VᵀV, its matrix split by sign, and −2 XᵀV."""
        gram = 2 * s.VtV
        return s.basis_positive @ gram, s.basis_negative @ gram, -2 * s.XtV

    def quadratic_V(self, s: State) -> Quadratic:
        """2 V UᵀU, split by the signs of UᵀU, and −2 X U."""
        positive, negative = np.maximum(s.UtU, 0), np.maximum(-s.UtU, 0)
        return s.data.weighted(s.V @ (2 * positive)), s.data.weighted(s.V @ (2 * negative)), -2 * s.XU


class KullbackLeibler:
    """Σ x log(x / y) − x + y with Y = V Uᵀ, rows weighted by γ (GNMF paper, eq 2)."""

    def value(self, s: State) -> float:
        """Y is summed through its factors: Σ y = <Σ u, Σ v>."""
        sum_of_Y = float(s.U_sums_wide @ s.V_sums_wide)
        return s.data.entropy_sum - s.log_likelihood + sum_of_Y

    def grad_U(self, s: State) -> tuple[Any, Any]:
        """Σ_j v_j and (X / Y)ᵀ V."""
        return s.V_sums[None, :], s.ratio_V

    def grad_V(self, s: State) -> tuple[Any, Any]:
        """Σ_i u_i and (X / Y) U."""
        sums = s.U_sums[None, :]
        weight = s.data.weight
        return (sums if weight is None else weight[:, None] * sums), s.ratio_U
