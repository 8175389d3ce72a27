"""Constrained NMF (Liu, Wu, Li, Cai, Huang 2012)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array, as_data, on_host
from manifact.baselines.refused_penalties import refuse_penalties
from manifact.graphs import LabelCliques, LabelGraph
from manifact.models.base import Factorization
from manifact.models.declaration import model
from manifact.models.problem import Plan, Problem
from manifact.solvers.engine import Result
from manifact.terms import State, Term


@model(paper="Liu, Wu, Li, Cai, Huang 2012")
class CNMF(Factorization):
    """Minimise ‖X − A Z Uᵀ‖² over U, Z ≥ 0: samples of one label share their row of V = A Z.

    A is the indicator matrix of groups: one group for each label, one for each unlabelled sample. The published rule is
    Z ← Z ∘ AᵀX U / (AᵀA Z UᵀU), U ← U ∘ XᵀA Z / (U ZᵀAᵀA Z). With x̄ and n the mean and the size
    of each group this is NMF of the means with weights n, since
    ‖X − A Z Uᵀ‖² = Σ_g n_g ‖x̄_g − z_g Uᵀ‖² + Σ_j ‖x_j − x̄_g(j)‖², and so it is done.

    Use it when some labels are known and samples of a class may be represented alike. ``fit`` needs ``y``: −1 (or NaN,
    or None) for unlabelled samples.

    Parameters
    ----------
    {common parameters}

    Attributes
    ----------
    {common attributes}

    Notes
    -----
    The objective never rises. ``objective_`` has both sums, the second, which nothing can lower, included.
    ``init=(V0, components0)`` takes the mean of V0 over each group. `transform` does not know labels: for a labelled
    sample it differs from `fit_transform`. ``alpha_V`` and ``alpha_U`` are refused.

    References
    ----------
    H. Liu, Z. Wu, X. Li, D. Cai, T. S. Huang. Constrained nonnegative matrix factorization for image representation.
    IEEE Transactions on Pattern Analysis and Machine Intelligence 34(7), 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from manifact.baselines import CNMF
    >>> X, y = load_digits(return_X_y=True)
    >>> known = np.where(np.arange(len(y)) % 5 == 0, y, -1)
    >>> V = CNMF(n_components=20, random_state=0).fit_transform(X, known)
    >>> bool(np.ptp(V[known == 3], axis=0).max() == 0)
    True
    """

    def _check_model(self) -> None:
        refuse_penalties(self)

    @property
    def _solvers(self) -> tuple[str, ...]:
        return ("mu",)

    def _pose(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        whole = super()._pose(X, y, sample_weight)
        return _grouped(whole, self._groups(whole))

    def _groups(self, problem: Problem) -> Array:
        """The group of each sample."""
        if problem.y is None:
            raise ValueError(
                "CNMF requires y to be passed, but the target y is None: call fit(X, y) with -1 for unlabelled samples"
            )
        cliques = LabelGraph().build(problem.samples, problem.y)
        assert isinstance(cliques, LabelCliques)
        labelled = np.diff(cliques.H.indptr) > 0
        groups = np.empty(problem.X.shape[0], dtype=np.int64)
        classes, groups[labelled] = np.unique(cliques.H.indices, return_inverse=True)
        groups[~labelled] = len(classes) + np.arange((~labelled).sum())
        return groups

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        assert isinstance(problem, GroupedProblem)
        return [WithinGroups(problem.whole.data.square_sum - problem.data.square_sum)]

    def _start(self, problem: Problem) -> tuple[Array, Array]:
        assert isinstance(problem, GroupedProblem)
        if isinstance(self.init, str) and not self._goes_on:
            return super()._start(problem)
        # Such a start has a row for each sample, not for each group.
        U, V = super()._start(problem.whole)
        return U, problem.means @ V

    def _store(self, problem: Problem, plan: Plan, result: Result) -> None:
        assert isinstance(problem, GroupedProblem)
        whole, V = problem.whole, on_host(result.state.V)[problem.groups]
        state = State(whole.data, result.state.U, whole.factor(V))
        super()._store(whole, plan, replace(result, state=state))

    def _lost(self, problem: Problem) -> Array:
        # Samples of a class are placed by one another.
        assert isinstance(problem, GroupedProblem)
        return super()._lost(problem)[problem.groups]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


@dataclass(frozen=True)
class GroupedProblem(Problem):
    """The means of groups, weighted by their sizes."""

    whole: Problem
    #: The group of each sample, and what takes the mean over each group (groups x n).
    groups: Array
    means: Any


class WithinGroups(Term):
    """Σ_j γ_j ‖x_j − x̄_g(j)‖², which no factor can change."""

    def __init__(self, total: float) -> None:
        self.total = max(total, 0.0)

    def value(self, s: State) -> float:
        """The same everywhere."""
        return self.total

    def gradient(self, s: State, block: str) -> None:
        """No factor enters."""
        return None


def _grouped(problem: Problem, groups: Array) -> GroupedProblem:
    """Σ_j γ_j x_j / n_g and n_g = Σ_j γ_j of each group; sparse X stays sparse."""
    n, dtype = problem.X.shape[0], problem.samples.dtype
    gamma = np.ones(n, dtype=dtype) if problem.weight is None else problem.weight
    members = sparse.csr_array((gamma, (groups, np.arange(n))), shape=(groups.max() + 1, n))
    sizes = np.asarray(members.sum(axis=1)).ravel()
    scale = np.divide(1, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    means = sparse.csr_array(sparse.diags_array(scale) @ members).astype(dtype)
    X = means @ problem.samples
    X = problem.beside_data(sparse.csr_array(X) if sparse.issparse(X) else np.ascontiguousarray(X))
    data = as_data(X, sizes)
    return GroupedProblem(X, problem.y, sizes, data, None, problem.rng, problem.k, problem, groups, means)
