"""Local NMF (Li, Hou, Zhang, Cheng 2001)."""

from __future__ import annotations

from typing import Any

from manifact.backends import Array, as_data, namespace, on_host, smallest_normal
from manifact.baselines.refused_penalties import refuse_penalties
from manifact.models.base import Factorization
from manifact.models.declaration import model
from manifact.models.problem import Problem
from manifact.models.projection import basis_beside
from manifact.terms import KullbackLeibler, Loss, SimplexBasis, State, Term
from manifact.terms.term import Parts


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
    def _loss(self) -> Loss:
        return KullbackLeibler()

    @property
    def _solvers(self) -> tuple[str, ...]:
        return ("mu",)

    def _check_model(self) -> None:
        refuse_penalties(self)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        return [Activity(), SimplexBasis()]

    def _project(self, X: Any, tie: bool, graph_X: Any = None) -> Array:
        """The same objective with U fixed: KL − Σ v + ½ ‖v‖² of each sample."""
        if tie:
            self._pull(X, graph_X)
        U = basis_beside(self.components_, X)
        xp = namespace(U)
        sums = xp.sum(U, axis=0)
        safe = xp.where(sums > 0, sums, 1.0)
        V = as_data(X).project_divergence(U / safe, None, -1.0, 0.0, 1.0)
        return xp.where(sums > 0, V / safe, 0.0)


class Activity(Term):
    """½ Σ v² − Σ v, rows weighted by γ: what LNMF's square root adds to the divergence."""

    def value(self, s: State) -> float:
        """Both sums."""
        return s.data.inner(s.V, s.data.weighted(s.V)) / 2 - float(on_host(s.V_sums_wide).sum())

    def gradient(self, s: State, block: str) -> Parts:
        """Γ V and Γ 1."""
        return (s.data.weighted(s.V), s.data.weighted(namespace(s.V).ones_like(s.V))) if block == "V" else None

    def implicit(self, s: State, block: str, positive: Any, negative: Any) -> Array | None:
        """The minimum of a v − c log v + γ (½ v² − v), a the positive part and c = V ∘ negative.

        Where basis vectors sum to 1 and nothing else holds V, a = γ and this is V ← sqrt(V ∘ (X/Y) U).
        """
        if block != "V":
            return None
        xp = namespace(s.V)
        gamma = s.data.weighted(xp.ones_like(s.V[:, :1]))
        rest, c = positive - gamma, s.V * negative
        # Basis vectors sum to 1 up to rounding, which must not fill the zeros of V.
        rest = xp.where(xp.abs(rest) <= 4 * float(xp.finfo(s.V.dtype).eps) * gamma, 0.0, rest)
        root = xp.sqrt(rest * rest + 4 * gamma * c)
        # root − rest without cancellation where rest > 0.
        far = 2 * c / xp.maximum(rest + root, smallest_normal(root))
        return xp.where(rest > 0, far, (root - rest) / xp.where(gamma > 0, 2 * gamma, 1.0))
