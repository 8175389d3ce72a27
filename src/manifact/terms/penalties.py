"""Penalties on the size of a factor, and on how basis vectors overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array, backend_of, namespace
from manifact.terms.forms import LogBound, RowQuadratic
from manifact.terms.state import State
from manifact.terms.term import Parts, Quadratic, Term


class ElasticNet(Term):
    """l1 Σ p + l2/2 Σ p² over the entries of one block."""

    rows_by_sign = True

    def __init__(self, block: str, l1: float, l2: float) -> None:
        if block not in State.blocks:
            raise ValueError(f"block={block!r} must be 'V' or 'U'; for A take OnSecond(ElasticNet('V', ...))")
        self.block = block
        self.l1 = float(l1)
        self.l2 = float(l2)

    def value(self, s: State) -> float:
        """Both sums; the block is never negative, so its L1 norm is its sum."""
        P = s[self.block]
        return self.l1 * s.data.sums(P).sum() + self.l2 / 2 * s.data.inner(P, P)

    def gradient(self, s: State, block: str) -> Parts:
        """l1 + l2 P."""
        return (self.l1 + self.l2 * s[block], 0.0) if block == self.block else None

    def quadratic(self, s: State, block: str) -> Quadratic | None:
        """l2 P and l1."""
        return (self.l2 * s[block], 0.0, self.l1) if block == self.block else None

    def rows(self, s: State, block: str) -> RowQuadratic | None:
        """Exactly the term."""
        if block != self.block:
            return None
        return RowQuadratic(l1=self.l1 / 2, shift=self.l2 / 2)

    def bound(self, s: State, block: str) -> LogBound | None:
        """Exactly the term."""
        return LogBound(self.l1, l2=self.l2) if block == self.block else None

    def added(self, other: ElasticNet) -> ElasticNet | None:
        """One for both, on the same block."""
        same = self.block == other.block
        return ElasticNet(self.block, self.l1 + other.l1, self.l2 + other.l2) if same else None


class Redundancy(Term):
    """γ Σ_im (UᵀU)_im = γ ‖Σ_k u_k‖² (SPNMF paper, eq 8)."""

    rows_by_sign = True

    def __init__(self, gamma: float) -> None:
        self.gamma = float(gamma)

    def _pairs(self, k: int) -> Any:
        return np.ones((k, k))

    def coupling(self, like: Array) -> Array:
        """C with value = Tr(C UᵀU), k x k, in the type and place of ``like``."""
        C = backend_of(like).like(self.gamma * self._pairs(like.shape[1]), like)
        return namespace(like).astype(C, like.dtype, copy=False)

    def value(self, s: State) -> float:
        """Over all pairs of basis vectors."""
        return s.data.inner(self.coupling(s.U), s.UtU)

    def gradient(self, s: State, block: str) -> Parts:
        """2 U C, which is ≥ 0."""
        return (s.basis @ (2 * self.coupling(s.U)), 0.0) if block == "U" else None

    def quadratic(self, s: State, block: str) -> Quadratic | None:
        """The same, the matrix before U split by sign."""
        if block != "U":
            return None
        C = 2 * self.coupling(s.U)
        return s.basis_positive @ C, s.basis_negative @ C, 0.0

    def rows(self, s: State, block: str) -> RowQuadratic | None:
        """Exactly the term."""
        xp = namespace(s.U)
        return RowQuadratic(xp.astype(self.coupling(s.U), xp.float64, copy=False)) if block == "U" else None

    def added(self, other: Redundancy) -> Redundancy:
        """One for both."""
        return type(self)(self.gamma + other.gamma)


class Orthogonality(Redundancy):
    """γ Σ_{i≠m} (UᵀU)_im: 0 where all basis vectors are orthogonal (the SPNMF paper's SONMF)."""

    def _pairs(self, k: int) -> Any:
        return 1 - np.eye(k)
