"""Penalties on the size of a factor."""

from __future__ import annotations

import numpy as np

from manifact.terms.state import State
from manifact.terms.term import Parts, Quadratic


class ElasticNet:
    """l1 Σ p + l2/2 Σ p² over the entries of one block."""

    def __init__(self, block: str, l1: float, l2: float) -> None:
        self.block = block
        self.l1 = float(l1)
        self.l2 = float(l2)

    def value(self, s: State) -> float:
        """Both sums; the block is never negative, so its L1 norm is its sum."""
        P = s[self.block]
        return self.l1 * float(P.sum(dtype=np.float64)) + self.l2 / 2 * s.data.inner(P, P)

    def _grad(self, s: State, block: str) -> Parts:
        return (self.l1 + self.l2 * s[block], 0.0) if block == self.block else None

    def grad_U(self, s: State) -> Parts:
        """L1 + l2 U, if U is the block."""
        return self._grad(s, "U")

    def grad_V(self, s: State) -> Parts:
        """L1 + l2 V, if V is the block."""
        return self._grad(s, "V")

    def _quadratic(self, s: State, block: str) -> Quadratic | None:
        return (self.l2 * s[block], 0.0, self.l1) if block == self.block else None

    def quadratic_U(self, s: State) -> Quadratic | None:
        """L2 U and l1, if U is the block."""
        return self._quadratic(s, "U")

    def quadratic_V(self, s: State) -> Quadratic | None:
        """L2 V and l1, if V is the block."""
        return self._quadratic(s, "V")
