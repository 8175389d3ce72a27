"""How far the parts that a sample uses are from it."""

from __future__ import annotations

from manifact.backends import namespace
from manifact.terms.state import State
from manifact.terms.term import Parts, Quadratic, Term


class Locality(Term):
    """λ Σ_ik v_ik ‖u_k − x_i‖²: samples use the basis vectors near them (LCF paper, eq 2)."""

    def __init__(self, lam: float) -> None:
        self.lam = float(lam)

    def value(self, s: State) -> float:
        """Σ v_ik (‖x_i‖² + ‖u_k‖²) − 2 <X U, V>."""
        xp = namespace(s.V)
        weighted = s.data.weighted(s.V)
        own = s.data.inner(weighted, xp.broadcast_to(s.data.row_squares[:, None], s.V.shape))
        basis = s.V_sums @ xp.linalg.diagonal(s.UtU)
        return self.lam * (own + basis - 2 * s.data.inner(s.XU, s.V))

    def gradient(self, s: State, block: str) -> Parts:
        """λ (‖x_i‖² + ‖u_k‖²) and 2 λ X U; 2 λ u_k Σ_i v_ik and 2 λ XᵀV."""
        if block == "V":
            squares = s.data.row_squares[:, None] + namespace(s.V).linalg.diagonal(s.UtU)[None, :]
            return s.data.weighted(self.lam * squares), 2 * self.lam * s.XU
        return (2 * self.lam * s.basis * s.V_sums, 2 * self.lam * s.XtV) if block == "U" else None

    def quadratic(self, s: State, block: str) -> Quadratic | None:
        """All of it is linear in V; in U it is 2 λ u_k Σ_i v_ik, its matrix split by sign, and −2 λ XᵀV."""
        if block == "V":
            positive, negative = self.gradient(s, "V") or (0.0, 0.0)
            return 0.0, 0.0, positive - negative
        if block != "U":
            return None
        scale = 2 * self.lam * s.V_sums
        return scale * s.basis_positive, scale * s.basis_negative, -2 * self.lam * s.XtV

    def added(self, other: Locality) -> Locality:
        """One for both."""
        return Locality(self.lam + other.lam)
