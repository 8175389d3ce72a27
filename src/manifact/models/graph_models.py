"""What models with a graph of samples share."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from manifact.backends import Array
from manifact.graphs import Graph, GraphBuilder, KNNGraph, as_builder
from manifact.graphs.builder import as_samples
from manifact.models.base import Factorization, Problem
from manifact.models.declaration import model
from manifact.terms import EntropicSmoothness, Smoothness, Term
from manifact.utils import checks
from manifact.utils.progress import showing

#: Parameters that hold graph builders, and what to put there.
BUILDERS = {"graph": "KNNGraph()", "far_graph": "FarthestGraph()"}


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

    def _default_graph(self) -> GraphBuilder:
        """What ``graph=None`` means."""
        return KNNGraph()

    def _build_graph(self, X: Any, y: Any) -> Graph | None:
        return self._built(self._default_graph() if self.graph is None else self.graph, X, y)

    def _built(self, graph: Any, X: Any, y: Any) -> Graph:
        with showing(bool(self.verbose)):
            graph = as_builder(graph).build(X, y)
        if graph.n_samples != X.shape[0]:
            raise ValueError(f"graph has {graph.n_samples} vertices but X has {X.shape[0]} samples: they must agree")
        return graph

    def _store_graph(self, graph: Graph | None, V: Array) -> None:
        assert graph is not None
        self.graph_ = graph
        weight = float(np.einsum("ij,ij->", V, graph.degree(V), dtype=np.float64))
        self.smoothness_ = graph.energy(V, V) / weight if weight > 0 else 0.0

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

    graph_reg: float = 100.0

    _stops_early: ClassVar[bool] = True

    @property
    def _tied(self) -> bool:
        return self.graph_reg > 0

    def _check_model(self) -> None:
        super()._check_model()
        checks.real("graph_reg", self.graph_reg, at_least=0)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        assert problem.graph is not None
        if self.graph_reg == 0:
            return []
        if self._loss == "frobenius":
            return [Smoothness(problem.graph, self.graph_reg)]
        return [EntropicSmoothness(problem.graph, self.graph_reg, exact)]

    def _start(self, problem: Problem) -> tuple[Array, Array]:
        U, V = super()._start(problem)
        if self._loss == "kullback-leibler" and self._tied:
            # A zero in V costs the entropic penalty infinitely much.
            V = np.maximum(V, 1e-10 * float(V.mean()) or 1e-10)
        return U, V

    def _pull(self, X: Any, graph_X: Any) -> tuple[Array, Array]:
        V = (self.representation_ / self._scale).astype(X.dtype)
        pull, degrees = self.graph_.tie(self._as_the_graph_knows(X, graph_X), V)
        return X.dtype.type(self.graph_reg) * pull, X.dtype.type(self.graph_reg) * degrees
