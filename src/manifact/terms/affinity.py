"""How alike samples are in V, beside how alike they are in an embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.backends.numpy import sweep_matching
from manifact.terms.state import State


class Matching:
    """μ ‖F Fᵀ − V Vᵀ‖² over the samples that have a row in F; rows of zeros are left out."""

    def __init__(self, F: Array, mu: float) -> None:
        self.F = F
        self.mu = float(mu)
        self.inside: Array = np.asarray(F.any(axis=1))
        self._outer = float(np.sum((F.T @ F) ** 2))

    def products(self, s: State) -> tuple[Array, Array]:
        """FᵀV and VᵀV, of the samples inside, in float64."""

        def compute() -> tuple[Array, Array]:
            inside = s.V[self.inside]
            return s.data.cross(self.F, s.V), s.data.cross(inside, inside)

        found: tuple[Array, Array] = s.keep(("matching", id(self)), ("V",), compute)
        return found

    def value(self, s: State) -> float:
        """‖FᵀF‖² − 2 ‖FᵀV‖² + ‖VᵀV‖²: nothing is n x n."""
        M, A = self.products(s)
        return self.mu * max(0.0, self._outer - 2 * float(np.sum(M**2)) + float(np.sum(A**2)))

    def grad_U(self, s: State) -> None:
        """The basis does not enter."""
        return None

    def grad_V(self, s: State) -> tuple[Any, Any]:
        """4 μ V VᵀV and 4 μ F FᵀV, whose negative entries change sides."""
        M, A = self.products(s)
        drawn = self.F @ M
        pushed = np.where(self.inside[:, None], s.V @ A, 0)
        return 4 * self.mu * (pushed + np.maximum(-drawn, 0)), 4 * self.mu * np.maximum(drawn, 0)

    def sweep(self, V: Array, G: Array, B: Array, scale: Any, shift: float) -> Array:
        """V after a round of exact coordinate steps on this term and a quadratic one."""
        return sweep_matching(V, G, B, scale, shift, self.F, self.inside, self.mu)
