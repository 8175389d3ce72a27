"""Neighbourhood preserving embedding (He, Cai, Yan, Zhang 2005)."""

from __future__ import annotations

from typing import Any

from manifact.backends import Array
from manifact.baselines.linear_projection import LinearProjection
from manifact.baselines.reconstruction import reconstruction_weights
from manifact.utils import checks


class NPE(LinearProjection):
    """Minimise Σ_j (aᵀx_j − Σ_s S_js aᵀx_s)² subject to aᵀXᵀX a = 1: XᵀM X a = λ XᵀX a, M = (I − S)ᵀ(I − S).

    The linear projection in which each sample is still reconstructed by its neighbours, with the weights S that
    reconstruct it in X: locally linear embedding for new samples too.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the projection.
    n_neighbors : int, default=5
        Neighbours that reconstruct a sample; all others if there are fewer.
    pca : float in (0, 1] or int, default=0.98
        Principal components come first, as XᵀX is singular when there are more features than samples: those that hold
        this share of the variance, or this many. For sparse X the share is that of the first 300. At least
        ``n_components`` are kept. Neighbours and weights are those of X itself.
    lle_reg : float, default=1e-3
        Share of its trace that is added to the diagonal of each local Gram matrix, as in scikit-learn's LLE.
    reg : float, default=1e-9
        Ridge on XᵀX, as a fraction of its mean eigenvalue.

    Attributes
    ----------
    components_ : array, n_components x m
        The projection vectors, best reconstructed first; the largest entry of each is positive.
    eigenvalues_ : array, n_components
        λ: the share of a projection's variance that its neighbours do not explain.
    mean_ : array, m
    weights_ : sparse array, n x n
        S.

    References
    ----------
    X. He, D. Cai, S. Yan, H.-J. Zhang. Neighborhood preserving embedding. ICCV, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact.baselines import NPE
    >>> X, _ = load_digits(return_X_y=True)
    >>> NPE(n_components=5).fit_transform(X).shape
    (1797, 5)
    """

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: int = 5,
        pca: float = 0.98,
        lle_reg: float = 1e-3,
        reg: float = 1e-9,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.pca = pca
        self.lle_reg = lle_reg
        self.reg = reg

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_neighbors", self.n_neighbors, at_least=1)
        checks.real("lle_reg", self.lle_reg, above=0)

    def _matrices(self, X: Any, Z: Array, y: Any) -> tuple[Array, Array]:
        """ZᵀM Z and ZᵀZ."""
        self.weights_ = reconstruction_weights(X, self.n_neighbors, self.lle_reg)
        rest = Z - self.weights_ @ Z
        return rest.T @ rest, Z.T @ Z
