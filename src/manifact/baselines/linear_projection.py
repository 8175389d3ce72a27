"""What linear projections share: principal components first, then a small generalised eigenproblem."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.utils.validation import check_is_fitted, validate_data

from manifact.backends import Array
from manifact.utils import checks

#: Directions whose variance is below this fraction of the largest are rounding.
NEGLIGIBLE = 1e-12
#: Components at the most for sparse X, where the share of variance is counted among these.
MOST_SPARSE = 300


class LinearProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """X → (X − mean) A, the columns of A solving S a = λ (T + ε I) a for the smallest λ.

    The matrices S and T of a method are small: they belong to the principal components of X. Sparse X is centred
    implicitly and stays sparse.
    """

    n_components: int
    pca: int | float
    reg: float

    def _matrices(self, X: Any, Z: Array, y: Any) -> tuple[Array, Array]:
        """S and T for the samples X with principal components Z."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        checks.integer("n_components", self.n_components, at_least=1)
        checks.real("pca", self.pca, above=0)
        if not _is_count(self.pca) and self.pca > 1:
            raise ValueError(f"pca={self.pca} must be a share of the variance in (0, 1] or a number of components")
        checks.real("reg", self.reg, at_least=0)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the projection; ``y`` is for graphs made of labels."""
        self._check_parameters()
        X = self._check_data(X, reset=True)
        axes, self.mean_ = self._principal(X)
        Z = _scores(X, self.mean_, axes)
        S, T = self._matrices(X, Z, y)
        ridge = self.reg * (np.trace(T) / len(T) or 1.0)
        values, vectors = eigh(S, T + ridge * np.eye(len(T)), subset_by_index=[0, self.n_components - 1])
        self.eigenvalues_ = values
        self.components_ = _with_signs((axes @ vectors).T)
        self._n_features_out = self.n_components
        return self

    def transform(self, X: Any) -> Any:
        """The projection of each sample."""
        check_is_fitted(self)
        return _scores(self._check_data(X, reset=False), self.mean_, self.components_.T)

    def _principal(self, X: Any) -> tuple[Array, Array]:
        """Principal axes (m x d) and the mean: enough for ``pca``, and for ``n_components``."""
        most = min(X.shape[0] - 1, X.shape[1])
        if self.n_components > most:
            raise ValueError(
                f"n_components={self.n_components} must be at most {most}, the rank that n_samples={X.shape[0]} and "
                f"n_features={X.shape[1]} allow: lower n_components"
            )
        wanted = min(most, self._count(X))
        pca = PCA(wanted, svd_solver=_pca_solver(X, wanted), random_state=0).fit(X)
        return pca.components_[: self._kept(pca)].T, pca.mean_

    def _count(self, X: Any) -> int:
        """Components to compute."""
        if _is_count(self.pca):
            return max(int(self.pca), self.n_components)
        return max(MOST_SPARSE, self.n_components) if sparse.issparse(X) else min(X.shape)

    def _kept(self, pca: Any) -> int:
        """Components to keep: the share of variance, never rounding, and at least ``n_components``."""
        variance = pca.explained_variance_
        rank = int((variance > NEGLIGIBLE * variance[0]).sum())
        if rank < self.n_components:
            raise ValueError(
                f"n_components={self.n_components} is more than the {rank} dimensions in which the samples differ: "
                "lower n_components"
            )
        if _is_count(self.pca):
            return rank
        share = np.cumsum(variance) / variance.sum()
        enough = int(np.searchsorted(share, self.pca - 1e-12) + 1)
        return min(rank, max(enough, self.n_components))

    def _check_data(self, X: Any, reset: bool) -> Any:
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=("csr", "csc"),
            dtype=(np.float64, np.float32),
            # One sample has no directions; it may be projected onto others'.
            ensure_min_samples=2 if reset else 1,
        )
        return sparse.csr_array(X) if sparse.issparse(X) else X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _pca_solver(X: Any, wanted: int) -> str:
    """The fastest one that is exact and leaves X as it is."""
    if sparse.issparse(X) and wanted < min(X.shape):
        return "arpack"
    return "covariance_eigh" if X.shape[0] >= X.shape[1] else "full"


def _is_count(pca: Any) -> bool:
    return isinstance(pca, int | np.integer) and not isinstance(pca, bool)


def _scores(X: Any, mean: Array, axes: Array) -> Array:
    """(X − mean) axes, X left as it is."""
    return np.asarray(X @ axes - mean @ axes)


def _with_signs(components: Array) -> Array:
    """Rows with the sign that makes their largest entry positive."""
    largest = np.abs(components).argmax(axis=1)
    return components * np.sign(components[np.arange(len(components)), largest])[:, None]
