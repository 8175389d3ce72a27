"""NMF with sparseness constraints (Hoyer 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.baselines.refused_penalties import refuse_penalties
from manifact.baselines.sparseness import nearest, nearest_of_sparseness, norm_ratio
from manifact.models.base import Factorization
from manifact.models.declaration import model
from manifact.models.problem import Problem
from manifact.solvers.multiplicative import multiply
from manifact.solvers.solver import Memory, solver
from manifact.terms import Constraint, Loss, State, Term, gather_forms
from manifact.utils import checks


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
    max_iter : int or None, default={default of max_iter}
        The most iterations to run. None means 500, 100 for "projected".
    {common parameters}

    Attributes
    ----------
    {common attributes}

    Notes
    -----
    "projected" is the published rule: a step down the gradient, then the nearest point that is sparse enough; a factor
    without constraint takes the multiplicative step. Its step size, which the paper leaves open, is 1 / ‖UᵀU‖₂, the
    longest that cannot raise the objective. For U the paper keeps the length that a column has before the projection;
    here it gets the length that is nearest, without which the objective can rise. "columns", the default, goes column
    by column, and there the same two steps are the exact minimiser: it needs a fraction of the iterations. Both never
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
        return ("columns", "projected")

    def _check_model(self) -> None:
        refuse_penalties(self)
        for name in ("sparseness_U", "sparseness_V"):
            value = getattr(self, name)
            if value is not None:
                checks.real(name, value, at_least=0)
                if value > 1:
                    raise ValueError(f"{name}={value:g} must be between 0 and 1, or None for no constraint")

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        asked = {"U": self.sparseness_U, "V": self.sparseness_V}
        return [Sparseness(block, value) for block, value in asked.items() if value is not None]


SNMF = SparseNMF


class Sparseness(Constraint):
    """Columns of a block have this sparseness; those of V also length 1."""

    def __init__(self, block: str, sparseness: float) -> None:
        self.block = block
        self.sparseness = float(sparseness)

    def nearest(self, P: Array) -> Array:
        """The nearest allowed point, column by column."""
        if self.block == "U":
            return nearest_of_sparseness(P, self.sparseness)
        return nearest(P, norm_ratio(len(P), self.sparseness), 1.0)

    def impose(self, P: Array, before: Array) -> Array:
        return self.nearest(P)

    def added(self, other: Sparseness) -> Sparseness | None:
        """The same set, or none."""
        return self if (self.block, self.sparseness) == (other.block, other.sparseness) else None


def _constraint(terms: Sequence[Any], block: str) -> Sparseness | None:
    return next((term for term in terms if isinstance(term, Sparseness) and term.block == block), None)


def _begin(terms: Sequence[Any], s: State) -> State:
    """V with columns of length 1, then both factors where they may be."""
    s = s.rescaled(1 / _lengths(s.V))
    for block in s.blocks:
        constraint = _constraint(terms, block)
        s = s.replace(block, np.maximum(s[block], 0) if constraint is None else constraint.nearest(s[block]))
    return s


def _lengths(V: Array) -> Array:
    lengths = np.sqrt(np.einsum("ij,ij->j", V, V, dtype=np.float64))
    return np.where(lengths > 0, lengths, 1.0)


def _problem(terms: Sequence[Any]) -> str | None:
    """Penalties would change where V is scaled to length 1."""
    others = [str(term) for term in terms if not isinstance(term, Loss | Sparseness)]
    return f"{others[0]} is neither the loss nor a constraint of sparseness, leave it out" if others else None


_FACTS: dict[str, Any] = {
    "needs": "rows",
    "kinds": frozenset({"factors"}),
    "begin": _begin,
    "one_loss": True,
    "imposes": (Sparseness,),
    "host_only": True,
    "problem": _problem,
}


@solver("columns", formerly=("bcd",), **_FACTS)
def columns(terms: Sequence[Any], s: State, memory: Memory) -> tuple[State, Memory]:
    """One iteration: the columns of V, then those of U, each at its exact minimiser."""
    return _alternate(terms, s, by_columns, free_by_ratio=False), memory


@solver("projected", formerly=("mu",), published=True, **_FACTS)
def projected(terms: Sequence[Any], s: State, memory: Memory) -> tuple[State, Memory]:
    """One iteration of the published rule: a step down the gradient, then the nearest point that is sparse enough.

    A factor without constraint takes the multiplicative step.
    """
    return _alternate(terms, s, by_gradient, free_by_ratio=True), memory


def _alternate(terms: Sequence[Any], s: State, move: Any, free_by_ratio: bool) -> State:
    for block in s.blocks:
        constraint = _constraint(terms, block)
        if constraint is None and free_by_ratio:
            s = multiply(s, terms, block)
        else:
            f = _quadratic(terms, s, block, free=constraint is None)
            s = s.replace(block, move(f, s[block], _positive if constraint is None else constraint.nearest))
        if block == "V" and constraint is None:
            s = s.rescaled(1 / _lengths(s.V))
    return s


def _quadratic(terms: Sequence[Any], s: State, block: str, free: bool) -> Quadratic:
    form = gather_forms(terms, "rows", s, block)
    dtype = s[block].dtype
    gamma = np.ones(1, dtype=dtype) if form.scale is None else form.scale
    # Weighted distances have no such projection; γ ≤ max γ bounds them by distances that have.
    bound = np.where(gamma > 0, gamma, 1) if free else gamma.max()[None]
    return Quadratic(form.G.astype(dtype, copy=False), form.right(s[block]), gamma, bound)


def _positive(P: Array) -> Array:
    return np.maximum(P, 0)


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


def by_columns(f: Quadratic, P: Array, project: Any) -> Array:
    """Each column in turn to its exact minimiser: the nearest allowed point to where its slope is zero."""
    P = P.copy()
    for k in range(P.shape[1]):
        if f.G[k, k] > 0:
            free = P[:, k] - f.slope(P, k) / (f.bound * f.G[k, k])
            P[:, k] = project(free[:, None])[:, 0]
    return P


def by_gradient(f: Quadratic, P: Array, project: Any) -> Array:
    """P ← project(P − μ (Γ P G − B)), μ = 1 / (max γ ‖G‖₂) (Hoyer 2004)."""
    curvature = float(np.linalg.norm(f.G, 2))
    if curvature == 0:
        return P
    return project(P - f.slope(P) / (f.bound[:, None] * P.dtype.type(curvature)))
