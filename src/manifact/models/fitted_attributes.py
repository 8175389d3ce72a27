"""What a fitted factorisation keeps."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from manifact.backends import Array, contiguous, namespace, on_host
from manifact.backends.origins import Origin
from manifact.graphs import Graph
from manifact.models.problem import Plan, Problem
from manifact.solvers.engine import Result
from manifact.terms import Loss, State

#: What is as large as the samples, or stands beside them.
HANDED_OVER = ("components_", "representation_", "concepts_", "embedding_", "_scale", "_basis_gram")


class FittedAttributes:
    """The result of a run as the attributes that users read."""

    normalize: str | None
    _state_type: ClassVar[type[State]]
    _make_data: Any
    _project: Any

    @property
    def _loss(self) -> Loss:
        raise NotImplementedError

    @property
    def _tied(self) -> bool:
        """Whether more than its own loss holds a row of V."""
        return False

    def _store(self, problem: Problem, plan: Plan, result: Result) -> None:
        state = result.state
        self._scale = namespace(state.U).ones_like(state.U[0])
        if self.normalize == "basis":
            state, self._scale = normalized(state)
        self._store_basis(problem, state)
        self._n_features_out = problem.k
        self.objective_ = result.objective
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self.solver_ = plan.solver.name
        self.device_ = str(getattr(problem.X, "device", "cpu"))
        if (unheld := self._unheld(problem)).any():
            projected = on_host(self._project_training(problem))
            state = state.replace("V", problem.factor(np.where(unheld[:, None], projected, on_host(state.V))))
        self.representation_ = state.V
        self._store_graph(problem.graph, state.V)
        unweighted = problem.data if problem.weight is None else self._make_data(problem.X, None)
        self.reconstruction_err_ = self._loss.error(self._loss.value(self._state_type(unweighted, state.U, state.V)))

    def _hand_over(self, origin: Origin) -> None:
        """Make the arrays that users read of the kind, and put them in the place, that the samples came from."""
        for name in HANDED_OVER:
            if name in vars(self):
                setattr(self, name, origin.back(getattr(self, name)))

    def _unheld(self, problem: Problem) -> Array:
        """Samples that nothing in the objective holds: they get what transform would give them."""
        weight, graph = problem.weight, problem.graph
        if weight is None or (self._tied and graph is None):
            return np.zeros(problem.X.shape[0], dtype=bool)
        unheld: Array = weight == 0
        return unheld & (graph.degrees == 0) if self._tied and graph is not None else unheld

    def _project_training(self, problem: Problem) -> Array:
        return self._project(problem.X, tie=False)

    def _store_basis(self, problem: Problem, state: State) -> None:
        """Keep the basis."""
        self.components_ = contiguous(state.U.T)

    def _store_graph(self, graph: Graph | None, V: Array) -> None:
        """Keep what a graph model keeps of its graph."""


def unit_basis(s: State) -> tuple[Array, Array, Array]:
    """U (or C) and V with basis vectors of unit length, their scale in V (GNMF paper, eq 16), and the lengths."""
    xp = namespace(s.U)
    norms = xp.astype(xp.sqrt(xp.maximum(s.U_squares, 0)), s.U.dtype)
    norms = xp.where(norms > 0, norms, 1.0)
    return s.U / norms, s.V * norms, norms


def normalized(s: State) -> tuple[State, Array]:
    """The state with a unit basis, heaviest part first, and the lengths that its vectors had."""
    U, V, norms = unit_basis(s)
    order = np.argsort(-on_host(s.data.sums(V)), kind="stable")
    return type(s)(s.data, contiguous(U[:, order]), contiguous(V[:, order])), norms[order]
