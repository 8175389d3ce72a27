"""Neighbourhood preserving NMF (Gu, Zhou 2009)."""

from __future__ import annotations

from typing import Any, ClassVar

from scipy import sparse

from manifact.backends import Array, Matrix, backend_of
from manifact.baselines.reconstruction import reconstruction_weights
from manifact.models.base import Factorization
from manifact.models.declaration import model
from manifact.models.problem import Problem
from manifact.terms import State, Term
from manifact.terms.term import Parts
from manifact.utils import checks
from manifact.utils.sparse_matrices import sorted_csr


@model(paper="Gu, Zhou 2009")
class NPNMF(Factorization):
    """Minimise ‖X − V Uᵀ‖² + λ Tr(VᵀMV) over U, V ≥ 0, M = (I − S)ᵀ(I − S), S the weights of LLE.

    A sample's parts are the weighted mean of its neighbours' parts, with the weights that reconstruct the sample
    itself: λ ‖V − S V‖². M = M⁺ − M⁻ by the signs of its entries, and the published rule is
    V ← V ∘ sqrt((X U + λ M⁻V) / (V UᵀU + λ M⁺V)), U ← U ∘ XᵀV / (U VᵀV).

    Use it where samples lie on a surface that is nearly flat between neighbours.

    Parameters
    ----------
    graph_reg : float, default=1
        λ, unscaled.
    n_neighbors : int, default=5
        Neighbours that reconstruct a sample; all others if there are fewer.
    reg : float, default=1e-3
        Share of its trace that is added to the diagonal of each local Gram matrix, as in scikit-learn's LLE.
    {common parameters}

    Attributes
    ----------
    {common attributes}

    Notes
    -----
    The square root makes the step the minimum of a bound, so the objective never rises. As with `GNMF`, U ← cU,
    V ← V/c keeps the fit and shrinks the penalty: long runs drift towards plain NMF, and "mu" runs its 100 iterations
    unless ``tol`` is given. `transform` is per sample, without the penalty.

    Where λ is not small λ M⁺V and λ M⁻V are large and nearly cancel, so V moves slowly. A random start whose V is far
    too large does not come down in 100 iterations (COIL20, λ = 1: NMI 20); named starts are therefore scaled so that
    V Uᵀ has the size of X (NMI 71). A start of your own is used as it is.

    References
    ----------
    Q. Gu, J. Zhou. Neighborhood preserving nonnegative matrix factorization. BMVC, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact.baselines import NPNMF
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = NPNMF(n_components=10, graph_reg=100.0, random_state=0).fit(X[:300])
    >>> bool((model.objective_[1:] <= model.objective_[:-1]).all())
    True
    """

    graph_reg: float = 1.0
    n_neighbors: int = 5
    reg: float = 1e-3

    _stops_early: ClassVar[bool] = True

    @property
    def _tied(self) -> bool:
        return self.graph_reg > 0

    def _check_model(self) -> None:
        checks.real("graph_reg", self.graph_reg, at_least=0)
        checks.integer("n_neighbors", self.n_neighbors, at_least=1)
        checks.real("reg", self.reg, above=0)

    @property
    def _solvers(self) -> tuple[str, ...]:
        return ("mu",)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        return [Reconstruction(reconstruction_weights(problem.samples, self.n_neighbors, self.reg), self.graph_reg)]

    def _named_start(self, problem: Problem) -> tuple[Array, Array]:
        """The start with V scaled so that V Uᵀ is as near to X as its direction allows."""
        U, V = super()._named_start(problem)
        s = State(problem.data, problem.factor(U), problem.factor(V))
        size = float(s.data.inner(s.UtU, s.VtV))
        return U, V * (float(s.data.inner(s.XU, s.V)) / size if size > 0 else 1.0)


class Reconstruction(Term):
    """λ Tr(VᵀMV) = λ ‖V − S V‖², M = (I − S)ᵀ(I − S) split by the signs of its entries; both halves stay sparse."""

    #: The square root of the ratio is the minimum of a bound.
    powers: ClassVar[dict[str, float]] = {"V": 0.5}

    def __init__(self, S: Any, lam: float) -> None:
        self.lam = lam
        rest = sorted_csr(sparse.eye_array(S.shape[0]) - S)
        M = rest.T @ rest
        M = (M + M.T) / 2
        self.rest, self.positive, self.negative = Matrix(rest), Matrix(M.maximum(0)), Matrix((-M).maximum(0))

    def value(self, s: State) -> float:
        """Summed over samples; every summand is ≥ 0."""
        rest = backend_of(s.V).times(self.rest, s.V)
        return self.lam * s.data.inner(rest, rest)

    def gradient(self, s: State, block: str) -> Parts:
        """2 λ M⁺V and 2 λ M⁻V."""
        if block != "V":
            return None
        times = backend_of(s.V).times
        return 2 * self.lam * times(self.positive, s.V), 2 * self.lam * times(self.negative, s.V)
