"""NMF with sparseness constraints (Hoyer 2004)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.baselines.penalties import refuse_penalties
from manifact.baselines.sparseness import nearest, nearest_of_sparseness, norm_ratio
from manifact.models.base import Factorization, Problem
from manifact.models.declaration import model
from manifact.models.starts import unit_columns
from manifact.solvers.engine import Step
from manifact.solvers.multiplicative import multiply
from manifact.terms import Term
from manifact.terms.state import State
from manifact.utils import checks

#: Nearest allowed point, column by column.
Project = Callable[[Array], Array]


@model(paper="Hoyer 2004")
class SparseNMF(Factorization):
    """Minimise ‖X − V Uᵀ‖² over U, V ≥ 0 whose columns have a given sparseness.

    Sparseness is (√n − ‖v‖₁ / ‖v‖₂) / (√n − 1): 0 where all entries are equal, 1 where a single one is not zero.
    Columns of V have unit length throughout, those of U carry the scale.

    Use it where parts should be local (``sparseness_U``) or rarely active (``sparseness_V``) to a known degree.

    Parameters
    ----------
    sparseness_U : float in [0, 1] or None, default=0.5
        Sparseness of every part; None leaves the parts free.
    sparseness_V : float in [0, 1] or None, default=None
        Sparseness, over the samples, of how active each part is.
    {common parameters}

    Attributes
    ----------
    {common attributes}

    Notes
    -----
    "mu" is the published rule: a step down the gradient, then the nearest point that is sparse enough; a factor
    without constraint takes the multiplicative step. Its step size, which the paper leaves open, is 1 / ‖UᵀU‖₂, the
    longest that cannot raise the objective. For U the paper keeps the length that a column has before the projection;
    here it gets the length that is nearest, without which the objective can rise. "bcd", the default, goes column by
    column, and there the same two steps are the exact minimiser: it needs a fraction of the iterations. Both never
    raise the objective.

    `transform` holds U and knows nothing of ``sparseness_V``, which is a property of all samples together.
    ``alpha_V`` and ``alpha_U`` are refused.

    References
    ----------
    P. O. Hoyer. Non-negative matrix factorization with sparseness constraints. Journal of Machine Learning Research
    5, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact.baselines import SparseNMF
    >>> from manifact.metrics import sparseness
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = SparseNMF(n_components=10, sparseness_U=0.7, random_state=0).fit(X)
    >>> sparseness(model.components_).round(6)
    array([0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7])
    """

    sparseness_U: float | None = 0.5
    sparseness_V: float | None = None

    @property
    def _solvers(self) -> tuple[str, ...]:
        return ("bcd", "mu")

    def _check_model(self) -> None:
        refuse_penalties(self)
        for name in ("sparseness_U", "sparseness_V"):
            value = getattr(self, name)
            if value is not None:
                checks.real(name, value, at_least=0)
                if value > 1:
                    raise ValueError(f"{name}={value:g} must be between 0 and 1, or None for no constraint")

    def _prepare(self, solver: str, terms: list[Term], s: State) -> State:
        V, U = unit_columns(s.V, s.U)
        return type(s)(s.data, self._projection("U")(U), self._projection("V")(V))

    def _projection(self, block: str) -> Project:
        sparseness = getattr(self, f"sparseness_{block}")
        if sparseness is None:
            return lambda P: np.maximum(P, 0)
        if block == "U":
            return lambda U: nearest_of_sparseness(U, sparseness)
        return lambda V: nearest(V, norm_ratio(len(V), sparseness), 1.0)

    def _make_step(self, solver: str, terms: list[Term], problem: Problem) -> Step:
        first, second = (self._block_step(solver, terms, problem, block) for block in ("V", "U"))

        def step(s: State) -> State:
            s = first(s)
            if self.sparseness_V is None:
                V, U = unit_columns(s.V, s.U)
                s = s.replace("V", V).replace("U", U)
            return second(s)

        return step

    def _block_step(self, solver: str, terms: list[Term], problem: Problem, block: str) -> Step:
        """The step of one factor."""
        free = getattr(self, f"sparseness_{block}") is None
        if free and solver == "mu":
            return lambda s: multiply(s, terms, block)
        move = by_columns if solver == "bcd" else by_gradient
        weight = problem.data.weight if block == "V" else None
        gamma = np.ones(1, dtype=problem.data.dtype) if weight is None else weight
        # Weighted distances have no such projection; γ ≤ max γ bounds them by distances that have.
        bound = np.where(gamma > 0, gamma, 1) if free else gamma.max()[None]
        project = self._projection(block)

        def step(s: State) -> State:
            G, B = (s.UtU, s.XU) if block == "V" else (s.VtV, s.XtV)
            return s.replace(block, move(Quadratic(G, B, gamma, bound), s[block], project))

        return step


SNMF = SparseNMF


@dataclass(frozen=True)
class Quadratic:
    """½ <Γ P G, P> − <B, P>, half the loss as a function of one factor; ``bound`` holds numbers ≥ γ."""

    G: Array
    B: Array
    gamma: Array
    bound: Array

    def slope(self, P: Array, k: Any = slice(None)) -> Array:
        """Columns k of the gradient Γ P G − B."""
        moved = P @ self.G[:, k]
        return (self.gamma if moved.ndim == 1 else self.gamma[:, None]) * moved - self.B[:, k]


def by_columns(f: Quadratic, P: Array, project: Project) -> Array:
    """Each column in turn to its exact minimiser: the nearest allowed point to where its slope is zero."""
    P = P.copy()
    for k in range(P.shape[1]):
        if f.G[k, k] > 0:
            free = P[:, k] - f.slope(P, k) / (f.bound * f.G[k, k])
            P[:, k] = project(free[:, None])[:, 0]
    return P


def by_gradient(f: Quadratic, P: Array, project: Project) -> Array:
    """P ← project(P − μ (Γ P G − B)), μ = 1 / (max γ ‖G‖₂) (Hoyer 2004)."""
    curvature = float(np.linalg.norm(f.G, 2))
    if curvature == 0:
        return P
    return project(P - f.slope(P) / (f.bound[:, None] * P.dtype.type(curvature)))
