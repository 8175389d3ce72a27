"""Average association: k-means in the space of the leading singular vectors (Zha, He, Ding, Simon, Gu 2001)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from manifact.backends import Array, backend_of
from manifact.utils import checks


class AverageAssociation(ClusterMixin, BaseEstimator):
    """Maximise Σ_c (Σ_ij∈c <x_i, x_j>) / n_c over clusters, relaxed to the leading eigenvectors of X Xᵀ.

    With inner products as similarity, spectral clustering by average association is an SVD followed by k-means: "SVD"
    of the GNMF paper, "AA" of the LPNMF paper. X is not centred, never multiplied out, and stays sparse.

    Parameters
    ----------
    n_clusters : int, default=8
        Clusters, and singular vectors.
    scale : bool, default=True
        Cluster the rows of X projected onto its right singular vectors (the papers' SVD subspace); False: rows of the
        left singular vectors, the relaxed indicators themselves.
    n_init : int, default=20
        Starts of k-means.
    random_state : int, RandomState or None, default=None
        Seed of the SVD and of k-means.

    Attributes
    ----------
    labels_ : array, n
        Cluster of each sample.
    components_ : array, n_clusters x m
        Right singular vectors, over the singular values with ``scale=False``.

    References
    ----------
    H. Zha, X. He, C. Ding, H. Simon, M. Gu. Spectral relaxation for k-means clustering. NIPS 14, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact.baselines import AverageAssociation
    >>> from manifact.metrics import nmi
    >>> X, y = load_digits(return_X_y=True)
    >>> nmi(y, AverageAssociation(n_clusters=10, random_state=0).fit_predict(X)) > 0.6
    True
    """

    def __init__(self, n_clusters: int = 8, scale: bool = True, n_init: int = 20, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.scale = scale
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the clusters of the samples."""
        checks.integer("n_clusters", self.n_clusters, at_least=1)
        checks.integer("n_init", self.n_init, at_least=1)
        checks.option("scale", self.scale, (True, False))
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32))
        enough_samples(self.n_clusters, X.shape[0])
        rng = check_random_state(self.random_state)
        values, right = leading_singular(X, self.n_clusters, rng)
        self.components_ = right if self.scale else right / np.where(values > 0, values, np.inf)[:, None]
        rows = self._embed(X)
        # Not scikit-learn's, whose threads a forked process waits for in vain.
        self.labels_, self._centres = backend_of(rows).kmeans(rows, self.n_clusters, self.n_init, rng)
        return self

    def predict(self, X: Any) -> Array:
        """The cluster of each new sample."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=(np.float64, np.float32))
        squares = np.einsum("ij,ij->i", self._centres, self._centres)
        return np.asarray((squares - 2 * self._embed(X) @ self._centres.T).argmin(axis=1))

    def _embed(self, X: Any) -> Array:
        return np.ascontiguousarray(X @ self.components_.T, dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def enough_samples(n_clusters: int, n_samples: int) -> None:
    """There is a sample for each cluster."""
    if n_clusters > n_samples:
        raise ValueError(f"n_clusters={n_clusters} must be at most n_samples={n_samples}: lower n_clusters")


def leading_singular(X: Any, k: int, rng: np.random.RandomState) -> tuple[Array, Array]:
    """The k largest singular values and right singular vectors (k x m), fewer where the rank is smaller."""
    smaller = min(X.shape)
    if k < smaller and smaller > 2:
        _, values, right = svds(X.astype(np.float64), k=k, v0=rng.uniform(-1, 1, smaller))
    elif sparse.issparse(X):
        values, right = _through_gram(X)
    else:
        _, values, right = np.linalg.svd(X, full_matrices=False)
    order = np.argsort(-values)[:k]
    right = right[order]
    largest = np.abs(right).argmax(axis=1)
    signs = np.sign(right[np.arange(len(right)), largest])
    return values[order], right * np.where(signs == 0, 1, signs)[:, None]


def _through_gram(X: Any) -> tuple[Array, Array]:
    """All of them, from the smaller Gram matrix: there are at most k."""
    tall = X.shape[0] >= X.shape[1]
    squares, vectors = np.linalg.eigh((X.T @ X if tall else X @ X.T).toarray())
    values = np.sqrt(np.maximum(squares, 0))
    if tall:
        return values, vectors.T
    return values, np.asarray((X.T @ vectors) / np.where(values > 0, values, np.inf)).T
