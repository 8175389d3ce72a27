"""SPNMF's structure of V: near samples attract, far samples repel."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from manifact.backends import Array, Matrix, backend_of, namespace
from manifact.graphs.operators import AffinityGraph, Graph
from manifact.terms.state import State
from manifact.terms.term import Parts, Term


class Repulsion(Term):
    """β/2 Σ_ij Wʳ_ij exp(−‖v_i − v_j‖²) on the edges of the far graph (SPNMF paper, eq 7).

    Its gradient is −2β L̃ʳV with W̃ʳ = Wʳ ∘ exp(−‖v_i − v_j‖²), so that far samples that are close in V repel most.
    """

    def __init__(self, far: AffinityGraph, beta: float) -> None:
        self.far = far
        self.beta = float(beta)

    def weights(self, s: State) -> Matrix:
        """W̃ʳ at V, once per V."""
        found: Matrix = s.keep(
            ("repulsion", self.far), ("V",), lambda: backend_of(s.V).edge_gaussians(self.far.edges, s.V)
        )
        return found

    def value(self, s: State) -> float:
        """Summed over the edges."""
        value: float = self.beta / 2 * self.weights(s).entry_sum()
        return value

    def gradient(self, s: State, block: str) -> Parts:
        """2 β W̃ʳ V and 2 β D̃ʳ V."""
        if block != "V":
            return None
        W = self.weights(s)
        return 2 * self.beta * backend_of(s.V).times(W, s.V), 2 * self.beta * _degrees(W, s.V) * s.V


class Structure(Term):
    """α Tr(VᵀLˡV) + `Repulsion`: both graphs of SPNMF, whose gradient 2(αLˡ − βL̃ʳ)V can be split in two ways."""

    def __init__(self, near: Graph, alpha: float, repulsion: Repulsion) -> None:
        self.near = near
        self.alpha = float(alpha)
        self.repulsion = repulsion

    def value(self, s: State) -> float:
        """Both parts."""
        return self.alpha * self.near.energy(s.V, s.V) + self.repulsion.value(s)

    def gradient(self, s: State, block: str) -> Parts:
        """2 L⁺V and 2 L⁻V by the sign of each matrix entry (eq 15).

        Where a degree of the near graph meets one of the far graph, only their difference enters.
        """
        if block != "V":
            return None
        backend, xp = backend_of(s.V), namespace(s.V)
        assert isinstance(self.near, AffinityGraph)
        W = sparse.csr_array(self.alpha * self.near.W - self.repulsion.beta * self.repulsion.weights(s).csr)
        diagonal = _degrees(Matrix(W), s.V)
        attract, repel = Matrix(W.maximum(0)), Matrix((-W).maximum(0))
        return (
            2 * (xp.maximum(diagonal, 0) * s.V + backend.times(repel, s.V)),
            2 * (xp.maximum(-diagonal, 0) * s.V + backend.times(attract, s.V)),
        )

    def structural_gradient(self, s: State, block: str) -> Parts:
        """2 (αDˡ + βW̃ʳ) V and 2 (αWˡ + βD̃ʳ) V: what draws together against what pushes apart."""
        far = self.repulsion.gradient(s, block)
        if far is None or self.alpha == 0:
            return far
        near = 2 * self.alpha * self.near.degree(s.V), 2 * self.alpha * self.near.adjacency(s.V)
        return near[0] + far[0], near[1] + far[1]

    def lacks(self, need: str) -> str | None:
        """Entries can only be split where they are listed."""
        if need == "gradient" and not isinstance(self.near, AffinityGraph):
            return f"its near graph is a {type(self.near).__name__}, whose edges are not listed: use KNNGraph"
        return super().lacks(need)


def _degrees(W: Matrix, V: Array) -> Any:
    """Row sums of W, a column of V's kind."""
    ones = namespace(V).ones_like(V[:, :1])
    return backend_of(V).times(W, ones)


def as_listed(name: str, graph: Graph) -> AffinityGraph:
    """The graph, if its edges are listed."""
    if not isinstance(graph, AffinityGraph):
        raise ValueError(
            f"{name} must be a graph whose edges are listed, got {type(graph).__name__}: "
            "use KNNGraph, FarthestGraph or an n x n affinity"
        )
    return graph
