"""Structure preserving NMF (Li, Liu, Lu 2013)."""

from __future__ import annotations

from typing import Any, ClassVar

from manifact.graphs import AffinityGraph, FarthestGraph, GraphBuilder, KNNGraph, as_builder
from manifact.models.declaration import model
from manifact.models.graph_models import GraphFactorization, check_range
from manifact.models.memory_needs import data_bytes, graph_bytes
from manifact.models.problem import Problem
from manifact.terms import Orthogonality, Redundancy, Repulsion, SimplexBasis, Structure, Term
from manifact.terms.repulsion import as_listed
from manifact.utils import checks
from manifact.utils.progress import showing

BASIS_PENALTIES = {"redundancy": Redundancy, "orthogonality": Orthogonality}


@model(
    name="spnmf",
    paper="Li, Liu, Lu 2013",
    published={"solver": "mu", "init": "random", "graph_reg": 1.0, "max_iter": 500, "assign": "kmeans"},
)
class SPNMF(GraphFactorization):
    """Minimise ‖X − V Uᵀ‖² + α Tr(VᵀLˡV) + β/2 Σ Wʳ_ij exp(−‖v_i − v_j‖²) + γ Σ_im (UᵀU)_im (eq 9).

    Over U, V ≥ 0 with Σ_i u_ik = 1: near samples get similar rows of V, far samples different ones, and parts do not
    repeat each other. "mu" is the published rule (eq 15 to 17), which can raise the objective. "simplex", the
    default, never does: it shortens its V step until the objective falls and finds each basis vector exactly.

    The paper's variants are settings: SPNMF_r has ``graph_reg=0, basis_reg=0``, SPNMF_s has ``basis_reg=0``,
    SONMF has ``basis_penalty="orthogonality"``.

    Use it when clusters are neither convex nor well apart, or for low dimensional pictures of the data.

    Parameters
    ----------
    graph_reg : float, default={default of graph_reg}
        α. The default goes with the start and the few iterations of the model as it comes; `as_published` has the
        authors' value.
    repulsion_reg : float, default={default of repulsion_reg}
        β.
    basis_reg : float, default={default of basis_reg}
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

    Notes
    -----
    As it comes, the model starts from clusters of the near graph and takes a few steps. α belongs to them: run longer,
    it smooths more. `as_published` is the authors' rule from a random start, with α = 1.

    `transform` ties new samples to their near training samples; far ones do not push them. It finds the best V for
    each, from which the V of `fit` is a few steps away: on digits (unit length, k = 10) `transform` of the training
    samples differs from `fit_transform` by 7%, by 2% after 500 iterations; on two rings (k = 2) by 36%, and by 3%
    after 500.

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

    graph_reg: float = 0.01
    repulsion_reg: float = 0.1
    basis_reg: float = 0.01
    far_graph: Any = None
    basis_penalty: str = "redundancy"

    #: Its steps are shortened, so that it takes more of them.
    _few_iterations: ClassVar[int] = 15

    @property
    def _solvers(self) -> tuple[str, ...]:
        return ("simplex", "mu")

    @property
    def _tied(self) -> bool:
        return self.graph_reg > 0 or self.repulsion_reg > 0

    def _check_model(self) -> None:
        super()._check_model()
        checks.real("repulsion_reg", self.repulsion_reg, at_least=0)
        checks.real("basis_reg", self.basis_reg, at_least=0)
        checks.option("basis_penalty", self.basis_penalty, BASIS_PENALTIES)

    def default_graph(self) -> GraphBuilder:
        return KNNGraph(weight="heat")

    def _build_far_graph(self, X: Any, y: Any) -> AffinityGraph:
        builder = FarthestGraph() if self.far_graph is None else as_builder(self.far_graph, "far_graph")
        with showing(bool(self.verbose)):
            far = as_listed("far_graph", builder.build(X, y))
        check_range("far_graph", far, X)
        return far

    def _fit_bytes(self, X: Any) -> float:
        """The one or the other search, or what comes after them."""
        far = FarthestGraph() if self.far_graph is None else as_builder(self.far_graph, "far_graph")
        searched = data_bytes(X) + graph_bytes(X, self._builder) + far.memory_needed(X)
        return max(super()._fit_bytes(X) + graph_bytes(X, far), searched)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        terms: list[Term] = [SimplexBasis()]
        if self.repulsion_reg > 0:
            assert problem.graph is not None
            far = self._build_far_graph(problem.samples, problem.y)
            terms.append(Structure(problem.graph, self.graph_reg, Repulsion(far, self.repulsion_reg)))
        else:
            terms += super()._model_terms(problem, exact)
        if self.basis_reg > 0:
            terms.append(BASIS_PENALTIES[self.basis_penalty](self.basis_reg))
        return terms
