"""What models with a graph of samples share."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from manifact.backends import Array, backend_of, host_dtype, on_host
from manifact.graphs import AutoGraph, Graph, GraphBuilder, KNNGraph, LandmarkGraph, as_builder
from manifact.graphs.builder import as_samples
from manifact.models.base import Factorization
from manifact.models.cluster_starts import SOFTENED, averaged, graph_clusters, indicator
from manifact.models.declaration import model
from manifact.models.memory_needs import CLUSTERS, graph_bytes, row_bytes
from manifact.models.problem import Problem
from manifact.models.projection import beside_samples
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.solver import Solver
from manifact.terms import Term
from manifact.terms.losses import positive_floor
from manifact.utils import checks
from manifact.utils.errors import BadValueError, Parameter, Sentence
from manifact.utils.progress import showing

#: Parameters that hold graph builders, and what to put there.
BUILDERS = {"graph": "KNNGraph()", "far_graph": "FarthestGraph()"}


#: Degrees above this leave no room for products in float32.
LARGEST_DEGREE = 1e30


def check_range(name: str, graph: Graph, X: Any) -> None:
    """Refuse weights that the type of X cannot hold."""
    largest = float(graph.degrees.max(initial=0.0))
    if host_dtype(X) == np.float32 and largest > LARGEST_DEGREE:
        raise BadValueError(
            "{} has weights that add up to {:g} at a sample, which float32 cannot hold: divide them, or use float64",
            Parameter(name),
            largest,
        )


@model
class WithGraph(Factorization):
    """A factorisation that knows which samples are neighbours."""

    graph: Any = None

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of a graph (``graph__n_neighbors``) need one to be there."""
        for name in params:
            owner, nested, _ = name.partition("__")
            if nested and owner in BUILDERS and getattr(self, owner, self) is params.get(owner) is None:
                raise ValueError(f"{name} needs a graph to set it on: construct with {owner}={BUILDERS[owner]}")
        return super().set_params(**params)

    def default_graph(self) -> GraphBuilder:
        """What ``graph=None`` means."""
        return KNNGraph()

    @property
    def _searched_in_X(self) -> bool:
        return self.graph is None or isinstance(self.graph, str | AutoGraph | KNNGraph | LandmarkGraph)

    def _build_graph(self, X: Any, y: Any) -> Graph | None:
        return self._built(self.default_graph() if self.graph is None else self.graph, X, y)

    @property
    def _builder(self) -> GraphBuilder:
        return self.default_graph() if self.graph is None else as_builder(self.graph)

    def _fit_bytes(self, X: Any) -> float:
        """The search for neighbours, or what comes after it."""
        builder = self._builder
        after = super()._fit_bytes(X) + row_bytes(X, self._k, CLUSTERS) + graph_bytes(X, builder)
        return max(builder.memory_needed(X), after)

    def _built(self, graph: Any, X: Any, y: Any) -> Graph:
        with showing(bool(self.verbose)):
            graph = as_builder(graph).for_components(self._k).build(X, y)
        check_range("graph", graph, X)
        if graph.n_samples != X.shape[0]:
            raise ValueError(f"graph has {graph.n_samples} vertices but X has {X.shape[0]} samples: they must agree")
        return graph

    def _store_graph(self, graph: Graph | None, V: Array) -> None:
        assert graph is not None
        weight = float(backend_of(V).inner(V, graph.degree(V)))
        self.smoothness_ = float(graph.energy(V, V)) / weight if weight > 0 else 0.0
        self.graph_ = graph.in_memory()

    def _as_the_graph_knows(self, X: Any, graph_X: Any) -> Any:
        """New samples in the features that the graph was built on."""
        if graph_X is None:
            return X
        known = as_samples(graph_X)
        if known.shape[0] != X.shape[0]:
            raise ValueError(f"graph_X has {known.shape[0]} rows but X has {X.shape[0]} samples: give one for each")
        return known


@model
class GraphFactorization(WithGraph):
    """A factorisation whose V is smooth on a graph."""

    graph_reg: float = 2.0
    assign: str = "argmax"

    _stops_early: ClassVar[bool] = True
    #: As the authors': of concepts, too, whose rule goes on longer without a graph.
    _published_iterations: ClassVar[int] = 100
    #: Iterations from the start of its own, which is near the answer: the published rule leads on towards plain NMF.
    _few_iterations: ClassVar[int] = 5
    _start_meant_by_auto: ClassVar[str] = (
        "is the graph's clusters (or those of a plain NMF, where the graph's are a crowd and some crumbs), with parts "
        'that leave out what all samples share; "random", where ``solver`` is another than "auto" takes'
    )

    @classmethod
    def as_published(cls, n_components: int = 10, **parameters: Any) -> Self:
        """The model with its paper's own rule, start, graph and settings; others may be given.

        Parts are what the authors' programs gave: expect what the paper prints, and what its Notes say of it. In the
        authors' graphs a copy of a sample is a neighbour like any other.
        """
        graph = cls().default_graph()
        if isinstance(graph, KNNGraph):
            parameters = {"graph": graph.set_params(copies="each")} | parameters
        return super().as_published(n_components, **parameters)

    @property
    def _solvers(self) -> tuple[str, ...]:
        """The published rule first: its early stop keeps V from being smoothed away. Without a graph, the exact one."""
        found = super()._solvers
        return tuple(sorted(found, key=lambda name: name != "mu")) if self._tied else found

    @property
    def _tied(self) -> bool:
        return self.graph_reg > 0

    def _check_model(self) -> None:
        super()._check_model()
        checks.real("graph_reg", self.graph_reg, at_least=0)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        assert problem.graph is not None
        return [self._loss.smoothness(problem.graph, self.graph_reg, exact)] if self.graph_reg > 0 else []

    @property
    def _begins_near(self) -> bool:
        """Whether "auto" means clusters.

        Not for a solver that goes to a minimum, which it need not have near, and where zeros of the start may stay.
        """
        return self._tied and self._solver_name == self._solvers[0]

    @property
    def _starts_from_clusters(self) -> bool:
        return self._begins_near

    def _untold_iterations(self, solver: Solver) -> int:
        near = self.init == "auto" and self._begins_near
        return self._few_iterations if near else super()._untold_iterations(solver)

    def _memberships(self, problem: Problem) -> Array | None:
        """Those of the graph's clusters, averaged a little over it."""
        if not self._begins_near:
            return super()._memberships(problem)
        assert problem.graph is not None
        labels, _ = graph_clusters(problem.X, problem.k, problem.rng, problem.graph)
        return averaged(indicator(labels, problem.k), problem.graph, SOFTENED)

    def _start(self, problem: Problem) -> tuple[Array, Array]:
        U, V = super()._start(problem)
        # A zero in V can cost the penalty infinitely much.
        return U, positive_floor(V) if self._loss.needs_positive_V and self._tied else V

    def _against_collapse(self) -> Sentence | None:
        if self.graph_reg == 0:
            return None
        return Sentence("{graph_reg}={:g} is too strong for these data, try a hundredth of it", self.graph_reg)

    def _pull(self, X: Any, graph_X: Any) -> tuple[Array, Array]:
        V = on_host(self.representation_) / on_host(self._scale)
        pull, degrees = self.graph_.tie(self._as_the_graph_knows(X, graph_X), V)
        # A published rule rests where each edge counts once, whatever the objective counts.
        solver = SOLVERS.get(self.solver_)
        published = solver is not None and solver.published
        lam = self.graph_reg * (1.0 if published else getattr(self._loss.smoothness, "pulls", 1.0))
        return lam * beside_samples(pull, X), lam * beside_samples(degrees, X)
