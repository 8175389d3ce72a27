"""How much V differs between neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.graphs.operator import Graph
from manifact.terms.state import State
from manifact.terms.term import Quadratic

#: Relative residual of the linear solves in runs with tol=0.
EXACT = 1e-12
#: In others a solve has done its part when this share of the last step's residual is left.
REDUCTION = 1e-3


class Smoothness:
    """λ Tr(VᵀLV) = λ/2 Σ_js W_js ‖v_j − v_s‖² (GNMF paper, eq 5)."""

    def __init__(self, graph: Graph, lam: float) -> None:
        self.graph = graph
        self.lam = float(lam)

    def value(self, s: State) -> float:
        """Summed over edges."""
        return self.lam * self.graph.energy(s.V, s.V)

    def grad_U(self, s: State) -> None:
        """The basis does not enter."""
        return None

    def grad_V(self, s: State) -> tuple[Any, Any]:
        """2 λ D V and 2 λ W V."""
        return 2 * self.lam * self.graph.degree(s.V), 2 * self.lam * self.graph.adjacency(s.V)

    def quadratic_U(self, s: State) -> None:
        """The basis does not enter."""
        return None

    def quadratic_V(self, s: State) -> Quadratic:
        """All of it is quadratic in V."""
        return (*self.grad_V(s), 0.0)


class EntropicSmoothness:
    """λ Tr(Vᵀ L log V) = λ/2 Σ_js W_js Σ_k (v_jk − v_sk)(log v_jk − log v_sk) (GNMF paper, eq 4).

    Its published step solves a linear system; see `solve_V`.
    """

    def __init__(self, graph: Graph, lam: float, exact: bool = True) -> None:
        self.graph = graph
        self.lam = float(lam)
        self.reduction = 0.0 if exact else REDUCTION

    def value(self, s: State) -> float:
        """Summed over edges; every summand is ≥ 0."""
        V = positive(s.V)
        return self.lam * self.graph.energy(V, np.log(V))

    def grad_U(self, s: State) -> None:
        """The basis does not enter."""
        return None

    def grad_V(self, s: State) -> tuple[Any, Any]:
        """λ (L log V + D − W V / V), sorted by sign."""
        V = positive(s.V)
        slope = self.graph.laplacian(np.log(V))
        return (
            self.lam * (self.graph.degrees[:, None] + np.maximum(slope, 0)),
            self.lam * (self.graph.adjacency(V) / V + np.maximum(-slope, 0)),
        )

    def solve_V(self, s: State, positive_part: Any, negative_part: Any) -> Array:
        """V ← (A + λL)⁻¹ (V ∘ negative), A the positive part as a diagonal (GNMF paper, eq 21).

        The proof behind it counts each edge once where the penalty counts it twice, so the objective may rise.
        """
        right = s.V * negative_part
        return positive(self.graph.solve(positive_part, self.lam, right, s.V, EXACT, self.reduction))


def positive(V: Array) -> Array:
    """V with zeros (and the solver's rounding below them) raised to the smallest normal number."""
    return np.maximum(V, np.finfo(V.dtype).tiny)
