"""What all factorisations share: check, build, run, store. The mathematics is in terms, graphs and solvers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin

import manifact
from manifact.backends import on_host, origin_of
from manifact.backends.devices import says_what_fits
from manifact.backends.origins import Origin
from manifact.models.callbacks import CallbackSupport, as_callbacks, fit_tasks, with_callbacks
from manifact.models.clustering import Clustering
from manifact.models.collapse import warn_of_collapse
from manifact.models.first_factors import FirstFactors
from manifact.models.fitted_attributes import FittedAttributes
from manifact.models.fitting import as_if_at, run_plan, undisturbed
from manifact.models.inputs import check_fit_options, checked_samples
from manifact.models.parameters import check_parameters
from manifact.models.planning import Planning
from manifact.models.problem import Plan, Problem
from manifact.models.projection import Projection
from manifact.models.registry import find
from manifact.models.top_features import TopFeatures
from manifact.solvers.checkpoint import Checkpoint
from manifact.solvers.engine import Callback, Result
from manifact.terms import LOSSES, Loss
from manifact.utils import checks
from manifact.utils.errors import Sentence


@dataclass(eq=False, repr=False)
class Factorization(
    Planning,
    FirstFactors,
    FittedAttributes,
    Projection,
    TopFeatures,
    Clustering,
    CallbackSupport,
    ClassNamePrefixFeaturesOutMixin,
    BaseEstimator,
):
    """X ~ V Uᵀ. Subclasses are dataclasses: their fields are the constructor's parameters."""

    n_components: int = 10
    _: KW_ONLY
    solver: str = "auto"
    init: Any = "auto"
    max_iter: int | None = None
    tol: float | None = None
    normalize: str | None = "basis"
    assign: str = "kmeans"
    n_init: int = 1
    init_iter: int = 30
    warm_start: bool = False
    alpha_V: float = 0.0
    alpha_U: float | str = "same"
    l1_ratio: float = 0.0
    random_state: Any = None
    verbose: bool = False
    device: str = "cpu"

    #: Whether X must be non-negative.
    _non_negative: ClassVar[bool] = True
    #: Whether samples may come in blocks of rows: nothing looks at all of them at once.
    _takes_blocks: ClassVar[bool] = False

    @classmethod
    def as_published(cls, n_components: int = 10, **parameters: Any) -> Self:
        """The model with its paper's own rule, start and settings, where they differ from ours; others may be given.

        Parts are what the authors' programs gave: expect what the paper prints, and what its Notes say of it.
        """
        entry = next((found for one in cls.__mro__ if (found := find(one.__name__)) is not None), None)
        own = {} if entry is None else dict(entry.published)
        return cls(n_components, **(own | parameters))

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

    #: Whether ``assign="graph"`` can be: a graph places samples beside V.
    _places_by_graph: ClassVar[bool] = False

    def _check_size(self) -> None:
        checks.integer("n_components", self.n_components, at_least=1)

    def _check_model(self) -> None:
        """Check the parameters that this model adds."""

    def _against_collapse(self) -> Sentence | None:
        """What to change where V hardly tells samples apart; None where no parameter would help."""
        return None

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

    @says_what_fits
    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any, checkpoint: Any, every: int | None, callbacks: Any) -> None:
        check_parameters(self)
        check_fit_options(checkpoint, every)
        told = as_callbacks(callbacks)
        origin, samples = origin_of(X), checked_samples(self, X, reset=True, non_negative=self._non_negative)
        problem = self._pose(samples, on_host(y), sample_weight)
        plan = self._plan(problem)
        saved = None
        if checkpoint is not None:
            saved = Checkpoint(checkpoint, self._names(plan), self._identity(problem), every or 10)
        tasks = fit_tasks(self, X, y, plan.max_iter, lambda at: as_if_at(self, at, problem, plan, origin))
        result = run_plan(self, problem, plan, saved, told if tasks is None else [*told, tasks])
        # Whoever interrupts here gets a whole model, and not half of one.
        interrupted = undisturbed(lambda: self._keep(problem, plan, result, origin)) or result.reason == "interrupted"
        if tasks is not None:
            tasks.close()
        if interrupted:
            raise KeyboardInterrupt(f"interrupted after iteration {result.n_iter}: the model holds the last iterate")
        warn_of_collapse(self)

    def _keep(self, problem: Problem, plan: Plan, result: Result, origin: Origin) -> None:
        """Hold the result as the attributes that users read."""
        self._store(problem, plan, result)
        self._begin_clusters(problem, problem.rng)
        self._hand_over(origin)

    def _checked(self, X: Any) -> Any:
        """New samples, validated."""
        return checked_samples(self, X, reset=False, non_negative=self._non_negative)

    # ---- files and pages: the package's front door has them ----------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one safetensors file, which `manifact.load` reads; an old file is replaced whole.

        The name ends in ``.safetensors`` by custom; endings of other kinds of files, such as ``.pkl``, are refused.
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
