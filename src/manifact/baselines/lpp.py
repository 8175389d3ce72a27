"""Locality preserving projections (He, Niyogi 2003)."""

from __future__ import annotations

from typing import Any

from manifact.backends import Array
from manifact.baselines.linear_projection import LinearProjection
from manifact.graphs import as_builder


class LPP(LinearProjection):
    """Minimise Σ_js W_js (aᵀx_j − aᵀx_s)² subject to aᵀXᵀD X a = 1: XᵀL X a = λ XᵀD X a.

    The linear projection under which neighbours stay close: Laplacian eigenmaps for new samples too.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the projection.
    graph : graph builder, n x n affinity or None, default=None
        How samples are neighbours; None means ``KNNGraph(5, weight="binary")``. Built on X itself.
    pca : float in (0, 1] or int, default=0.98
        XᵀD X is singular when there are more features than samples, so principal components come first (as in the
        papers on faces): those that hold this share of the variance, or this many. For sparse X the share is that of
        the first 300. At least ``n_components`` are kept.
    reg : float, default=1e-9
        Ridge on XᵀD X, as a fraction of its mean eigenvalue.

    Attributes
    ----------
    components_ : array, n_components x m
        The projection vectors, smoothest first; the largest entry of each is positive.
    eigenvalues_ : array, n_components
        λ: between 0 (neighbours coincide) and 2.
    mean_ : array, m
    graph_ : Graph
        The graph as an operator.

    References
    ----------
    X. He, P. Niyogi. Locality preserving projections. NIPS 16, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact.baselines import LPP
    >>> X, _ = load_digits(return_X_y=True)
    >>> LPP(n_components=5).fit_transform(X).shape
    (1797, 5)
    """

    def __init__(self, n_components: int = 2, graph: Any = None, pca: float = 0.98, reg: float = 1e-9) -> None:
        self.n_components = n_components
        self.graph = graph
        self.pca = pca
        self.reg = reg

    def _matrices(self, X: Any, Z: Array, y: Any) -> tuple[Array, Array]:
        """ZᵀL Z and ZᵀD Z."""
        self.graph_ = as_builder(self.graph).build(X, y)
        return _symmetric(Z.T @ self.graph_.laplacian(Z)), Z.T @ self.graph_.degree(Z)


def _symmetric(S: Array) -> Array:
    return (S + S.T) / 2
