"""Terms on the basis, or on how samples use it."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.terms.state import State
from manifact.terms.term import Quadratic


class Redundancy:
    """γ Σ_im (UᵀU)_im = γ ‖Σ_k u_k‖² (SPNMF paper, eq 8)."""

    def __init__(self, gamma: float) -> None:
        self.gamma = float(gamma)

    def coupling(self, k: int) -> Any:
        """C with value = Tr(C UᵀU)."""
        return np.full((k, k), self.gamma)

    def value(self, s: State) -> float:
        """Over all pairs of basis vectors."""
        return float(np.sum(self.coupling(s.U.shape[1]) * s.UtU))

    def grad_U(self, s: State) -> tuple[Any, Any]:
        """2 U C, which is ≥ 0."""
        return s.U @ (2 * self.coupling(s.U.shape[1]).astype(s.U.dtype)), 0.0

    def grad_V(self, s: State) -> None:
        """The representation does not enter."""
        return None


class Orthogonality(Redundancy):
    """γ Σ_{i≠m} (UᵀU)_im: 0 where all basis vectors are orthogonal (the SPNMF paper's SONMF)."""

    def coupling(self, k: int) -> Any:
        return self.gamma * (1 - np.eye(k))


class Locality:
    """λ Σ_ik v_ik ‖u_k − x_i‖²: samples use the basis vectors near them (LCF paper, eq 2)."""

    def __init__(self, lam: float) -> None:
        self.lam = float(lam)

    def value(self, s: State) -> float:
        """Σ v_ik (‖x_i‖² + ‖u_k‖²) − 2 <X U, V>."""
        own = float(s.data.diagonal @ s.data.weighted(s.V).sum(axis=1)) + float(s.V_sums @ np.diag(s.UtU))
        return self.lam * (own - 2 * s.data.inner(s.XU, s.V))

    def grad_U(self, s: State) -> tuple[Any, Any]:
        """2 λ u_k Σ_i v_ik and 2 λ XᵀV."""
        return 2 * self.lam * s.basis * s.V_sums, 2 * self.lam * s.XtV

    def grad_V(self, s: State) -> tuple[Any, Any]:
        """λ (‖x_i‖² + ‖u_k‖²) and 2 λ X U."""
        squares = s.data.diagonal[:, None] + np.diag(s.UtU)[None, :]
        return s.data.weighted(self.lam * squares), 2 * self.lam * s.XU

    def quadratic_U(self, s: State) -> Quadratic:
        """2 λ u_k Σ_i v_ik, its matrix split by sign, and −2 λ XᵀV."""
        scale = 2 * self.lam * s.V_sums
        return scale * s.basis_positive, scale * s.basis_negative, -2 * self.lam * s.XtV

    def quadratic_V(self, s: State) -> Quadratic:
        """All of it is linear in V."""
        positive, negative = self.grad_V(s)
        return 0.0, 0.0, positive - negative
