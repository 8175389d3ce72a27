"""Graphs through landmarks: every sample is a mixture of a few of p landmarks, and nothing is n x n."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from manifact.backends import (
    Array,
    Matrix,
    Placed,
    backend_of,
    comes_in_blocks,
    device_of,
    host_dtype,
    namespace,
    native,
    on_host,
    whole,
)
from manifact.backends.matrix import Pieces
from manifact.graphs.builder import GraphBuilder, as_samples
from manifact.graphs.operators import Graph, check_width
from manifact.graphs.search_memory import landmark_bytes, whole_number
from manifact.utils import checks
from manifact.utils.array_checks import Numbers, check_arrays
from manifact.utils.cached_properties import cached_property
from manifact.utils.errors import Sentence
from manifact.utils.memory import require
from manifact.utils.progress import steps
from manifact.utils.sparse_matrices import sorted_csr
from manifact.utils.stored_classes import is_positive, stored, stored_by_parameters

SOURCES = ("kmeans", "random")
#: From this many samples on the landmarks come from k-means on a sample of them.
KMEANS_SAMPLES = 100_000
#: k-means on a sample looks at this many samples per landmark.
SAMPLES_PER_LANDMARK = 20
#: Up to so many landmarks all eigenvectors of theirs cost little; λ is solved for with them as well.
SOLVED_WHOLE = 1000
#: A direction with less than this share of the leading one's eigenvalue is rounding.
DEPENDENT = 1e-7


@stored_by_parameters
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
        given, X = native(X), as_samples(X)
        remedy = Sentence("lower {n_landmarks}, or take fewer samples or features")
        require(self.memory_needed(X), "the graph through landmarks", remedy)
        landmarks = self._landmarks(X)
        if comes_in_blocks(X):
            return self._of_blocks(X, landmarks)
        if whole(given) is not given:
            # A device goes through more samples than it holds once, and the few landmarks are there.
            X, landmarks = given, backend_of(given).like(landmarks, given)
        index, squares = map(on_host, backend_of(X).nearest(landmarks, self.n_neighbors, X, progress=steps))
        distances = np.sqrt(np.maximum(squares, 0))
        sigma = float(distances[:, -1].mean()) if self.sigma == "auto" else float(self.sigma)
        Z = mixtures(index, squares, sigma or 1.0, landmarks.shape[0])
        return LandmarkOperator(Z, on_host(landmarks), self.n_neighbors, sigma or 1.0)

    def memory_needed(self, X: Any) -> float:
        """Of dense landmarks and the mixtures of them; of samples in blocks, of the landmarks alone."""
        given = not isinstance(self.landmarks, str) and hasattr(self.landmarks, "shape")
        p = self.landmarks.shape[0] if given else min(whole_number(self.n_landmarks, 1000), X.shape[0])
        return landmark_bytes(X, p, self.n_neighbors)

    def _of_blocks(self, X: Any, landmarks: Array) -> Graph:
        """The same, its rows in blocks as the samples are."""
        width = None if self.sigma == "auto" else float(self.sigma)
        blocks: Any = backend_of(X)
        found = blocks.landmark_mixtures(X, landmarks, self.n_neighbors, width, mixtures)
        used = landmarks if len(found.used) == len(landmarks) else landmarks[found.used]
        return BlockLandmarkOperator(found, used, self.n_neighbors, found.sigma)

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
            return _dense(_taken(X, np.sort(rng.permutation(n)[:p])))
        if n >= KMEANS_SAMPLES:
            X = _taken(X, np.sort(rng.permutation(n)[: max(SAMPLES_PER_LANDMARK * p, p)]))
        elif comes_in_blocks(X):
            X = _taken(X, np.arange(n))
        drawn = _dense(_taken(X, np.sort(rng.permutation(X.shape[0])[:p])))
        return backend_of(X).cluster_centres(X, drawn, self.kmeans_iter, progress=steps)

    def _given(self, X: Any) -> Array:
        landmarks = on_host(native(self.landmarks))
        landmarks = landmarks.toarray() if sparse.issparse(landmarks) else np.array(landmarks)
        if landmarks.ndim != 2 or landmarks.shape[1] != X.shape[1] or not len(landmarks):
            raise ValueError(f"landmarks has shape {landmarks.shape} but X has {X.shape[1]} features: give p x m")
        if not np.isfinite(landmarks).all():
            raise ValueError("landmarks contains NaN or infinity: replace or drop these landmarks")
        landmarks = landmarks.astype(host_dtype(X))
        return landmarks if comes_in_blocks(X) else backend_of(X).like(landmarks, X)


def _taken(X: Any, some: Array) -> Any:
    return backend_of(X).rows.taken(X, some)


def _dense(X: Any) -> Array:
    return backend_of(X).rows.dense(X)


SCHEMA = {
    "landmarks": Numbers(("landmarks", "features")),
    "Z": Numbers(("n", "landmarks"), least=0, sparse=True),
}
#: How far from 1 the weights of a sample's landmarks may sum to.
ROUNDING = 1e-3


def _fits(facts: Mapping[str, Any]) -> None:
    is_positive(facts, "sigma")
    check_arrays(SCHEMA, facts, {"landmarks": len(facts["landmarks"])})
    checks.integer("n_neighbors", facts["n_neighbors"], at_least=1)
    if not (np.abs(np.asarray(facts["Z"].sum(axis=1)).ravel() - 1) <= ROUNDING).all():
        raise ValueError("landmarks whose weights do not sum to 1")


@stored(_fits, Z="Z", landmarks="landmarks", n_neighbors="_n_neighbors", sigma="_sigma")
class LandmarkOperator(Graph):
    """W = ẐᵀẐ of degrees 1, applied and inverted through Ẑ alone."""

    can_tie = True
    factored = True

    def __init__(self, Z: Any, landmarks: Array, n_neighbors: int, sigma: float) -> None:
        """Z is n x p (the paper's is its transpose), rows sum to 1."""
        masses = np.asarray(Z.sum(axis=0)).ravel()
        kept = masses > 0
        if not kept.all():
            Z, landmarks, masses = sparse.csr_array(Z[:, np.flatnonzero(kept)]), landmarks[kept], masses[kept]
        self.landmarks = landmarks
        self.masses = masses
        self.Z = sorted_csr(Z)
        self.degrees = np.ones(Z.shape[0])
        self._n_neighbors = n_neighbors
        self._sigma = sigma

    @cached_property
    def _tall(self) -> Matrix:
        """Ẑᵀ (n x p), made when it is first applied: a fitted model may never do so."""
        scaled = self.Z.data / np.sqrt(self.masses)[self.Z.indices]
        return Matrix(sparse.csr_array((scaled, self.Z.indices, self.Z.indptr), shape=self.Z.shape))

    @cached_property
    def _flat(self) -> Matrix:
        """Ẑ (p x n)."""
        return Matrix(self._tall.csr.T)

    def adjacency(self, V: Array) -> Array:
        backend = backend_of(V)
        return backend.times(self._tall, backend.times(self._flat, V))

    def pieces(self) -> Pieces:
        """The degrees, 1, count what ẐᵀẐ has on its diagonal: there are no loops to take off."""
        return Pieces(self.degrees, tall=self._tall, flat=self._flat)

    def energies(self, A: Array, B: Array) -> Array:
        """<a_k, b_k> − <Ẑa_k, Ẑb_k>."""
        backend, xp = backend_of(A), namespace(A)
        A, B = (xp.astype(P, xp.float64, copy=False) for P in (A, B))
        held = backend.column_products(backend.times(self._flat, A), backend.times(self._flat, B))
        return backend.column_products(A, B) - held

    def majorizer(self, V: Array) -> tuple[Array, Array]:
        """ẐᵀẐ itself is positive semi-definite."""
        return self.vector(V), self.adjacency(V)

    def mixed(self, P: Array) -> Array:
        """ẐᵀP, what samples make of numbers that landmarks have."""
        return backend_of(P).times(self._tall, P)

    def landmark_gram(self) -> Array:
        """ẐẐᵀ, p x p."""
        return np.asarray((self._flat.csr @ self._tall.csr).toarray())

    @cached_property
    def _spectrum(self) -> tuple[Array, Array]:
        """ẐẐᵀ = Q Λ Qᵀ, once for every column, iteration and λ."""
        values, Q = np.linalg.eigh(self.landmark_gram())
        # Exactly, none is above 1; rounding must not make s − λΛ vanish.
        return np.minimum(values, 1.0), Q

    def leading(self, k: int) -> Array | None:
        """The k leading eigenvectors of W, largest first; None where they are sooner found without the `_spectrum`.

        With ẐẐᵀ = Q Λ Qᵀ they are ẐᵀQΛ^(−½).
        """
        if len(self.landmarks) > SOLVED_WHOLE or k > len(self.landmarks):
            return None
        values, Q = (part[..., : -k - 1 : -1] for part in self._spectrum)
        return self.mixed(Q / np.sqrt(values)) if values[-1] > DEPENDENT * values[0] else None

    def _spectrum_beside(self, B: Array) -> tuple[Array, Array]:
        """The same where B lives, brought there once."""
        place = type(B), device_of(B)
        if place not in self._spectra:
            values, Q = self._spectrum
            self._spectra[place] = backend_of(B).like(values, B), backend_of(B).like(Q, B)
        return self._spectra[place]

    @cached_property
    def _spectra(self) -> dict[Any, tuple[Array, Array]]:
        return {}

    def solve(
        self, A: Any, lam: float, B: Array, start: Array | None = None, tol: float = 1e-12, reduction: float = 0.0
    ) -> Array:
        """(1/s) [b + λ Ẑᵀ (s I − λ ẐẐᵀ)⁻¹ Ẑ b], s = a + λ (Woodbury); CG where A differs from row to row."""
        backend, xp = backend_of(B), namespace(B)
        if A.ndim == 2 and A.shape[0] > 1:
            return super().solve(A, lam, B, start, tol, reduction)
        a = xp.broadcast_to(xp.astype(xp.reshape(A, (-1,)), xp.float64, copy=False), (B.shape[1],))
        if bool(xp.any(a <= 0)):
            return super().solve(xp.reshape(a, (1, -1)), lam, B, start, tol, reduction)
        values, Q = self._spectrum_beside(B)
        s = a + lam
        B = backend.kept(B)
        inner = Q.T @ xp.astype(backend.times(self._flat, B), xp.float64, copy=False)
        # Not s − λΛ: a small a would be lost beside λ.
        inner = inner / (a + lam * (1 - values[:, None]))
        correction = backend.times(self._tall, xp.astype(lam * (Q @ inner), B.dtype, copy=False))
        return (B + correction) / xp.astype(s, B.dtype, copy=False)

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        """New samples are tied to their landmarks, whose representation is that of the samples they stand for."""
        check_width(X, self.landmarks.shape[1])
        landmarks = self._placed.beside(X)
        index, squares = map(on_host, backend_of(X).nearest(landmarks, self._n_neighbors, X))
        mine = mixtures(index, squares, self._sigma, len(self.landmarks)).astype(V.dtype)
        return mine @ self.held(V).astype(V.dtype), np.ones(X.shape[0], dtype=V.dtype)

    def held(self, V: Array) -> Array:
        """The representation of the landmarks, that of the samples they stand for."""
        return np.asarray((self.Z.T @ V) / self.masses[:, None])

    @cached_property
    def _placed(self) -> Placed:
        return Placed(self.landmarks)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_samples={self.n_samples}, n_landmarks={len(self.landmarks)})"


