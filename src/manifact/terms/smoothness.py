"""How much V differs between neighbours."""

from __future__ import annotations

from typing import ClassVar

from manifact.backends import Array, namespace, smallest_normal
from manifact.graphs.operators import Graph, SumOfGraphs
from manifact.terms.forms import LogBound, RowQuadratic
from manifact.terms.state import State
from manifact.terms.term import Parts, Quadratic, Term

#: Relative residual of the linear solves in runs with tol=0.
EXACT = 1e-12
#: In others a solve has done its part when this share of the last step's residual is left.
REDUCTION = 1e-3


class Smoothness(Term):
    """λ Tr(VᵀLV) = λ/2 Σ_js W_js ‖v_j − v_s‖² (GNMF paper, eq 5)."""

    #: How many times λ W a new sample is held by, as losses project it.
    pulls: ClassVar[float] = 1.0
    rows_by_sign = True

    def __init__(self, graph: Graph, lam: float, exact: bool = True) -> None:
        self.graph = graph
        self.lam = float(lam)

    def value(self, s: State) -> float:
        """Summed over edges."""
        return self.lam * self.graph.energy(s.V, s.V)

    def gradient(self, s: State, block: str) -> Parts:
        """2 λ D V and 2 λ W V."""
        if block != "V":
            return None
        return 2 * self.lam * self.graph.degree(s.V), 2 * self.lam * self.graph.adjacency(s.V)

    def quadratic(self, s: State, block: str) -> Quadratic | None:
        """All of it is quadratic in V."""
        parts = self.gradient(s, block)
        return None if parts is None else (*parts, 0.0)

    def rows(self, s: State, block: str) -> RowQuadratic | None:
        """Exactly the term."""
        return RowQuadratic(graph=self.graph, lam=self.lam) if block == "V" else None

    def added(self, other: Smoothness) -> Smoothness:
        """One graph for both."""
        return Smoothness(SumOfGraphs([self.graph, other.graph], [self.lam, other.lam]), 1.0)


class EntropicSmoothness(Term):
    """λ Tr(Vᵀ L log V) = λ/2 Σ_js W_js Σ_k (v_jk − v_sk)(log v_jk − log v_sk) (GNMF paper, eq 4).

    Its published step solves a linear system; see `implicit`.
    """

    #: Both KL(v_s ‖ v) and KL(v ‖ v_s) hold v, which are nearly equal; losses project with the first alone.
    pulls: ClassVar[float] = 2.0

    def __init__(self, graph: Graph, lam: float, exact: bool = True) -> None:
        self.graph = graph
        self.lam = float(lam)
        self.exact = exact

    def value(self, s: State) -> float:
        """Summed over edges; every summand is ≥ 0."""
        V = positive(s.V)
        return self.lam * self.graph.energy(V, namespace(V).log(V))

    def gradient(self, s: State, block: str) -> Parts:
        """λ (L log V + D − W V / V), sorted by sign."""
        if block != "V":
            return None
        V, xp = positive(s.V), namespace(s.V)
        slope = self.graph.laplacian(xp.log(V))
        return (
            self.lam * (self.graph.vector(V)[:, None] + xp.maximum(slope, 0)),
            self.lam * (self.graph.adjacency(V) / V + xp.maximum(-slope, 0)),
        )

    def implicit(self, s: State, block: str, positive_part: Array, negative_part: Array) -> Array | None:
        """V ← (A + λL)⁻¹ (V ∘ negative), A the positive part as a diagonal (GNMF paper, eq 21).

        The proof behind it counts each edge once where the penalty counts it twice, so the objective may rise.
        """
        if block != "V":
            return None
        right, reduction = s.V * negative_part, 0.0 if self.exact else REDUCTION
        return positive(self.graph.solve(positive_part, self.lam, right, s.V, EXACT, reduction))

    def bound(self, s: State, block: str) -> LogBound | None:
        """Exactly the term."""
        return LogBound(graph=self.graph, lam=self.lam) if block == "V" else None

    def added(self, other: EntropicSmoothness) -> EntropicSmoothness:
        """One graph for both."""
        graph = SumOfGraphs([self.graph, other.graph], [self.lam, other.lam])
        return EntropicSmoothness(graph, 1.0, self.exact and other.exact)


def positive(V: Array) -> Array:
    """V with zeros (and the solver's rounding below them) raised to the smallest normal number."""
    return namespace(V).maximum(V, smallest_normal(V))
