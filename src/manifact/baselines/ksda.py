"""Kernel subclass discriminant analysis (You, Hamsici, Martinez 2011)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from manifact.backends import Array, backend_of
from manifact.utils import checks
from manifact.utils.memory import require

KERNELS = ("rbf", "poly", "cosine", "linear")
DIVISIONS = ("nearest", "kmeans")


class KSDA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Maximise aᵀK B K a / aᵀ(K C K + ε I) a: subclasses of different classes apart, all samples together.

    B = Σ p_i p_j (q_i − q_j)(q_i − q_j)ᵀ over pairs i, j of subclasses of different classes, K q_i the mean over a
    subclass and p_i its share of the samples; C = I − 11ᵀ/n, so K C K is n times the covariance in the kernel's space.

    A supervised projection for classes that are not one cloud each.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimensions of the projection, at most (and by default) the number of subclasses less one.
    n_subclasses : int, default=2
        Subclasses of each class, fewer where a class has fewer samples. 1 makes it kernel discriminant analysis.
    divide : {"nearest", "kmeans"}, default="nearest"
        How a class is divided. "nearest", the authors' way: its two farthest samples are the ends of a row, each in
        turn takes the nearest sample that is left, and the row is cut into equal pieces. "kmeans": k-means clusters.
    kernel : {"rbf", "poly", "cosine", "linear"}, default="rbf"
        Kernel.
    gamma : float or "auto", default="auto"
        Coefficient of "rbf" and "poly"; "auto" means 1 / (mean squared distance of two samples), where the authors'
        own search of it starts. Search it by cross-validation.
    reg : float, default=1e-4
        ε as a fraction of the mean eigenvalue of K C K.
    random_state : int, RandomState or None, default=None
        Seed of k-means.

    Attributes
    ----------
    dual_coef_ : array, n x n_components
        a; a new sample is projected to Σ_j a_j k(x_j, x).
    eigenvalues_ : array, n_components
        The ratio that is maximised, largest first.
    subclasses_ : array, n
        The subclass of each sample.
    classes_ : array
        The classes.
    X_fit_ : array or sparse array, n x m
        The training samples.

    References
    ----------
    D. You, O. C. Hamsici, A. M. Martinez. Kernel optimization in discriminant analysis. IEEE Transactions on Pattern
    Analysis and Machine Intelligence 33(3), 2011.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from manifact.baselines import KSDA
    >>> X, y = make_circles(200, factor=0.5, noise=0.05, random_state=0)
    >>> classifier = make_pipeline(KSDA(n_components=1), KNeighborsClassifier(1)).fit(X[:100], y[:100])
    >>> classifier.score(X[100:], y[100:])
    1.0
    """

    def __init__(
        self,
        n_components: int | None = None,
        n_subclasses: int = 2,
        divide: str = "nearest",
        kernel: str = "rbf",
        gamma: float | str = "auto",
        reg: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_subclasses = n_subclasses
        self.divide = divide
        self.kernel = kernel
        self.gamma = gamma
        self.reg = reg
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the projection from samples and their classes."""
        self._check_parameters()
        X, y = self._check_data(X, y)
        n = X.shape[0]
        require(6 * 8 * n * n, f"the kernel matrices of {n} samples", "fit on fewer samples")
        self.classes_, members = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class ({self.classes_[0]!r}) but KSDA tells classes apart: give at least 2")
        self.subclasses_, owners = self._divide(X, members)
        self.X_fit_ = X
        self._gamma = self._coefficient(X)
        self.dual_coef_, self.eigenvalues_ = self._solve(self._kernel(X), owners)
        self._n_features_out = self.dual_coef_.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """The projection of each sample."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        return self._kernel(X) @ self.dual_coef_

    def _check_parameters(self) -> None:
        if self.n_components is not None:
            checks.integer("n_components", self.n_components, at_least=1)
        checks.integer("n_subclasses", self.n_subclasses, at_least=1)
        checks.option("divide", self.divide, DIVISIONS)
        checks.option("kernel", self.kernel, KERNELS)
        if self.gamma != "auto":
            checks.real("gamma", self.gamma, above=0)
        checks.real("reg", self.reg, above=0)

    def _check_data(self, X: Any, y: Any) -> tuple[Any, Array]:
        if y is None:
            raise ValueError("KSDA requires y to be passed, but the target y is None: call fit(X, y) with classes")
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        return X, y

    def _divide(self, X: Any, members: Array) -> tuple[Array, Array]:
        """The subclass of each sample, and the class of each subclass."""
        rng = check_random_state(self.random_state)
        subclasses = np.empty(len(members), dtype=np.int64)
        owners: list[int] = []
        for c in range(members.max() + 1):
            own = np.flatnonzero(members == c)
            parts = min(self.n_subclasses, len(own))
            if self.divide == "nearest":
                pieces = np.array_split(own[_row_of_neighbors(X[own])], parts)
            else:
                # Not scikit-learn's, whose threads a forked process waits for in vain.
                labels = backend_of(X).kmeans(X[own], parts, 10, rng)[0]
                pieces = [own[labels == label] for label in np.unique(labels)]
            for piece in pieces:
                subclasses[piece] = len(owners)
                owners.append(c)
        return subclasses, np.array(owners)

    def _solve(self, K: Array, owners: Array) -> tuple[Array, Array]:
        n, parts = len(K), len(owners)
        centred = K - K.mean(axis=0)
        total = centred.T @ centred
        total += self.reg * (np.trace(total) / n or 1.0) * np.eye(n)
        F = _between(centred, self.subclasses_, owners)
        wanted = parts - 1 if self.n_components is None else min(self.n_components, parts - 1)
        values, vectors = eigh(F @ F.T, total, subset_by_index=[n - wanted, n - 1])
        values, vectors = values[::-1], vectors[:, ::-1]
        largest = np.abs(vectors).argmax(axis=0)
        return vectors * np.sign(vectors[largest, np.arange(wanted)]), values

    def _coefficient(self, X: Any) -> float:
        if self.gamma != "auto":
            return float(self.gamma)
        n = X.shape[0]
        squares = X.multiply(X) if sparse.issparse(X) else X * X
        variance = float(squares.sum()) / n - float(np.sum(np.asarray(X.mean(axis=0)) ** 2))
        distance = 2 * variance * n / max(n - 1, 1)
        return 1 / distance if distance > 0 else 1.0

    def _kernel(self, X: Any) -> Array:
        return pairwise_kernels(X, self.X_fit_, metric=self.kernel, filter_params=True, gamma=self._gamma)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _between(K: Array, subclasses: Array, owners: Array) -> Array:
    """F (n x subclasses) with F Fᵀ = K B K, for the rows of K in any common shift.

    With weights ω_ij = p_i p_j for subclasses of different classes, B is the Laplacian of ω between the means q.
    """
    parts = len(owners)
    sizes = np.bincount(subclasses, minlength=parts)
    means = np.stack([K[subclasses == i].mean(axis=0) for i in range(parts)], axis=1)
    share = sizes / len(subclasses)
    omega = np.outer(share, share) * (owners[:, None] != owners[None, :])
    values, vectors = np.linalg.eigh(np.diag(omega.sum(axis=1)) - omega)
    return means @ (vectors * np.sqrt(np.maximum(values, 0)))


def _row_of_neighbors(X: Any) -> Array:
    """The samples in a row whose ends are the two farthest; each end in turn takes the sample left that is nearest."""
    distances = pairwise_distances(X)
    first, last = np.unravel_index(distances.argmax(), distances.shape)
    ends = [[int(first)], [int(last)] if last != first else []]
    left = np.ones(len(distances), dtype=bool)
    left[[first, last]] = False
    for turn in range(int(left.sum())):
        nearest = int(np.where(left, distances[(first, last)[turn % 2]], np.inf).argmin())
        ends[turn % 2].append(nearest)
        left[nearest] = False
    return np.array(ends[0] + ends[1][::-1])