class BlockLandmarkOperator(LandmarkOperator):
    """The same graph of samples in blocks: nothing here has a row for each sample but in blocks."""

    def __init__(self, found: Any, landmarks: Array, n_neighbors: int, sigma: float) -> None:
        self.landmarks = landmarks
        self.masses = found.masses
        self.degrees = np.ones(found.n_samples)
        self._n_neighbors = n_neighbors
        self._sigma = sigma
        self._found = found

    @property
    def _tall(self) -> Any:
        return self._found.tall

    @property
    def _flat(self) -> Any:
        return self._found.flat

    def mixed(self, P: Array) -> Array:
        placed = self._found.beside(P)
        return backend_of(placed).times(self._tall, placed)

    def landmark_gram(self) -> Array:
        return np.asarray(self._found.gram())

    def content(self) -> Any:
        """Together with the samples, landmarks and widths make the graph."""
        return "landmarks", self.landmarks, self.masses, self._n_neighbors, self._sigma

    def leading(self, k: int) -> None:
        """Not in one memory."""

    def in_memory(self) -> LandmarkOperator:
        """The same graph with its rows in one memory."""
        return LandmarkOperator(self._found.rows(), self.landmarks, self._n_neighbors, self._sigma)

    def of_samples(self, some: Array) -> Graph:
        """Mixtures of the same landmarks."""
        return LandmarkOperator(self._found.rows(some), self.landmarks, self._n_neighbors, self._sigma)


def mixtures(index: Array, squares: Array, sigma: float, p: int) -> Any:
    """Gaussian weights of the nearest landmarks, rows summing to 1, n x p."""
    n, r = index.shape
    # Relative to the nearest one: a sample far from every landmark must not divide 0 by 0.
    with np.errstate(over="ignore"):
        weights = np.exp(-((np.sqrt(np.maximum(squares - squares[:, :1], 0)) / sigma) ** 2) / 2)
    weights /= weights.sum(axis=1, keepdims=True)
    indptr = np.arange(0, n * r + 1, r)
    return sorted_csr(sparse.csr_array((weights.ravel(), index.ravel(), indptr), shape=(n, p)))
