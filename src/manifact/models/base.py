"""What all factorisations share: check, build, run, store. The mathematics is in terms, graphs and solvers."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass, replace
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from manifact import checks
from manifact.backends import Array, Data, as_data
from manifact.checkpoint import Checkpoint
from manifact.graphs import Graph
from manifact.memory import require
from manifact.models.start import STARTS, start, unit_columns
from manifact.progress import progress
from manifact.solvers.engine import Callback, Result, Step, run
from manifact.solvers.registry import SOLVERS
from manifact.solvers.state import State
from manifact.terms import ElasticNet, Frobenius, KullbackLeibler, Term, total

LOSSES: dict[str, Any] = {"frobenius": Frobenius, "kullback-leibler": KullbackLeibler}
#: Iterations where ``max_iter`` is None: the papers stop `mu` at 100, and for graph models that is part of the method.
MU_ITERATIONS = 100
DEFAULT_TOL = 1e-4
#: Largest entries between which products of two factors are safe in float32.
SINGLE_RANGE = (1e-12, 1e12)


def _assigns(model: Any) -> bool:
    if model.assign is None:
        raise AttributeError(f"{type(model).__name__} has labels only with assign='kmeans' or assign='argmax'")
    return True


@dataclass(eq=False, repr=False)
class Factorization(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
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

    #: Solvers that can minimise this model, the one that "auto" means first.
    _solvers: ClassVar[tuple[str, ...]] = ("mu",)
    #: Whether an early stop belongs to the published rule, so that "mu" uses no tolerance unless asked.
    _stops_early: ClassVar[bool] = False

    # ---- what a model says about itself ------------------------------------------------------------------------

    @property
    def _loss(self) -> str:
        return getattr(self, "loss", "frobenius")

    def _build_graph(self, X: Any, y: Any) -> Graph | None:
        return None

    def _graph_terms(self, graph: Graph, solve_tol: float) -> list[Term]:
        return []

    def _check_model(self) -> None:
        """Check the parameters that this model adds."""

    # ---- fitting -----------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        every: int | None = None,
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
        """
        self._fit(X, y, sample_weight, checkpoint, every)
        return self

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        every: int | None = None,
    ) -> Any:
        """Factorise X and return V."""
        return self._fit(X, y, sample_weight, checkpoint, every)

    @available_if(_assigns)
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Factorise X and return the cluster of each sample."""
        self._fit(X, y, sample_weight, None, None)
        return self.labels_

    def _fit(self, X: Any, y: Any, sample_weight: Any, checkpoint: Any, every: int | None) -> Array:
        self._check_parameters()
        if every is not None:
            checks.integer("every", every, at_least=1)
        X = self._check_data(X, reset=True)
        weight = _check_weight(sample_weight, X)
        require(8 * sum(X.shape) * self.n_components * X.dtype.itemsize, "the factors", "lower n_components")
        rng = check_random_state(self.random_state)
        graph = self._build_graph(X, y)
        data = as_data(X, weight)
        solver, max_iter, tol = self._plan(graph)
        terms = self._terms(data, graph, tol)
        result = self._run(X, data, terms, solver, max_iter, tol, graph, rng, checkpoint, every)
        self._store(X, data, graph, result, solver, rng)
        return self.representation_

    def _plan(self, graph: Graph | None) -> tuple[str, int, float]:
        """Solver, iterations and tolerance, with the defaults filled in."""
        solver = self._solvers[0] if self.solver == "auto" else self.solver
        max_iter = MU_ITERATIONS if self.max_iter is None else self.max_iter
        untold = 0.0 if self._stops_early and graph is not None and solver == "mu" else DEFAULT_TOL
        return solver, max_iter, untold if self.tol is None else self.tol

    def _terms(self, data: Data, graph: Graph | None, tol: float) -> list[Term]:
        from manifact.terms.graph import EXACT, INEXACT

        terms: list[Term] = [LOSSES[self._loss]()]
        if graph is not None:
            terms += self._graph_terms(graph, EXACT if tol == 0 and self.tol == 0 else INEXACT)
        return terms + self._penalties(data.shape)

    def _penalties(self, shape: tuple[int, int]) -> list[Term]:
        """scikit-learn's penalties: its objective halves the squared error, ours (the papers') does not."""
        n, m = shape
        whole = 2.0 if self._loss == "frobenius" else 1.0
        alpha_U = self.alpha_V if self.alpha_U == "same" else float(self.alpha_U)
        penalties: list[Term] = []
        for block, alpha, size in (("V", self.alpha_V, m), ("U", alpha_U, n)):
            if alpha > 0:
                strength = whole * alpha * size
                penalties.append(ElasticNet(block, strength * self.l1_ratio, strength * (1 - self.l1_ratio)))
        return penalties

    def _run(
        self, X: Any, data: Data, terms: list[Term], solver: str, max_iter: int, tol: float,
        graph: Graph | None, rng: np.random.RandomState, checkpoint: Any, every: int | None,
    ) -> Result:  # fmt: skip
        step = SOLVERS[solver](terms)
        saved = None if checkpoint is None else Checkpoint(checkpoint, self, data, every or 10)
        with progress(type(self).__name__, max_iter, enabled=bool(self.verbose)) as bar:
            callbacks: list[Callback] = [bar] if saved is None else [bar, saved]
            if saved is not None and saved.exists():
                state, history = saved.read(data)
            else:
                first = self._first(X, data, terms, step, max_iter, graph, rng)
                if first.reason == "interrupted":
                    return first
                state, history = first.state, first.objective
            return run(state, terms, step, max_iter=max_iter, tol=tol, callbacks=callbacks, history=history)

    def _first(
        self, X: Any, data: Data, terms: list[Term], step: Step, max_iter: int,
        graph: Graph | None, rng: np.random.RandomState,
    ) -> Result:  # fmt: skip
        """The start, or of ``n_init`` starts the one with the lowest objective after ``init_iter`` iterations."""
        iterations = 0 if self.n_init == 1 else min(self.init_iter, max_iter)
        best: Result | None = None
        for _ in range(self.n_init):
            result = run(State(data, *self._start(X, graph, rng)), terms, step, max_iter=iterations, tol=0)
            if best is None or result.objective[-1] < best.objective[-1]:
                best = result
            if result.reason == "interrupted":
                return replace(best, reason="interrupted")
        assert best is not None
        return best

    def _start(self, X: Any, graph: Graph | None, rng: np.random.RandomState) -> tuple[Array, Array]:
        """U and V to start from."""
        n, m = X.shape
        k = self.n_components
        if self.warm_start and hasattr(self, "components_"):
            return self._warm(X)
        if isinstance(self.init, str):
            U, V = start(self.init, X, k, rng, graph)
        else:
            V = _check_factor("V0", self.init[0], (n, k), X.dtype)
            U = np.ascontiguousarray(_check_factor("components0", self.init[1], (k, m), X.dtype).T)
        return U, self._positive_start(V, graph)

    def _positive_start(self, V: Array, graph: Graph | None) -> Array:
        """With the entropic penalty a zero in V costs infinitely much, so zeros are raised."""
        if graph is None or self._loss != "kullback-leibler":
            return V
        return np.maximum(V, 1e-10 * float(V.mean()) or 1e-10)

    def _warm(self, X: Any) -> tuple[Array, Array]:
        if self.components_.shape != (self.n_components, X.shape[1]):
            raise ValueError(
                f"warm_start=True needs the shape of the last fit, {self.components_.shape[0]} components of "
                f"{self.components_.shape[1]} features, got {self.n_components} and {X.shape[1]}: set warm_start=False"
            )
        U = np.ascontiguousarray(self.components_.T, dtype=X.dtype)
        if self.representation_.shape[0] == X.shape[0]:
            V = self.representation_.astype(X.dtype)
        else:
            V = self._project(X, tie=False)
        return U, V

    def _store(
        self, X: Any, data: Data, graph: Graph | None, result: Result, solver: str, rng: np.random.RandomState
    ) -> None:
        if result.reason == "interrupted":
            warnings.warn(
                f"interrupted after iteration {result.n_iter}: the model holds the last iterate",
                ConvergenceWarning,
                stacklevel=4,
            )
        U, V = result.state.U, result.state.V
        if self.normalize == "basis":
            U, V = unit_columns(U, V)
            order = np.argsort(-V.sum(axis=0), kind="stable")
            U, V = np.ascontiguousarray(U[:, order]), np.ascontiguousarray(V[:, order])
        self.components_ = np.ascontiguousarray(U.T)
        self._n_features_out = self.n_components
        self.objective_ = result.objective
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self.solver_ = solver
        self._store_graph(graph, V)
        if data.weight is not None and graph is None and not data.weight.all():
            # Nothing in the objective holds these rows; they get what transform would give them.
            V = np.where(data.weight[:, None] > 0, V, self._project(X, tie=False))
        self.representation_ = V
        unweighted = data if data.weight is None else as_data(X)
        self.reconstruction_err_ = self._error(unweighted, U, V)
        self._assign(V, rng)

    def _store_graph(self, graph: Graph | None, V: Array) -> None:
        """Keep what a graph model keeps of its graph."""

    def _error(self, data: Data, U: Array, V: Array) -> float:
        """As scikit-learn: ‖X − V Uᵀ‖, or sqrt(2 KL)."""
        whole = 1.0 if self._loss == "frobenius" else 2.0
        return float(np.sqrt(max(0.0, whole * total([LOSSES[self._loss]()], State(data, U, V)))))

    def _assign(self, V: Array, rng: np.random.RandomState) -> None:
        """Clusters of the samples: k-means on V with 20 starts as the papers do, or the largest part."""
        if self.assign == "kmeans":
            clusters = min(self.n_components, V.shape[0])
            self.assigner_ = KMeans(clusters, n_init=20, random_state=rng).fit(V)
            self.labels_ = self.assigner_.labels_
        elif self.assign == "argmax":
            self.labels_ = V.argmax(axis=1)

    # ---- new samples -------------------------------------------------------------------------------------------

    def transform(self, X: Any, tie: bool = False) -> Any:
        """V for new samples with the basis fixed, each sample on its own.

        With ``tie=True`` a new sample is also held near the representation of its neighbours among the training
        samples (never other new samples).
        """
        check_is_fitted(self)
        return self._project(self._check_data(X, reset=False), tie)

    def _project(self, X: Any, tie: bool) -> Array:
        U = np.ascontiguousarray(self.components_.T, dtype=X.dtype)
        data = as_data(X)
        l1, l2 = 0.0, 0.0
        for penalty in self._penalties((X.shape[0], U.shape[0])):
            if isinstance(penalty, ElasticNet) and penalty.block == "V":
                l1, l2 = penalty.l1, penalty.l2
        pull, shift = self._pull(X) if tie else (None, 0.0)
        if self._loss == "frobenius":
            return data.project_least_squares(U, U.T @ U, pull, shift + l2 / 2, l1)
        return data.project_divergence(U, pull, shift, l1, l2)

    def _pull(self, X: Any) -> tuple[Array, Array]:
        """λ W V and λ d of new samples, W their affinity to the training samples."""
        raise ValueError(f"tie=True needs a model with a graph, {type(self).__name__} has none: use GNMF or LPNMF")

    def inverse_transform(self, V: Any) -> Array:
        """V Uᵀ, dense."""
        check_is_fitted(self)
        V = np.asarray(V)
        require(V.shape[0] * self.components_.shape[1] * V.dtype.itemsize, "V Uᵀ", "pass fewer rows of V")
        return V @ self.components_

    @available_if(_assigns)
    def predict(self, X: Any) -> Array:
        """The cluster of each new sample, as ``assign`` says."""
        check_is_fitted(self)
        V = self._project(self._check_data(X, reset=False), tie=False)
        return self.assigner_.predict(V) if self.assign == "kmeans" else V.argmax(axis=1)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the loss per entry of X, for X projected onto the basis."""
        check_is_fitted(self)
        X = self._check_data(X, reset=False)
        data = as_data(X)
        U = np.ascontiguousarray(self.components_.T, dtype=X.dtype)
        return -total([LOSSES[self._loss]()], State(data, U, self._project(X, tie=False))) / (X.shape[0] * X.shape[1])

    # ---- checks ------------------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        checks.integer("n_components", self.n_components, at_least=1)
        checks.option("device", self.device, ("cpu",))
        checks.option("solver", self.solver, ("auto", *SOLVERS))
        if self.solver not in ("auto", *self._solvers):
            raise ValueError(
                f"solver={self.solver!r} cannot minimise {type(self).__name__}: choose 'auto' or one of {self._solvers}"
            )
        if isinstance(self.init, str) or not isinstance(self.init, tuple | list) or len(self.init) != 2:
            checks.option("init", self.init, (*STARTS, "(V0, components0)"))
        if self.max_iter is not None:
            checks.integer("max_iter", self.max_iter, at_least=0)
        if self.tol is not None:
            checks.real("tol", self.tol, at_least=0)
        checks.option("normalize", self.normalize, ("basis", None))
        checks.option("assign", self.assign, (None, "kmeans", "argmax"))
        checks.integer("n_init", self.n_init, at_least=1)
        checks.integer("init_iter", self.init_iter, at_least=1)
        checks.real("alpha_V", self.alpha_V, at_least=0)
        if self.alpha_U != "same":
            checks.real("alpha_U", self.alpha_U, at_least=0)
        checks.real("l1_ratio", self.l1_ratio, at_least=0)
        if self.l1_ratio > 1:
            raise ValueError(f"l1_ratio={self.l1_ratio:g} must be between 0 and 1")
        self._check_model()

    def _check_data(self, X: Any, reset: bool) -> Any:
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=("csr", "csc"),
            dtype=(np.float64, np.float32),
            ensure_non_negative=True,
        )
        return _wide_enough(sparse.csr_array(X) if sparse.issparse(X) else X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _wide_enough(X: Any) -> Any:
    """X in float64 where the squares of its entries would not fit into float32."""
    if X.dtype == np.float32:
        largest = float(X.max()) if X.size else 0.0
        if largest and not SINGLE_RANGE[0] < largest < SINGLE_RANGE[1]:
            return X.astype(np.float64)
    return X


def _check_weight(weight: Any, X: Any) -> Array | None:
    """γ as an array of X's type, or None."""
    if weight is None:
        return None
    n = X.shape[0]
    if isinstance(weight, str):
        checks.option("sample_weight", weight, ("ncw",))
        return normalized_cut_weight(X)
    weight = np.asarray(weight, dtype=X.dtype)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape} but X has {n} samples: give one weight for each")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight contains NaN, infinite or negative values: weights must be finite and >= 0")
    if not weight.any():
        raise ValueError("sample_weight is zero for every sample: at least one weight must be > 0")
    return weight


def normalized_cut_weight(X: Any) -> Array:
    """γ = 1 / (X Xᵀ 1), as X (Xᵀ 1); 0 for samples without entries (GNMF paper, appendix C)."""
    similarity = np.asarray(X @ np.asarray(X.sum(axis=0)).ravel()).ravel()
    return np.divide(1, similarity, out=np.zeros_like(similarity), where=similarity > 0)


def _check_factor(name: str, P: Any, shape: tuple[int, int], dtype: Any) -> Array:
    P = np.array(P, dtype=dtype, order="C")
    if P.shape != shape:
        raise ValueError(f"init=(V0, components0): {name} has shape {P.shape} but must be {shape[0]} x {shape[1]}")
    if not np.isfinite(P).all() or (P < 0).any():
        raise ValueError(f"init=(V0, components0): {name} contains NaN, infinite or negative values")
    return P
