"""What all factorisations share: check, build, run, store. The mathematics is in terms, graphs and solvers."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import KW_ONLY, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from manifact.backends import Array, as_data
from manifact.graphs import Graph
from manifact.models.callbacks import CallbackSupport, as_callbacks, fit_tasks, with_callbacks
from manifact.models.clustering import means_of_parts, nearest
from manifact.models.starts import STARTS, start
from manifact.solvers.checkpoint import Checkpoint
from manifact.solvers.engine import Callback, Iteration, Result, Step, run
from manifact.solvers.registry import SOLVERS
from manifact.terms import ElasticNet, Frobenius, KullbackLeibler, Term, total
from manifact.terms.state import State
from manifact.utils import checks
from manifact.utils.errors import BadValueError, Sentence
from manifact.utils.memory import require
from manifact.utils.progress import progress

LOSSES: dict[str, Any] = {"frobenius": Frobenius, "kullback-leibler": KullbackLeibler}
#: Who minimises a loss, alone or with a graph; the first is the one that "auto" means.
LOSS_SOLVERS = {"frobenius": ("bcd", "mu"), "kullback-leibler": ("newton", "mu")}
#: Iterations where ``max_iter`` is None: the papers stop `mu` at 100, and for graph models that is part of the method.
MU_ITERATIONS = 100
ITERATIONS = 500
#: Every solver there is; each model says which of them it can use.
SOLVER_NAMES = ("auto", "mu", "bcd", "newton")
DEFAULT_TOL = 1e-4
#: How clusters are made of V.
ASSIGNMENTS = (None, "kmeans", "argmax", "nearest")
#: What is kept for the clusters of new samples.
ASSIGNERS = {"kmeans": "assigner_", "nearest": "_part_means"}
#: Largest entries between which products of two factors are safe in float32.
SINGLE_RANGE = (1e-12, 1e12)


def _assigns(model: Any) -> bool:
    if model.assign is None:
        raise AttributeError(f"{type(model).__name__} has labels only with assign='kmeans', 'argmax' or 'nearest'")
    return True


@dataclass(frozen=True)
class Problem:
    """What a model is fitted to."""

    X: Any
    y: Any
    data: Any
    graph: Graph | None
    rng: np.random.RandomState


@dataclass(frozen=True)
class Plan:
    """How it is fitted."""

    solver: str
    terms: list[Term]
    step: Step
    max_iter: int
    tol: float


@dataclass(eq=False, repr=False)
class Factorization(CallbackSupport, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
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
    #: Iterations and tolerance of exact solvers, where none are given.
    _iterations: ClassVar[int] = ITERATIONS
    _tolerance: ClassVar[float] = DEFAULT_TOL
    _state_type: ClassVar[type[State]] = State
    #: Whether X must be.
    _non_negative: ClassVar[bool] = True

    # ---- what a model says about itself ------------------------------------------------------------------------

    @property
    def _loss(self) -> str:
        return getattr(self, "loss", "frobenius")

    @property
    def _k(self) -> int:
        """The number of parts."""
        return self.n_components

    @property
    def _with_loss(self) -> str | Sentence:
        return Sentence(" with {loss}={!r}", self.loss) if hasattr(self, "loss") else ""

    @property
    def _solvers(self) -> tuple[str, ...]:
        """Solvers that can minimise this model, the one that "auto" means first."""
        return ("mu",)

    @property
    def _tied(self) -> bool:
        """Whether more than its own loss holds a row of V."""
        return False

    def _check_model(self) -> None:
        """Check the parameters that this model adds."""

    def _build_graph(self, X: Any, y: Any) -> Graph | None:
        return None

    def _make_data(self, X: Any, weight: Array | None) -> Any:
        return as_data(X, weight)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        """The terms beside the loss and the penalties; ``exact`` asks for linear solves to the last digits."""
        return []

    def _make_step(self, solver: str, terms: list[Term], problem: Problem) -> Step:
        return SOLVERS[solver].step(terms)

    def _prepare(self, solver: str, terms: list[Term], s: State) -> State:
        """The state that the solver may start from."""
        return SOLVERS[solver].prepare(terms, s)

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
            ``state.A``) before the first and after every iteration; a true answer ends the run there. Of several starts
            (``n_init``) the one that goes on is seen, from where its trial ended. scikit-learn's own callbacks go to
            ``set_callbacks``, where its version has them.
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
        return self._fit(X, y, sample_weight, checkpoint, every, callbacks)

    @available_if(_assigns)
    def fit_predict(
        self, X: Any, y: Any = None, sample_weight: Any = None, callbacks: Callback | Iterable[Callback] | None = None
    ) -> Array:
        """Factorise X and return the cluster of each sample."""
        self._fit(X, y, sample_weight, callbacks=callbacks)
        return self.labels_

    @with_callbacks
    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        checkpoint: Any = None,
        every: int | None = None,
        callbacks: Callback | Iterable[Callback] | None = None,
    ) -> Array:
        self._check_parameters()
        if every is not None:
            checks.integer("every", every, at_least=1)
            if checkpoint is None:
                raise ValueError(f"every={every} says how often to write a checkpoint: name its file with checkpoint=")
        told = as_callbacks(callbacks)
        X = self._check_data(X, reset=True)
        weight = self._check_weight(sample_weight, X)
        factors = 4 * len(self._state_type.blocks)
        require(factors * sum(X.shape) * self._k * X.dtype.itemsize, "the factors", Sentence("lower {n_components}"))
        rng = check_random_state(self.random_state)
        problem = Problem(X, y, self._make_data(X, weight), self._build_graph(X, y), rng)
        plan = self._plan(problem)
        saved = None if checkpoint is None else Checkpoint(checkpoint, self, problem, plan.solver, every or 10)
        tasks = fit_tasks(self, X, y, plan.max_iter, lambda iteration: self._as_if_at(iteration, problem, plan))
        result = self._run(problem, plan, saved, told if tasks is None else [*told, tasks])
        self._store(problem, plan, result)
        if tasks is not None:
            tasks.close()
        if result.reason == "interrupted":
            raise KeyboardInterrupt(f"interrupted after iteration {result.n_iter}: the model holds the last iterate")
        return self.representation_.copy()

    def _as_if_at(self, iteration: Iteration, problem: Problem, plan: Plan) -> dict[str, Any]:
        """What this model would hold, had the run ended there (but clusters, which take k-means)."""
        twin = copy(self)
        twin._store(problem, plan, Result(iteration.state, np.array(iteration.objective), "interrupted"))
        return dict(vars(twin))

    def _plan(self, problem: Problem) -> Plan:
        """Solver, terms, iterations and tolerance, with the defaults filled in."""
        solver = self._solvers[0] if self.solver == "auto" else self.solver
        max_iter = (MU_ITERATIONS if solver == "mu" else self._iterations) if self.max_iter is None else self.max_iter
        untold = 0.0 if self._stops_early and solver == "mu" else self._tolerance
        tol = untold if self.tol is None else self.tol
        terms: list[Term] = [LOSSES[self._loss]()]
        terms += [*self._model_terms(problem, exact=self.tol == 0), *self._penalties(problem.X.shape)]
        return Plan(solver, terms, self._make_step(solver, terms, problem), max_iter, tol)

    def _penalties(self, shape: tuple[int, int]) -> list[ElasticNet]:
        """scikit-learn's penalties: its objective halves the squared error, ours (the papers') does not."""
        n, m = shape
        whole = 2.0 if self._loss == "frobenius" else 1.0
        alpha_U = self.alpha_V if self.alpha_U == "same" else float(self.alpha_U)
        penalties: list[ElasticNet] = []
        for block, alpha, size in (("V", self.alpha_V, m), ("U", alpha_U, n)):
            if alpha > 0:
                strength = whole * alpha * size
                penalties.append(ElasticNet(block, strength * self.l1_ratio, strength * (1 - self.l1_ratio)))
        return penalties

    def _run(self, problem: Problem, plan: Plan, saved: Checkpoint | None, told: list[Callback]) -> Result:
        with progress(type(self).__name__, plan.max_iter, enabled=bool(self.verbose)) as bar:
            callbacks: list[Callback] = [bar, *told] if saved is None else [bar, saved, *told]
            if saved is not None and saved.exists():
                state, history = saved.read(self._state_type, problem.data)
            else:
                first = self._first(problem, plan)
                if first.reason == "interrupted":
                    return first
                state, history = first.state, first.objective
            result = run(
                state, plan.terms, plan.step, max_iter=plan.max_iter, tol=plan.tol, callbacks=callbacks, history=history
            )
        if saved is not None:
            saved.write(result.state, result.objective)
        return result

    def _first(self, problem: Problem, plan: Plan) -> Result:
        """The start, or of ``n_init`` starts the one with the lowest objective after ``init_iter`` iterations."""
        drawn = isinstance(self.init, str) and not self._goes_on
        starts = self.n_init if drawn else 1
        iterations = 0 if starts == 1 else min(self.init_iter, plan.max_iter)
        best: Result | None = None
        for _ in range(starts):
            start = self._prepare(plan.solver, plan.terms, self._begin(problem))
            result = run(start, plan.terms, plan.step, max_iter=iterations, tol=0)
            if best is None or result.objective[-1] < best.objective[-1]:
                best = result
            if result.reason == "interrupted":
                return replace(best, reason="interrupted")
        assert best is not None
        return best

    def _begin(self, problem: Problem) -> State:
        """The state to start from."""
        return self._state_type(problem.data, *self._start(problem))

    @property
    def _goes_on(self) -> bool:
        return self.warm_start and hasattr(self, "n_iter_")

    def _start(self, problem: Problem) -> tuple[Array, Array]:
        """U and V to start from."""
        if self._goes_on:
            return self._warm(problem.X)
        if isinstance(self.init, str):
            return self._named_start(problem)
        return self._given_start(problem)

    def _named_start(self, problem: Problem) -> tuple[Array, Array]:
        return start(self.init, problem.X, self._k, problem.rng, problem.graph)

    def _given_start(self, problem: Problem) -> tuple[Array, Array]:
        (n, m), k, dtype = problem.X.shape, self._k, problem.data.dtype
        V = check_factor("(V0, components0): V0", self.init[0], (n, k), dtype)
        U = check_factor("(V0, components0): components0", self.init[1], (k, m), dtype)
        return np.ascontiguousarray(U.T), V

    def _warm(self, X: Any) -> tuple[Array, Array]:
        if self.components_.shape != (self._k, X.shape[1]):
            raise ValueError(
                f"warm_start=True needs the shape of the last fit, {self.components_.shape[0]} components of "
                f"{self.components_.shape[1]} features, got {self._k} and {X.shape[1]}: set warm_start=False"
            )
        # In the scale that the factors had while fitting: the next fit goes on where the last one stopped.
        same = self.representation_.shape[0] == X.shape[0]
        V = self.representation_ if same else self._project(X, tie=False)
        U = np.ascontiguousarray(self.components_.T * self._scale, dtype=X.dtype)
        return U, (V / self._scale).astype(X.dtype)

    def _store(self, problem: Problem, plan: Plan, result: Result) -> None:
        state = self._of_samples(problem, plan, result.state)
        self._scale = np.ones(self._k, dtype=state.U.dtype)
        if self.normalize == "basis":
            state, self._scale = normalized(state)
        self._store_basis(problem, state)
        self._n_features_out = self._k
        self.objective_ = result.objective
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self.solver_ = plan.solver
        weight = problem.data.weight
        if (unheld := self._unheld(problem)).any():
            fitted = np.where(unheld[:, None], self._project_training(problem), state.V)
            state = state.replace("V", fitted)
        self.representation_ = state.V
        self._store_graph(problem.graph, state.V)
        unweighted = problem.data if weight is None else self._make_data(problem.X, None)
        # As scikit-learn: ‖X − V Uᵀ‖, or sqrt(2 KL).
        whole = 1.0 if self._loss == "frobenius" else 2.0
        loss = LOSSES[self._loss]().value(self._state_type(unweighted, state.U, state.V))
        self.reconstruction_err_ = float(np.sqrt(max(0.0, whole * loss)))
        self._assign(self._clustered(state.V), problem.rng, hurry=result.reason == "interrupted")

    def _unheld(self, problem: Problem) -> Array:
        """Samples that nothing in the objective holds: they get what transform would give them."""
        weight, graph = problem.data.weight, problem.graph
        if weight is None or (self._tied and graph is None):
            return np.zeros(problem.X.shape[0], dtype=bool)
        unheld: Array = weight == 0
        if self._tied and graph is not None:
            unheld &= graph.degrees == 0
        return unheld

    def _of_samples(self, problem: Problem, plan: Plan, state: State) -> State:
        """The state with a row of V for each sample."""
        return state

    def _store_basis(self, problem: Problem, state: State) -> None:
        """Keep the basis."""
        self.components_ = np.ascontiguousarray(state.U.T)

    def _store_graph(self, graph: Graph | None, V: Array) -> None:
        """Keep what a graph model keeps of its graph."""

    def _assign(self, V: Array, rng: np.random.RandomState, hurry: bool) -> None:
        """Clusters of the samples: k-means on V with 20 starts as the papers do, the largest part, or the nearest."""
        for stale in ("labels_", *ASSIGNERS.values()):
            if hasattr(self, stale):
                delattr(self, stale)
        if self.assign == "kmeans" and not hurry:
            clusters = min(self._k, V.shape[0])
            # A run that continues from a checkpoint has drawn no start: by its seed it gets the same clusters.
            seed = self.random_state if isinstance(self.random_state, int) else rng
            self.assigner_ = KMeans(clusters, n_init=20, random_state=seed).fit(V)
            self.labels_ = self.assigner_.labels_
        elif self.assign == "nearest":
            self._part_means = means_of_parts(V)
            self.labels_ = nearest(V, self._part_means)
        elif self.assign == "argmax":
            self.labels_ = V.argmax(axis=1)

    def _clustered(self, V: Array) -> Array:
        """V as clusters are made of it."""
        return V

    # ---- new samples -------------------------------------------------------------------------------------------

    def transform(self, X: Any, tie: bool = False, method: str = "nonnegative", graph_X: Any = None) -> Any:
        """V for new samples with the basis fixed, each sample on its own.

        With ``tie=True`` a new sample is also held near the representation of its neighbours among the training
        samples (never other new samples). ``method="pinv"`` gives the plain projection X U (UᵀU)⁻¹ instead, which may
        be negative (SPNMF paper, for classification). ``graph_X`` are the same new samples as the graph knows them,
        where it was built on another matrix than X, such as embeddings.
        """
        check_is_fitted(self)
        checks.option("method", method, ("nonnegative", "pinv"))
        X = self._check_data(X, reset=False)
        if graph_X is not None and not tie:
            raise ValueError("graph_X is read only with tie=True: leave it out, or tie the samples")
        if method == "pinv":
            if tie:
                raise ValueError("tie=True goes with method='nonnegative': the pseudo-inverse knows no neighbours")
            return self._pseudo_inverse(X)
        return self._project(X, tie, graph_X)

    def _pseudo_inverse(self, X: Any) -> Array:
        return np.asarray(X @ np.linalg.pinv(self.components_.astype(X.dtype)))

    def _project(self, X: Any, tie: bool, graph_X: Any = None) -> Array:
        # Penalties and ties weigh V as it was while fitting, so that is what is solved for.
        scale = self._scale.astype(X.dtype)
        U = np.ascontiguousarray(self.components_.T * scale, dtype=X.dtype)
        data = as_data(X)
        l1, l2 = self._V_penalty(X.shape)
        pull, shift = self._pull(X, graph_X) if tie else (None, 0.0)
        if self._loss == "frobenius":
            return scale * data.project_least_squares(U, U.T @ U, pull, shift + l2 / 2, l1)
        return scale * data.project_divergence(U, pull, shift, l1, l2)

    def _project_training(self, problem: Problem) -> Array:
        return self._project(problem.X, tie=False)

    def _V_penalty(self, shape: tuple[int, int]) -> tuple[float, float]:
        """Strength of L1 and L2 on V."""
        for penalty in self._penalties(shape):
            if penalty.block == "V":
                return penalty.l1, penalty.l2
        return 0.0, 0.0

    def _pull(self, X: Any, graph_X: Any) -> tuple[Array, Array]:
        """λ W V and λ d of new samples, W their affinity to the training samples."""
        raise ValueError(f"tie=True needs a model with a graph, {type(self).__name__} has none: use GNMF or LPNMF")

    def inverse_transform(self, V: Any) -> Array:
        """V Uᵀ, dense."""
        check_is_fitted(self)
        V = np.asarray(V)
        if V.ndim != 2 or V.shape[1] != self._k:
            raise ValueError(f"V has shape {V.shape} but must be n x {self._k}")
        require(V.shape[0] * self.components_.shape[1] * V.dtype.itemsize, "V Uᵀ", "pass fewer rows of V")
        return V @ self.components_

    @available_if(_assigns)
    def predict(self, X: Any, tie: bool | None = None, graph_X: Any = None) -> Array:
        """The cluster of each new sample, as ``assign`` says.

        Samples are tied to their training neighbours where the graph can find them, since clusters are made of such V;
        ``tie=False`` leaves that out. ``graph_X`` as in `transform`.
        """
        check_is_fitted(self)
        if not hasattr(self, ASSIGNERS.get(str(self.assign), "labels_")):
            raise BadValueError("{assign}={!r} was set after fit: fit again to have clusters", self.assign)
        if tie is None:
            graph = getattr(self, "graph_", None)
            tie = self._tied and graph is not None and graph.can_tie
        if graph_X is not None and not tie:
            raise ValueError("graph_X is read only where samples are tied to their neighbours: leave it out")
        V = self._clustered(self._project(self._check_data(X, reset=False), tie, graph_X))
        if self.assign == "kmeans":
            return self.assigner_.predict(V)
        return nearest(V, self._part_means) if self.assign == "nearest" else V.argmax(axis=1)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the loss per entry of X, for X projected onto the basis."""
        check_is_fitted(self)
        X = self._check_data(X, reset=False)
        data = as_data(X)
        U = np.ascontiguousarray(self.components_.T, dtype=X.dtype)
        return -total([LOSSES[self._loss]()], State(data, U, self._project(X, tie=False))) / (X.shape[0] * X.shape[1])

    # ---- files and pages ---------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one safetensors file, which `manifact.load` reads; an old file is replaced whole.

        It holds what the model holds: factors, parameters, the graph, and the training samples where neighbours of new
        samples are looked for among them.
        """
        from manifact.io.model_files import save

        save(self, path)

    def report(self, X: Any = None, path: str | PathLike[str] | None = None, **options: Any) -> Path:
        """Write one HTML page to explore the parts and the training samples X in; see `manifact.report.report`."""
        from manifact.report import report

        return report(self, X, path, **options)

    # ---- checks ------------------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        self._check_size()
        checks.option("device", self.device, ("cpu",))
        checks.option("solver", self.solver, SOLVER_NAMES)
        if self.solver not in ("auto", *self._solvers):
            raise BadValueError(
                "{solver}={!r} cannot minimise {}{}: choose one of 'auto', {}",
                self.solver,
                type(self).__name__,
                self._with_loss,
                ", ".join(map(repr, self._solvers)),
            )
        if isinstance(self.init, str) or not isinstance(self.init, tuple | list) or len(self.init) != 2:
            value = self.init if isinstance(self.init, str) or self.init is None else type(self.init).__name__
            if value not in STARTS:
                names = ", ".join(map(repr, STARTS))
                raise BadValueError(
                    "{init}={!r} is not known: choose one of {}, or give a pair of arrays (V0, U0ᵀ)", value, names
                )
        if self.max_iter is not None:
            checks.integer("max_iter", self.max_iter, at_least=0)
        if self.tol is not None:
            checks.real("tol", self.tol, at_least=0)
        checks.option("normalize", self.normalize, ("basis", None))
        checks.option("assign", self.assign, ASSIGNMENTS)
        checks.integer("n_init", self.n_init, at_least=1)
        checks.integer("init_iter", self.init_iter, at_least=1)
        checks.real("alpha_V", self.alpha_V, at_least=0)
        if self.alpha_U != "same":
            checks.real("alpha_U", self.alpha_U, at_least=0)
        checks.real("l1_ratio", self.l1_ratio, at_least=0, at_most=1)
        self._check_model()

    def _check_size(self) -> None:
        checks.integer("n_components", self.n_components, at_least=1)

    def _check_data(self, X: Any, reset: bool) -> Any:
        try:
            X = validate_data(
                self,
                X,
                reset=reset,
                accept_sparse=("csr", "csc"),
                dtype=(np.float64, np.float32),
                ensure_non_negative=self._non_negative,
            )
        except ValueError as refusal:
            if str(refusal).startswith("Negative values"):
                told = str(refusal).rstrip(".")
                raise ValueError(
                    f"{told}: shift or clip them, or use CF, LCCF or LCF, which take any sign"
                ) from refusal
            raise
        return _wide_enough(sparse.csr_array(X) if sparse.issparse(X) else X)

    def _check_weight(self, weight: Any, X: Any) -> Array | None:
        """γ as an array of X's type, or None."""
        if weight is None:
            return None
        n = X.shape[0]
        if isinstance(weight, str):
            checks.option("sample_weight", weight, ("ncw",))
            return self._normalized_cut_weight(X)
        weight = np.asarray(weight, dtype=X.dtype)
        if weight.shape != (n,):
            raise ValueError(f"sample_weight has shape {weight.shape} but X has {n} samples: give one weight for each")
        if not np.isfinite(weight).all() or (weight < 0).any():
            raise ValueError("sample_weight contains NaN, infinite or negative values: weights must be finite and >= 0")
        if not weight.any():
            raise ValueError("sample_weight is zero for every sample: at least one weight must be > 0")
        return weight

    def _normalized_cut_weight(self, X: Any) -> Array:
        """γ = 1 / (X Xᵀ 1), as X (Xᵀ 1); 0 for samples without entries (GNMF paper, appendix C)."""
        similarity = self._similarity_sums(X)
        if (similarity < 0).any():
            raise ValueError("sample_weight='ncw' needs samples whose similarities add up to more than 0: give weights")
        return np.divide(1, similarity, out=np.zeros_like(similarity), where=similarity > 0)

    def _similarity_sums(self, X: Any) -> Array:
        """X Xᵀ 1."""
        return np.asarray(X @ np.asarray(X.sum(axis=0)).ravel()).ravel()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def unit_basis(s: State) -> tuple[Array, Array, Array]:
    """U (or C) and V with basis vectors of unit length, their scale in V (GNMF paper, eq 16), and the lengths."""
    norms = np.sqrt(np.maximum(np.diag(s.UtU), 0))
    norms = np.where(norms > 0, norms, 1).astype(s.U.dtype)
    return s.U / norms, s.V * norms, norms


def normalized(s: State) -> tuple[State, Array]:
    """The state with a unit basis, heaviest part first, and the lengths that its vectors had."""
    U, V, norms = unit_basis(s)
    order = np.argsort(-V.sum(axis=0), kind="stable")
    return type(s)(s.data, np.ascontiguousarray(U[:, order]), np.ascontiguousarray(V[:, order])), norms[order]


def _wide_enough(X: Any) -> Any:
    """X in float64 where the squares of its entries would not fit into float32."""
    if X.dtype == np.float32:
        largest = max(float(X.max()), -float(X.min())) if min(X.shape) else 0.0
        if largest and not SINGLE_RANGE[0] < largest < SINGLE_RANGE[1]:
            return X.astype(np.float64)
    return X


def check_factor(name: str, P: Any, shape: tuple[int, int], dtype: Any) -> Array:
    """A factor that the user starts from."""
    P = np.array(P, dtype=dtype, order="C")
    if P.shape != shape:
        raise BadValueError("{init}={} has shape {} but must be {} x {}", name, P.shape, *shape)
    if not np.isfinite(P).all() or (P < 0).any():
        raise BadValueError("{init}={} contains NaN, infinite or negative values", name)
    return P
