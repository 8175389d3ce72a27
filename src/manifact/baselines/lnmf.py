"""Local NMF (Li, Hou, Zhang, Cheng 2001)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array, as_data
from manifact.baselines.penalties import refuse_penalties
from manifact.models.base import Factorization, Problem
from manifact.models.declaration import model
from manifact.solvers.engine import Step
from manifact.terms import Term
from manifact.terms.state import State


@model(paper="Li, Hou, Zhang, Cheng 2001")
class LNMF(Factorization):
    """Minimise KL(X ‖ V Uᵀ) + ½ ‖V‖² − Σ v over U, V ≥ 0 whose columns of U sum to 1.

    The published rule is V ← sqrt(V ∘ (X/Y) U), U ← U ∘ (X/Y)ᵀV, then columns of U to sum 1, with
    Y = V Uᵀ.

    Use it as a baseline for parts that are local and overlap little.

    Parameters
    ----------
    {common parameters}

    Attributes
    ----------
    {common attributes}

    Notes
    -----
    The paper states another objective, KL(X ‖ V Uᵀ) + α Σ_kl (UᵀU)_kl − β ‖V‖². It has no minimum (V ← cV takes it to
    −∞ for every β > 0), and neither α nor β enters the rule. What the rule does minimise is the objective above: given
    U it takes V to the minimum of a bound of it, ½ v² − v₀ ((X/Y) U) log v for each entry, given V it takes U to the
    minimum of a bound on the simplex. So ``objective_``, which holds that one, never rises, and the sign of ‖V‖² is the
    opposite of the stated one.

    V Uᵀ has the shape of X but not its scale: Σ_k v² of a sample is the sum of its entries. ``alpha_V`` and
    ``alpha_U`` are refused.

    References
    ----------
    S. Z. Li, X. Hou, H. Zhang, Q. Cheng. Learning spatially localized, parts-based representation. CVPR, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact import NMF
    >>> from manifact.baselines import LNMF
    >>> from manifact.metrics import sparseness
    >>> X, _ = load_digits(return_X_y=True)
    >>> local = LNMF(n_components=20, random_state=0).fit(X)
    >>> plain = NMF(n_components=20, solver="mu", random_state=0).fit(X)
    >>> bool(sparseness(local.components_).mean() > sparseness(plain.components_).mean() + 0.1)
    True
    """

    @property
    def _loss(self) -> str:
        return "kullback-leibler"

    def _check_model(self) -> None:
        refuse_penalties(self)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        return [Activity()]

    def _make_step(self, solver: str, terms: list[Term], problem: Problem) -> Step:
        return step

    def _prepare(self, solver: str, terms: list[Term], s: State) -> State:
        return s.rescaled(_no_zeros(s.U_sums))

    def _project(self, X: Any, tie: bool, graph_X: Any = None) -> Array:
        """The same objective with U fixed: KL − Σ v + ½ ‖v‖² of each sample."""
        if tie:
            self._pull(X, graph_X)
        U = np.ascontiguousarray(self.components_.T, dtype=X.dtype)
        sums = U.sum(axis=0)
        V = as_data(X).project_divergence(U / _no_zeros(sums), None, -1.0, 0.0, 1.0)
        return np.where(sums > 0, V / _no_zeros(sums), 0)


class Activity:
    """½ Σ v² − Σ v, rows weighted by γ: what LNMF's square root adds to the divergence."""

    def value(self, s: State) -> float:
        """Both sums."""
        return s.data.inner(s.V, s.data.weighted(s.V)) / 2 - float(s.V_sums.sum(dtype=np.float64))

    def grad_U(self, s: State) -> None:
        """The basis does not enter."""
        return None

    def grad_V(self, s: State) -> tuple[Any, Any]:
        """Γ V and Γ 1."""
        return s.data.weighted(s.V), s.data.weighted(np.ones_like(s.V))


def step(s: State) -> State:
    """V ← sqrt(V ∘ (X/Y) U), U ← U ∘ (X/Y)ᵀV with columns of sum 1."""
    s = s.replace("V", np.sqrt(s.V * _per_sample(s)))
    U = s.U * s.ratio_V
    sums = U.sum(axis=0)
    # A part that explains nothing stays: every basis of sum 1 is as good.
    return s.replace("U", np.where(sums > 0, U / _no_zeros(sums), s.U))


def _per_sample(s: State) -> Array:
    """(X/Y) U without the weights that the state's product has: they scale all that a row of V is judged by."""
    weight = s.data.weight
    return s.ratio_U if weight is None else s.ratio_U / _no_zeros(weight)[:, None]


def _no_zeros(sums: Array) -> Array:
    return np.where(sums > 0, sums, 1)
