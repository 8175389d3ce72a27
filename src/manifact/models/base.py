"""What all factorisations share: check, build, run, store. The mathematics is in terms, graphs and solvers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils import check_random_state

import manifact
from manifact.backends import Array, as_data, contiguous, host_dtype, namespace, on_host
from manifact.graphs import Graph
from manifact.models.callbacks import CallbackSupport, as_callbacks, fit_tasks, with_callbacks
from manifact.models.clustering import Clustering
from manifact.models.fitting import as_if_at, run_plan
from manifact.models.inputs import (
    check_fit_options,
    checked_factor,
    checked_samples,
    checked_weight,
    normalized_cut_weight,
)
from manifact.models.parameters import check_parameters
from manifact.models.problem import Plan, Problem
from manifact.models.projection import Projection
from manifact.models.starts import start
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.checkpoint import Checkpoint
from manifact.solvers.engine import Callback, Result
from manifact.terms import LOSSES, ElasticNet, Loss, State, Term
from manifact.utils import checks
from manifact.utils.errors import Sentence
from manifact.utils.memory import require

#: Iterations where ``max_iter`` is None: the papers stop `mu` at 100, and for graph models that is part of the method.
MU_ITERATIONS = 100
#: Parameters that do not change the iterates: a run may go on from a checkpoint with other values of them.
FREE = ("max_iter", "verbose", "assign", "normalize", "device")


@dataclass(eq=False, repr=False)
class Factorization(Projection, Clustering, CallbackSupport, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """X ~ V Uᵀ. Subclasses are dataclasses: their fields are the constructor's parameters."""

    n_components: int = 10
    _: KW_ONLY
    solver: str = "auto"
    init: Any = "random"
    max_iter: int | None = None
    tol: float | None = None
    normalize: str | None = "basis"
    assign: str | None = None
    n_init: int = 1
    init_iter: int = 30
    warm_start: bool = False
    alpha_V: float = 0.0
    alpha_U: float | str = "same"
    l1_ratio: float = 0.0
    random_state: Any = None
    verbose: bool = False
    device: str = "cpu"

    #: Whether an early stop belongs to the published rule, so that "mu" uses no tolerance unless asked.
    _stops_early: ClassVar[bool] = False
    #: Iterations and tolerance of other solvers, where none are given.
    _iterations: ClassVar[int] = 500
    _tolerance: ClassVar[float] = 1e-4
    _state_type: ClassVar[type[State]] = State
    #: Whether X must be non-negative.
    _non_negative: ClassVar[bool] = True

    # ---- what a model says about itself ------------------------------------------------------------------------

    @property
    def _loss(self) -> Loss:
        """How the distance from X is measured."""
        name = getattr(self, "loss", "frobenius")
        checks.option("loss", name, LOSSES)
        return LOSSES[name]()

    @property
    def _k(self) -> int:
        """The number of parts."""
        return self.n_components

    @property
    def _solvers(self) -> tuple[str, ...]:
        """Solvers that can minimise this model, the one that "auto" means first."""
        kind, loss = self._state_type.kind, self._loss
        own = [name for name, solver in SOLVERS.items() if loss.name in solver.losses]
        return tuple(name for name in (*loss.solvers, *own) if kind in SOLVERS[name].kinds)

    @property
    def _tied(self) -> bool:
        """Whether more than its own loss holds a row of V."""
        return False

    def _check_size(self) -> None:
        checks.integer("n_components", self.n_components, at_least=1)

    def _check_model(self) -> None:
        """Check the parameters that this model adds."""

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        """The terms beside the loss and the penalties; ``exact`` asks for linear solves to the last digits."""
        return []

    def _build_graph(self, X: Any, y: Any) -> Graph | None:
        return None

    def _make_data(self, X: Any, weight: Array | None) -> Any:
        return as_data(X, weight)

    # ---- fitting -----------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        every: int | None = None,
        callbacks: Callback | Iterable[Callback] | None = None,
    ) -> Self:
        """Factorise X.

        Parameters
        ----------
        X : array or sparse matrix, n_samples x n_features, non-negative
        y : array of n_samples, optional
            Read by graphs made of labels; otherwise ignored.
        sample_weight : array of n_samples or "ncw", optional
            Weight of each sample's loss; "ncw" is the normalised-cut weighting 1 / (X Xᵀ 1).
        checkpoint : path, optional
            File that holds the iterates; a run that finds it continues from there and gives the same numbers.
        every : int, optional
            Iterations between two checkpoints (default 10).
        callbacks : callable or several, optional
            Called with an `Iteration` (``number``, ``objective`` so far, ``state.U``, ``state.V``, of AffinityNMF also
            ``state.A``) before the first and after every iteration; returning something true ends the run there.
            With several starts (``n_init``) only the one that goes on is reported, from the end of its trial run.
            scikit-learn's own callbacks are passed to ``set_callbacks``, if its version has them.
        """
        self._fit(X, y, sample_weight, checkpoint, every, callbacks)
        return self

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        every: int | None = None,
        callbacks: Callback | Iterable[Callback] | None = None,
    ) -> Any:
        """Factorise X and return V."""
        self._fit(X, y, sample_weight, checkpoint, every, callbacks)
        return self.representation_ + 0.0

    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any, checkpoint: Any, every: int | None, callbacks: Any) -> None:
        check_parameters(self)
        check_fit_options(checkpoint, every)
        told = as_callbacks(callbacks)
        problem = self._pose(checked_samples(self, X, reset=True, non_negative=self._non_negative), y, sample_weight)
        plan = self._plan(problem)
        saved = None if checkpoint is None else Checkpoint(checkpoint, self._identity(problem, plan), every or 10)
        tasks = fit_tasks(self, X, y, plan.max_iter, lambda iteration: as_if_at(self, iteration, problem, plan))
        result = run_plan(self, problem, plan, saved, told if tasks is None else [*told, tasks])
        self._store(problem, plan, result)
        if tasks is not None:
            tasks.close()
        if result.reason == "interrupted":
            raise KeyboardInterrupt(f"interrupted after iteration {result.n_iter}: the model holds the last iterate")
        self._make_clusters(self.representation_, problem.rng)

    def _pose(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        """Build what the iterations work on."""
        weight = self._weight(sample_weight, X)
        entries = 4 * len(self._state_type.blocks) * sum(X.shape) * self._k
        require(entries * host_dtype(X).itemsize, "the factors", Sentence("lower {n_components}"))
        rng = check_random_state(self.random_state)
        data = self._make_data(X, weight)
        # Before a graph is built, which may take long.
        self._loss.check(data)
        return Problem(X, y, weight, data, self._build_graph(on_host(X), y), rng, self._k)

    def _weight(self, weight: Any, X: Any) -> Array | None:
        """γ on the host, or None."""
        if weight is None:
            return None
        if isinstance(weight, str):
            checks.option("sample_weight", weight, ("ncw",))
            return normalized_cut_weight(self._similarity_sums(on_host(X)))
        return checked_weight(weight, X.shape[0], host_dtype(X))

    def _similarity_sums(self, X: Any) -> Array:
        """X Xᵀ 1."""
        return np.asarray(X @ np.asarray(X.sum(axis=0)).ravel()).ravel()

    def _plan(self, problem: Problem) -> Plan:
        """Solver, terms, iterations and tolerance, with the defaults filled in."""
        solver = SOLVERS[self._solvers[0] if self.solver == "auto" else self.solver]
        published = solver.name == "mu"
        max_iter = (MU_ITERATIONS if published else self._iterations) if self.max_iter is None else self.max_iter
        untold = 0.0 if self._stops_early and published else self._tolerance
        tol = untold if self.tol is None else self.tol
        terms: list[Term] = [self._loss]
        terms += [*self._model_terms(problem, exact=self.tol == 0), *self._penalties(problem.X.shape)]
        solver.refuse(terms, self._state_type.kind, problem.data)
        return Plan(solver, terms, max_iter, tol)

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

    def _identity(self, problem: Problem, plan: Plan) -> Iterator[Any]:
        """All that must agree for a run to be the continuation of another."""
        yield f"{type(self).__name__} {plan.solver.name}"
        for name, value in sorted(self.get_params().items()):
            if name not in FREE:
                yield from (name, value)
        data = problem.data
        ones = problem.factor(np.ones((data.shape[1], 1)))
        # The number of parts again: it may have been chosen, and otherwise the next time.
        yield from (problem.k, data.times(ones), data.square_sum, problem.weight, problem.y, problem.graph)

    # ---- the start ---------------------------------------------------------------------------------------------

    def _begin(self, problem: Problem) -> State:
        """The state to start from."""
        U, V = self._start(problem)
        return self._state_type(problem.data, problem.factor(U), problem.factor(V))

    @property
    def _goes_on(self) -> bool:
        return self.warm_start and hasattr(self, "n_iter_")

    def _start(self, problem: Problem) -> tuple[Array, Array]:
        """U and V to start from, on the host."""
        if self._goes_on:
            return self._warm(problem)
        if isinstance(self.init, str):
            return self._named_start(problem)
        return self._given_start(problem)

    def _named_start(self, problem: Problem) -> tuple[Array, Array]:
        return start(self.init, problem.samples, problem.k, problem.rng, problem.graph)

    def _given_start(self, problem: Problem) -> tuple[Array, Array]:
        (n, m), k, dtype = problem.samples.shape, problem.k, problem.samples.dtype
        V = checked_factor("(V0, components0): V0", self.init[0], (n, k), dtype)
        U = checked_factor("(V0, components0): components0", self.init[1], (k, m), dtype)
        return np.ascontiguousarray(U.T), V

    def _warm(self, problem: Problem) -> tuple[Array, Array]:
        n, m = problem.X.shape
        if tuple(self.components_.shape) != (problem.k, m):
            raise ValueError(
                f"warm_start=True needs the shape of the last fit, {self.components_.shape[0]} components of "
                f"{self.components_.shape[1]} features, got {problem.k} and {m}: set warm_start=False"
            )
        # In the scale that the factors had while fitting: the next fit goes on where the last one stopped.
        V = self.representation_ if self.representation_.shape[0] == n else self._project(problem.X, tie=False)
        scale = on_host(self._scale)
        return np.ascontiguousarray(on_host(self.components_).T * scale), on_host(V) / scale

    # ---- what is kept ------------------------------------------------------------------------------------------

    def _store(self, problem: Problem, plan: Plan, result: Result) -> None:
        self._forget_clusters()
        state = self._of_samples(problem, plan, result.state)
        self._scale = namespace(state.U).ones_like(state.U[0])
        if self.normalize == "basis":
            state, self._scale = normalized(state)
        self._store_basis(problem, state)
        self._n_features_out = problem.k
        self.objective_ = result.objective
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self.solver_ = plan.solver.name
        if (unheld := self._unheld(problem)).any():
            projected = on_host(self._project_training(problem))
            state = state.replace("V", problem.factor(np.where(unheld[:, None], projected, on_host(state.V))))
        self.representation_ = state.V
        self._store_graph(problem.graph, state.V)
        unweighted = problem.data if problem.weight is None else self._make_data(problem.X, None)
        self.reconstruction_err_ = self._loss.error(self._loss.value(self._state_type(unweighted, state.U, state.V)))

    def _unheld(self, problem: Problem) -> Array:
        """Samples that nothing in the objective holds: they get what transform would give them."""
        weight, graph = problem.weight, problem.graph
        if weight is None or (self._tied and graph is None):
            return np.zeros(problem.X.shape[0], dtype=bool)
        unheld: Array = weight == 0
        return unheld & (graph.degrees == 0) if self._tied and graph is not None else unheld

    def _project_training(self, problem: Problem) -> Array:
        return self._project(problem.X, tie=False)

    def _of_samples(self, problem: Problem, plan: Plan, state: State) -> State:
        """The state with a row of V for each sample."""
        return state

    def _store_basis(self, problem: Problem, state: State) -> None:
        """Keep the basis."""
        self.components_ = contiguous(state.U.T)

    def _store_graph(self, graph: Graph | None, V: Array) -> None:
        """Keep what a graph model keeps of its graph."""

    def _checked(self, X: Any) -> Any:
        """New samples, validated."""
        return checked_samples(self, X, reset=False, non_negative=self._non_negative)

    # ---- files and pages: the package's front door has them ----------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one safetensors file, which `manifact.load` reads; an old file is replaced whole.

        It holds what the model holds: factors, parameters, the graph, and the training samples where neighbours of new
        samples are looked for among them.
        """
        manifact.save(self, path)

    def report(self, X: Any = None, path: str | PathLike[str] | None = None, **options: Any) -> Path:
        """Write one HTML page to explore the parts and the training samples X in; see `manifact.report.report`."""
        return manifact.report.report(self, X, path, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self._non_negative
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def unit_basis(s: State) -> tuple[Array, Array, Array]:
    """U (or C) and V with basis vectors of unit length, their scale in V (GNMF paper, eq 16), and the lengths."""
    xp = namespace(s.U)
    norms = xp.sqrt(xp.maximum(xp.linalg.diagonal(s.UtU), 0))
    norms = xp.where(norms > 0, norms, 1.0)
    return s.U / norms, s.V * norms, norms


def normalized(s: State) -> tuple[State, Array]:
    """The state with a unit basis, heaviest part first, and the lengths that its vectors had."""
    U, V, norms = unit_basis(s)
    order = np.argsort(-on_host(s.data.sums(V)), kind="stable")
    return type(s)(s.data, contiguous(U[:, order]), contiguous(V[:, order])), norms[order]
