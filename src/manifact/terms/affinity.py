"""How alike samples are in V, beside how alike they are in an embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array, backend_of, device_of, namespace, on_host
from manifact.terms.state import State
from manifact.terms.term import Parts, Term


class Affinity(Term):
    """μ ‖F Fᵀ − V Vᵀ‖² over the samples that have a row in F; rows of zeros are left out."""

    def __init__(self, F: Array, mu: float) -> None:
        xp, backend = namespace(F), backend_of(F)
        self.F = F
        self.mu = float(mu)
        self.inside: Array = xp.sum(xp.abs(F), axis=1) > 0
        own = backend.cross(F, F)
        self._outer = float(on_host(backend.inner(own, own)))
        inside = xp.astype(self.inside, xp.float64)[:, None]
        self._all_inside = float(on_host(backend.inner(inside, inside))) == F.shape[0]
        self._places: dict[Any, tuple[Array, Array]] = {}
        self._forms: dict[Any, Array] = {}

    def placed(self, V: Array) -> tuple[Array, Array]:
        """F and who is inside (n x 1, 1 or 0), where V lives; brought there once."""
        backend, place = backend_of(V), (type(V), device_of(V))
        if place not in self._places:
            inside = namespace(self.F).astype(self.inside, self.F.dtype)[:, None]
            self._places[place] = backend.like_rows(self.F, V), backend.like_rows(inside, V)
        return self._places[place]

    def _typed(self, V: Array) -> Array:
        """F in the type of V, which steps read many times."""
        form = type(V), device_of(V), V.dtype
        if form not in self._forms:
            self._forms[form] = namespace(V).astype(self.placed(V)[0], V.dtype, copy=False)
        return self._forms[form]

    def products(self, s: State) -> tuple[Array, Array]:
        """FᵀV and VᵀV, of the samples inside, in float64."""

        def compute() -> tuple[Array, Array]:
            F, inside = self.placed(s.V)
            if self._all_inside:
                return s.data.cross(F, s.V), s.VtV_wide if s.data.weight is None else s.data.cross(s.V, s.V)
            V = s.V * namespace(s.V).astype(inside, s.V.dtype, copy=False)
            return s.data.cross(F, s.V), s.data.cross(V, V)

        found: tuple[Array, Array] = s.keep(("affinity", self), ("V",), compute)
        return found

    def value(self, s: State) -> float:
        """‖FᵀF‖² − 2 ‖FᵀV‖² + ‖VᵀV‖²: nothing is n x n."""
        M, A = self.products(s)
        excess = self._outer - 2 * s.data.inner(M, M) + s.data.inner(A, A)
        # max(0, excess), for numbers of any device.
        return self.mu * ((abs(excess) + excess) / 2)

    def gradient(self, s: State, block: str) -> Parts:
        """4 μ V VᵀV and 4 μ F FᵀV, whose negative entries change sides."""
        if block != "V":
            return None
        xp = namespace(s.V)
        M, A = self.products(s)
        F, inside = self.placed(s.V)
        drawn, pushed = F @ M, inside * (xp.astype(s.V, A.dtype, copy=False) @ A)
        parts = pushed + xp.maximum(-drawn, 0), xp.maximum(drawn, 0)
        positive, negative = (4 * self.mu * xp.astype(part, s.V.dtype, copy=False) for part in parts)
        return positive, negative

    def swept(self, V: Array, G: Array, B: Array, scale: Any, shift: float, rounds: int) -> Array:
        """V after rounds of steps on this term and a quadratic one, whose sum does not rise."""
        F, inside = self._typed(V), self.placed(V)[1]
        return backend_of(V).sweep_affinity(V, G, B, scale, shift, F, inside[:, 0] > 0, self.mu, rounds)

    def added(self, other: Affinity) -> Affinity | None:
        """μ ‖F Fᵀ − V Vᵀ‖² with the mean of both F Fᵀ differs from the sum by a constant."""
        if not np.array_equal(on_host(self.inside), on_host(other.inside)):
            return None
        mu = self.mu + other.mu
        if mu == 0:
            return self
        parts = [np.sqrt(term.mu / mu) * on_host(term.F) for term in (self, other)]
        return Affinity(np.hstack(parts), mu)
