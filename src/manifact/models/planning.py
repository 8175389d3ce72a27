"""From samples and parameters to what the iterations work on, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from manifact.backends import Array, as_data, backend_of, comes_in_blocks, host_dtype, on_host
from manifact.graphs import Graph
from manifact.models.inputs import checked_weight, normalized_cut_weight
from manifact.models.memory_needs import HELD, HELD_BY_DIVERGENCE, iteration_bytes, kmeans_bytes, sketch_bytes
from manifact.models.problem import Plan, Problem
from manifact.models.registry import find
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.solver import Solver
from manifact.terms import ElasticNet, Loss, State, Term
from manifact.utils import checks
from manifact.utils.errors import Sentence
from manifact.utils.memory import require

#: Parameters that do not change the iterates: a run may go on from a checkpoint with other values of them.
FREE = ("max_iter", "verbose", "assign", "normalize", "device")


class Planning:
    """How a factorisation poses its problem and plans to solve it."""

    solver: str
    init: Any
    max_iter: int | None
    tol: float | None
    alpha_V: float
    alpha_U: float | str
    l1_ratio: float
    random_state: Any
    get_params: Any
    components_: Array
    representation_: Array
    _goes_on: bool
    _has_short_run: ClassVar[bool]

    #: Whether an early stop belongs to the published rule, so that "mu" uses no tolerance unless asked.
    _stops_early: ClassVar[bool] = False
    #: Iterations of a published rule where ``max_iter`` is None: with a graph, stopping there is part of the method.
    _published_iterations: ClassVar[int] = 100
    #: Iterations and tolerance of other solvers, where none are given.
    _iterations: ClassVar[int] = 500
    _tolerance: ClassVar[float] = 1e-4
    _state_type: ClassVar[type[State]] = State

    @property
    def _k(self) -> int:
        raise NotImplementedError

    @property
    def _loss(self) -> Loss:
        raise NotImplementedError

    @property
    def _solvers(self) -> tuple[str, ...]:
        """Solvers that can minimise this model, the one that "auto" means first."""
        kind, loss = self._state_type.kind, self._loss
        own = [name for name, solver in SOLVERS.items() if loss.name in solver.losses]
        return tuple(name for name in (*loss.solvers, *own) if kind in SOLVERS[name].kinds)

    @property
    def _solver_name(self) -> str:
        """The solver that is asked for, by the name that it has now; "auto" is the first that can."""
        if self.solver in ("auto", *self._solvers):
            return self._solvers[0] if self.solver == "auto" else self.solver
        return next((name for name in self._solvers if self.solver in SOLVERS[name].formerly), self.solver)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        """The terms beside the loss and the penalties; ``exact`` asks for linear solves to the last digits."""
        return []

    def _build_graph(self, X: Any, y: Any) -> Graph | None:
        return None

    @property
    def _smaller(self) -> Sentence:
        """What makes a fit take less memory."""
        return Sentence("lower {n_components}, or pass fewer samples, or X in float32")

    def _fit_bytes(self, X: Any) -> float:
        """Bytes of memory that a fit takes at the most, beside X."""
        held = HELD_BY_DIVERGENCE if self._loss.needs_positive_V else HELD
        clusters = kmeans_bytes(X) if isinstance(self.init, str) and self.init == "kmeans" else 0.0
        return max(clusters, iteration_bytes(X, self._k, held))

    def _sketch_bytes(self, X: Any, weight: Array | None) -> float:
        """Bytes that a sketch takes before the iterations, where one is made."""
        made = self._has_short_run and weight is None and not self._goes_on
        return sketch_bytes(X, self._k) if made and isinstance(self.init, str) and self.init == "auto" else 0.0

    def _make_data(self, X: Any, weight: Array | None) -> Any:
        return as_data(X, weight)

    def _pose(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        """Build what the iterations work on."""
        weight = self._weight(sample_weight, X)
        what = f"{type(self).__name__} of {X.shape[0]} x {X.shape[1]} samples with k = {self._k}"
        require(self._fit_bytes(X), what, self._smaller)
        require(self._sketch_bytes(X, weight), f"the sketch of X for {what}", Sentence("use {init}='random'"))
        rng = check_random_state(self.random_state)
        data = self._make_data(X, weight)
        # Before a graph is built, which may take long.
        self._loss.check(data)
        return Problem(X, y, weight, data, self._build_graph(X, y), rng, self._k)

    def _weight(self, weight: Any, X: Any) -> Array | None:
        """γ on the host, or None."""
        if weight is None:
            return None
        if isinstance(weight, str):
            checks.option("sample_weight", weight, ("ncw",))
            return normalized_cut_weight(self._similarity_sums(X if comes_in_blocks(X) else on_host(X)))
        return checked_weight(weight, X.shape[0], host_dtype(X))

    def _similarity_sums(self, X: Any) -> Array:
        """X Xᵀ 1."""
        if comes_in_blocks(X):
            data, ones = as_data(X), backend_of(X).like_rows(np.ones((X.shape[0], 1), dtype=X.dtype), X)
            return np.asarray(on_host(data.times(data.times_transposed(ones)))).ravel()
        return np.asarray(X @ np.asarray(X.sum(axis=0)).ravel()).ravel()

    def _plan(self, problem: Problem) -> Plan:
        """Solver, terms, iterations and tolerance, with the defaults filled in."""
        solver = SOLVERS[self._solver_name]
        max_iter = self._untold_iterations(solver) if self.max_iter is None else self.max_iter
        untold = 0.0 if self._stops_early and solver.published else self._tolerance
        tol = untold if self.tol is None else self.tol
        terms: list[Term] = [self._loss]
        terms += [*self._model_terms(problem, exact=self.tol == 0), *self._penalties(problem.X.shape)]
        solver.refuse(terms, self._state_type.kind, problem.data)
        return Plan(solver, terms, max_iter, tol)

    def _untold_iterations(self, solver: Solver) -> int:
        """How long to go on where nobody says."""
        return self._published_iterations if solver.published else self._iterations

    def _penalties(self, shape: tuple[int, int]) -> list[ElasticNet]:
        """scikit-learn's penalties, as strong beside our loss as they are beside its own."""
        n, m = shape
        alpha_U = self.alpha_V if self.alpha_U == "same" else float(self.alpha_U)
        penalties: list[ElasticNet] = []
        for block, alpha, size in (("V", self.alpha_V, m), ("U", alpha_U, n)):
            if alpha > 0:
                strength = self._loss.times_sklearns * alpha * size
                penalties.append(ElasticNet(block, strength * self.l1_ratio, strength * (1 - self.l1_ratio)))
        return penalties

    def _V_penalty(self, shape: tuple[int, int]) -> tuple[float, float]:
        """Strength of L1 and L2 on V."""
        held = [(penalty.l1, penalty.l2) for penalty in self._penalties(shape) if penalty.block == "V"]
        return held[0] if held else (0.0, 0.0)

    def _names(self, plan: Plan) -> list[str]:
        """What the method is called, and was: model and solver."""
        entry = find(type(self).__name__)
        models = (type(self).__name__, *(entry.formerly if entry is not None else ()))
        return [f"{model} {solver}" for model in models for solver in (plan.solver.name, *plan.solver.formerly)]

    def _identity(self, problem: Problem) -> Iterator[tuple[str, Any]]:
        """By name, all that must agree for a run to be the continuation of another."""
        # By the host, so that a run may go on elsewhere.
        yield "X", problem.X if comes_in_blocks(problem.X) else problem.samples
        for name, value in sorted(self.get_params(deep=False).items()):
            if name not in FREE:
                yield name, _plainly(value)
        yield from zip(("number of parts", "weight of the graph"), self._chosen, strict=True)
        yield from (("sample_weight", problem.weight), ("y", problem.y), ("graph of the samples", problem.graph))
        if self._goes_on:
            yield "what the last fit ended with", (self.components_, self.representation_)

    @property
    def _chosen(self) -> tuple[Any, Any]:
        """The number of parts and the weight of a graph, which may have been chosen, and otherwise the next time."""
        return self._k, None


def _plainly(value: Any) -> Any:
    """A parameter; one that is the same number in another type is the same."""
    return value.item() if isinstance(value, np.generic) else value
