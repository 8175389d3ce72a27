"""Structure preserving NMF (Li, Liu, Lu 2013)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.graphs import AffinityGraph, Graph, GraphBuilder, KNNGraph, as_builder
from manifact.graphs.farthest import FarthestGraph
from manifact.models.base import Problem
from manifact.models.declaration import model
from manifact.models.graph_models import GraphFactorization
from manifact.solvers.engine import Step
from manifact.solvers.multiplicative import multiplicative
from manifact.solvers.simplex import safeguarded
from manifact.terms import ElasticNet, ElementwiseStructure, Orthogonality, Redundancy, Repulsion, Smoothness, Term
from manifact.terms.state import State
from manifact.utils import checks
from manifact.utils.progress import showing

BASIS_PENALTIES = {"redundancy": Redundancy, "orthogonality": Orthogonality}


@model(name="spnmf", paper="Li, Liu, Lu 2013")
class SPNMF(GraphFactorization):
    """Minimise ‖X − V Uᵀ‖² + α Tr(VᵀLˡV) + β/2 Σ Wʳ_ij exp(−‖v_i − v_j‖²) + γ Σ_im (UᵀU)_im (eq 9).

    Over U, V ≥ 0 with Σ_i u_ik = 1: near samples get similar rows of V, far samples different ones, and parts do not
    repeat each other. "mu" is the published rule (eq 15 to 17), which can raise the objective. "bcd", the default,
    never does: it shortens its V step until the objective falls and finds each basis vector exactly.

    The paper's variants are settings: SPNMF_r has ``graph_reg=0, basis_reg=0``, SPNMF_s has ``basis_reg=0``,
    SONMF has ``basis_penalty="orthogonality"``.

    Use it when clusters are neither convex nor well apart, or for low dimensional pictures of the data.

    Parameters
    ----------
    graph_reg : float, default=1
        α.
    repulsion_reg : float, default=0.1
        β.
    basis_reg : float, default=0.01
        γ.
    graph : graph builder, n x n affinity or None, default=None
        The near graph; None means ``KNNGraph(5, weight="heat")``.
    far_graph : graph builder, n x n affinity or None, default=None
        The far graph; None means ``FarthestGraph(5)``.
    basis_penalty : {"redundancy", "orthogonality"}, default="redundancy"
        What γ weighs: all of UᵀU, or its entries off the diagonal.
    {common parameters}

    Attributes
    ----------
    {graph attributes}
    {common attributes}

    References
    ----------
    Z. Li, J. Liu, H. Lu. Structure preserving non-negative matrix factorization for dimensionality reduction.
    Computer Vision and Image Understanding 117(9), 2013.

    Examples
    --------
    >>> from manifact import SPNMF
    >>> from manifact.datasets import two_rings
    >>> data = two_rings(random_state=0)
    >>> model = SPNMF(n_components=1, random_state=0).fit(data.X)
    >>> bool((model.objective_[1:] <= model.objective_[:-1]).all())
    True
    """

    graph_reg: float = 1.0
    repulsion_reg: float = 0.1
    basis_reg: float = 0.01
    far_graph: Any = None
    basis_penalty: str = "redundancy"

    @property
    def _solvers(self) -> tuple[str, ...]:
        return ("bcd", "mu")

    @property
    def _tied(self) -> bool:
        return self.graph_reg > 0 or self.repulsion_reg > 0

    def _check_model(self) -> None:
        super()._check_model()
        checks.real("repulsion_reg", self.repulsion_reg, at_least=0)
        checks.real("basis_reg", self.basis_reg, at_least=0)
        checks.option("basis_penalty", self.basis_penalty, BASIS_PENALTIES)

    def _default_graph(self) -> GraphBuilder:
        return KNNGraph(weight="heat")

    def _build_far_graph(self, X: Any, y: Any) -> AffinityGraph:
        builder = FarthestGraph() if self.far_graph is None else as_builder(self.far_graph, "far_graph")
        with showing(bool(self.verbose)):
            return _as_affinity("far_graph", builder.build(X, y))

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        assert problem.graph is not None
        terms: list[Term] = []
        if self.repulsion_reg == 0:
            terms += [Smoothness(problem.graph, self.graph_reg)] if self.graph_reg > 0 else []
        else:
            repulsion = Repulsion(self._build_far_graph(problem.X, problem.y), self.repulsion_reg)
            if self.solver == "mu":
                near = _as_affinity("graph", problem.graph)
                terms.append(ElementwiseStructure(near, self.graph_reg, repulsion))
            else:
                terms += [repulsion] if self.graph_reg == 0 else [Smoothness(problem.graph, self.graph_reg), repulsion]
        if self.basis_reg > 0:
            terms.append(BASIS_PENALTIES[self.basis_penalty](self.basis_reg))
        return terms

    def _make_step(self, solver: str, terms: list[Term], problem: Problem) -> Step:
        if solver == "mu":
            return _on_simplex(multiplicative(terms))
        coupling = np.zeros((self._k, self._k))
        for term in terms:
            if isinstance(term, Redundancy):
                coupling += term.coupling(self._k)
            elif isinstance(term, ElasticNet) and term.block == "U":
                coupling += term.l2 / 2 * np.eye(self._k)
        return safeguarded(terms, coupling)

    def _prepare(self, solver: str, terms: list[Term], s: State) -> State:
        sums = s.U_sums
        return s.rescaled(np.where(sums > 0, sums, 1))


def _on_simplex(step: Step) -> Step:
    """Divide the columns of U by their sums after each step, V as it is (eq 17)."""

    def normalized(s: State) -> State:
        s = step(s)
        sums = s.U_sums
        return s.replace("U", s.U / np.where(sums > 0, sums, 1).astype(s.U.dtype))

    return normalized


def _as_affinity(name: str, graph: Graph) -> AffinityGraph:
    if not isinstance(graph, AffinityGraph):
        raise ValueError(
            f"{name} must be a graph whose edges are listed, got {type(graph).__name__}: "
            "use KNNGraph, FarthestGraph or an n x n affinity"
        )
    return graph
