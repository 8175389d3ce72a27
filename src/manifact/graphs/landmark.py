"""Graphs through landmarks: every sample is a mixture of a few of p landmarks, and nothing is n x n."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from manifact.backends import Array
from manifact.backends.numpy import sorted_csr, sparse_times
from manifact.backends.search import nearest
from manifact.graphs.builder import GraphBuilder, as_samples
from manifact.graphs.operator import Graph, check_width
from manifact.utils import checks

SOURCES = ("kmeans", "random")
#: From this many samples on the landmarks come from k-means on a sample of them.
KMEANS_SAMPLES = 100_000
#: k-means on a sample looks at this many samples per landmark.
SAMPLES_PER_LANDMARK = 20


class LandmarkGraph(GraphBuilder):
    """W = ẐᵀẐ: samples are neighbours as far as they share landmarks (A-LPNMF paper, eq 7 to 9).

    z_ji = K(x_i, l_j) / Σ K(x_i, l_j') over the r nearest landmarks, K Gaussian; Ẑ = diag(Z 1)^(−1/2) Z. All degrees
    are 1, and (aI + λL)⁻¹ needs one p x p eigendecomposition for the whole run.

    Parameters
    ----------
    n_landmarks : int, default=1000
        p; all samples if there are fewer.
    n_neighbors : int, default=5
        r, landmarks per sample.
    landmarks : {"kmeans", "random"} or array p x m, default="kmeans"
        Centres after a few iterations of k-means, samples drawn at random, or your own.
    sigma : float or "auto", default="auto"
        Width of the Gaussian exp(−d² / 2σ²); "auto" is the mean distance to the r-th nearest landmark.
    kmeans_iter : int, default=5
        Iterations of k-means; the paper finds 5 enough.
    random_state : int, RandomState or None, default=0
        Seed of the landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> from manifact.graphs import LandmarkGraph
    >>> X = np.random.default_rng(0).random((200, 5))
    >>> graph = LandmarkGraph(n_landmarks=20).build(X)
    >>> bool(np.allclose(graph.adjacency(np.ones((200, 1))), 1))
    True
    """

    def __init__(
        self,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        landmarks: Any = "kmeans",
        sigma: float | str = "auto",
        kmeans_iter: int = 5,
        random_state: Any = 0,
    ) -> None:
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.landmarks = landmarks
        self.sigma = sigma
        self.kmeans_iter = kmeans_iter
        self.random_state = random_state

    def build(self, X: Any, y: Any = None) -> Graph:
        """The graph of the rows of X."""
        self._check()
        X = as_samples(X)
        landmarks = self._landmarks(X)
        index, squares = nearest(landmarks, self.n_neighbors, X)
        distances = np.sqrt(np.maximum(squares, 0))
        sigma = float(distances[:, -1].mean()) if self.sigma == "auto" else float(self.sigma)
        Z = mixtures(index, squares, sigma or 1.0, landmarks.shape[0])
        return LandmarkOperator(Z, landmarks, self.n_neighbors, sigma or 1.0)

    def _check(self) -> None:
        checks.integer("n_landmarks", self.n_landmarks, at_least=1)
        checks.integer("n_neighbors", self.n_neighbors, at_least=1)
        checks.integer("kmeans_iter", self.kmeans_iter, at_least=1)
        if isinstance(self.landmarks, str):
            checks.option("landmarks", self.landmarks, SOURCES)
        if self.sigma != "auto":
            checks.real("sigma", self.sigma, above=0)

    def _landmarks(self, X: Any) -> Array:
        """p x m, dense (p is small)."""
        n = X.shape[0]
        if not isinstance(self.landmarks, str):
            return self._given(X)
        rng = check_random_state(self.random_state)
        p = min(self.n_landmarks, n)
        if self.landmarks == "random" or p == n:
            return _dense(X[np.sort(rng.permutation(n)[:p])])
        if n >= KMEANS_SAMPLES:
            X = X[np.sort(rng.permutation(n)[: max(SAMPLES_PER_LANDMARK * p, p)])]
        return _kmeans_centres(X, p, self.kmeans_iter, rng)

    def _given(self, X: Any) -> Array:
        landmarks = _dense(self.landmarks)
        if landmarks.ndim != 2 or landmarks.shape[1] != X.shape[1] or not len(landmarks):
            raise ValueError(f"landmarks has shape {landmarks.shape} but X has {X.shape[1]} features: give p x m")
        if not np.isfinite(landmarks).all():
            raise ValueError("landmarks contains NaN or infinity: replace or drop these landmarks")
        return landmarks.astype(X.dtype)


class LandmarkOperator(Graph):
    """W = ẐᵀẐ of degrees 1, applied and inverted through Ẑ alone."""

    can_tie = True
    factored = True

    def __init__(self, Z: Any, landmarks: Array, n_neighbors: int, sigma: float) -> None:
        """Z is n x p (the paper's is its transpose), rows sum to 1."""
        masses = np.asarray(Z.sum(axis=0)).ravel()
        kept = masses > 0
        Z, masses = sparse.csr_array(Z[:, np.flatnonzero(kept)]), masses[kept]
        self.landmarks = landmarks[kept]
        self.masses = masses
        self.Z = sorted_csr(Z)
        self.degrees = np.ones(Z.shape[0])
        self._n_neighbors = n_neighbors
        self._sigma = sigma
        scaled = Z.copy()
        scaled.data = scaled.data / np.sqrt(masses)[scaled.indices]
        self._scaled = {np.dtype(np.float64): (sorted_csr(scaled), sorted_csr(scaled.T))}

    def _factors(self, dtype: Any) -> tuple[Any, Any]:
        """Ẑᵀ (n x p) and Ẑ (p x n) in the given type."""
        dtype = np.dtype(dtype)
        if dtype not in self._scaled:
            wide = self._scaled[np.dtype(np.float64)]
            self._scaled[dtype] = (wide[0].astype(dtype), wide[1].astype(dtype))
        return self._scaled[dtype]

    def adjacency(self, V: Array) -> Array:
        tall, flat = self._factors(V.dtype)
        return sparse_times(tall, sparse_times(flat, V))

    def energies(self, A: Array, B: Array) -> Array:
        """<a_k, b_k> − <Ẑa_k, Ẑb_k>."""
        _, flat = self._factors(np.float64)
        A, B = A.astype(np.float64, copy=False), B.astype(np.float64, copy=False)
        own = np.einsum("ij,ij->j", A, B)
        return own - np.einsum("ij,ij->j", sparse_times(flat, A), sparse_times(flat, B))

    def majorizer(self, V: Array) -> tuple[Array, Array]:
        """ẐᵀẐ itself is positive semi-definite."""
        return self.degrees, self.adjacency(V)

    @cached_property
    def _spectrum(self) -> tuple[Array, Array]:
        """ẐẐᵀ = Q Λ Qᵀ, once for every column, iteration and λ."""
        tall, flat = self._factors(np.float64)
        values, Q = np.linalg.eigh((flat @ tall).toarray())
        # Exactly, none is above 1; rounding must not make s − λΛ vanish.
        return np.minimum(values, 1.0), Q

    def solve(
        self, A: Array, lam: float, B: Array, start: Array | None = None, tol: float = 1e-12, reduction: float = 0.0
    ) -> Array:
        """(1/s) [b + λ Ẑᵀ (s I − λ ẐẐᵀ)⁻¹ Ẑ b], s = a + λ (Woodbury); CG where A differs from row to row."""
        A = np.asarray(A, dtype=np.float64)
        if A.ndim == 2 and A.shape[0] > 1:
            return super().solve(A.astype(B.dtype), lam, B, start, tol, reduction)
        a = np.broadcast_to(A.reshape(-1), (B.shape[1],))
        if (a <= 0).any():
            return super().solve(a.astype(B.dtype), lam, B, start, tol, reduction)
        values, Q = self._spectrum
        tall, flat = self._factors(B.dtype)
        s = a + lam
        inner = Q.T @ sparse_times(flat, B).astype(np.float64)
        inner /= s - lam * values[:, None]
        correction = sparse_times(tall, (lam * (Q @ inner)).astype(B.dtype))
        return (B + correction) / s.astype(B.dtype)

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        """New samples are tied to their landmarks, whose representation is that of the samples they stand for."""
        check_width(X, self.landmarks.shape[1])
        index, squares = nearest(self.landmarks, self._n_neighbors, X)
        mine = mixtures(index, squares, self._sigma, len(self.landmarks)).astype(V.dtype)
        held = (self.Z.T @ V) / self.masses[:, None]
        return mine @ held.astype(V.dtype), np.ones(X.shape[0], dtype=V.dtype)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_samples={self.n_samples}, n_landmarks={len(self.landmarks)})"


def mixtures(index: Array, squares: Array, sigma: float, p: int) -> Any:
    """Gaussian weights of the nearest landmarks, rows summing to 1, n x p."""
    n, r = index.shape
    # Relative to the nearest one: a sample far from every landmark must not divide 0 by 0.
    with np.errstate(over="ignore"):
        weights = np.exp(-((np.sqrt(np.maximum(squares - squares[:, :1], 0)) / sigma) ** 2) / 2)
    weights /= weights.sum(axis=1, keepdims=True)
    indptr = np.arange(0, n * r + 1, r)
    return sorted_csr(sparse.csr_array((weights.ravel(), index.ravel(), indptr), shape=(n, p)))


def _kmeans_centres(X: Any, p: int, iterations: int, rng: np.random.RandomState) -> Array:
    """A few iterations of Lloyd's, on our own search: with 1000 centres scikit-learn's takes minutes on sparse data."""
    centres = _dense(X[np.sort(rng.permutation(X.shape[0])[:p])])
    rows = np.arange(X.shape[0])
    for _ in range(iterations):
        labels = nearest(centres, 1, X)[0].ravel()
        members = sparse.csr_array((np.ones(len(rows), dtype=X.dtype), (labels, rows)), shape=(p, len(rows)))
        sizes = np.asarray(members.sum(axis=1)).reshape(-1, 1)
        # A centre that lost all its samples stays where it is.
        centres = np.where(sizes > 0, _dense(members @ X) / np.maximum(sizes, 1), centres).astype(X.dtype, copy=False)
    return centres


def _dense(P: Any) -> Array:
    return P.toarray() if sparse.issparse(P) else np.array(P)
