"""The GNMF authors' MATLAB demo, repeated draw by draw.

Their demo seeds MATLAB's Mersenne Twister with 5489 before each step; NumPy's ``RandomState`` is the same generator.
How starts are drawn and how k-means runs is theirs. Graph, factorisation and measures are ours: the numbers that their
demo states test them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.extmath import row_norms

from manifact.backends import Array, Matrix, backend_of
from manifact.datasets import Dataset, tfidf, unit_length
from manifact.graphs import KNNGraph
from manifact.metrics import accuracy, nmi
from manifact.models import GNMF, NMF
from manifact.models.starts import unit_columns

SEED = 5489
#: Ten starts of 30 iterations; the best one goes on to 100.
STARTS = 10
START_ITERATIONS = 30
ITERATIONS = 100
KMEANS_ITERATIONS = 100
LAMBDA = 100.0


def demo(data: Dataset) -> dict[str, dict[str, float]]:
    """NMI and AC of k-means on the samples, on V of NMF and on V of GNMF."""
    X, k = samples(data), data.n_classes
    spaces = {
        "original": X,
        "NMF": represent(NMF(k, solver="mu", tol=0), X),
        "GNMF": represent(GNMF(k, graph_reg=LAMBDA, graph=KNNGraph(copies="each").build(X), solver="mu", tol=0), X),
    }
    scores = {}
    for space, Z in spaces.items():
        labels = replicated_kmeans(Z, k, rand())
        scores[space] = {"NMI": nmi(data.y, labels), "AC": accuracy(data.y, labels)}
    return scores


def samples(data: Dataset) -> Any:
    """Samples of unit length; the pixels of images column by column, as MATLAB keeps them."""
    if data.image_shape is None:
        return tfidf(data.X)
    images = data.X.reshape(-1, *data.image_shape)
    return unit_length(images.transpose(0, 2, 1).reshape(len(images), -1))


def represent(model: Any, X: Any) -> Array:
    """V after 100 iterations of the model from the authors' best start, U with columns of length 1."""
    start = best_start(clone(model).set_params(max_iter=START_ITERATIONS, normalize=None), X, rand())
    rest = clone(model).set_params(init=start, max_iter=ITERATIONS - START_ITERATIONS, normalize="basis")
    return rest.fit_transform(X)


def best_start(model: Any, X: Any, stream: RandomState, starts: int = STARTS) -> tuple[Array, Array]:
    """V and Uᵀ with the lowest objective among fits from random starts, U drawn before V."""
    (n, m), k = X.shape, model.n_components
    best, lowest = None, np.inf
    for _ in range(starts):
        U, V = unit_columns(_matrix(stream, m, k), _matrix(stream, n, k))
        fitted = clone(model).set_params(init=(V, U.T)).fit(X)
        if best is None or fitted.objective_[-1] < lowest:
            best, lowest = (fitted.representation_, fitted.components_), fitted.objective_[-1]
    if best is None:
        raise ValueError(f"starts={starts} must be >= 1")
    return best


def rand(seed: int = SEED) -> RandomState:
    """The stream of MATLAB's ``rand('twister', seed)``.

    >>> rand(5489).random_sample(4).round(4)
    array([0.8147, 0.9058, 0.127 , 0.9134])
    """
    return RandomState(seed)


def sample(stream: RandomState, n: int, k: int) -> Array:
    """k different numbers below n, as MATLAB's ``randsample`` draws them.

    >>> sample(rand(5489), 100, 3)
    array([90, 81, 12])
    """
    if 4 * k > n:
        return _permutation(stream, n)[:k]
    chosen = np.zeros(n, dtype=bool)
    while (missing := k - int(chosen.sum())) > 0:
        chosen[np.ceil(n * stream.random_sample(missing)).astype(np.int64) - 1] = True
    return np.flatnonzero(chosen)[_permutation(stream, k)]


def replicated_kmeans(X: Any, k: int, stream: RandomState, replicates: int = 20) -> Array:
    """Labels with the smallest sum of distances (not of their squares) among runs that start at k random samples."""
    return least_kmeans(X, k, stream, replicates)[0]


def least_kmeans(X: Any, k: int, stream: RandomState, replicates: int = 20) -> tuple[Array, float]:
    """The same, and that sum."""
    points = _Points(X)
    best, lowest = np.zeros(X.shape[0], dtype=np.int64), np.inf
    for _ in range(replicates):
        labels, total = _kmeans(points, _dense(X[sample(stream, X.shape[0], k)]))
        if total < lowest:
            best, lowest = labels, total
    return best, lowest


def _kmeans(points: _Points, centers: Array) -> tuple[Array, float]:
    """Labels, and the sum of the distances of the samples from their centres."""
    labels = _assign(points.square_distances(centers))
    for _ in range(1, KMEANS_ITERATIONS):
        centers, last = points.means(labels, len(centers)), labels
        labels = _assign(points.square_distances(centers))
        if np.array_equal(labels, last):
            break
    distances = points.square_distances(points.means(labels, len(centers)))
    own = np.take_along_axis(distances, labels[:, None], axis=1)
    return labels, float(np.sqrt(np.maximum(own, 0)).sum())


def _assign(distances: Array) -> Array:
    """The nearest centre of each sample; centres without samples take those that are farthest from theirs."""
    labels = distances.argmin(axis=1)
    empty = np.setdiff1d(np.arange(distances.shape[1]), labels)
    if len(empty):
        farthest = np.argsort(-distances.min(axis=1), kind="stable")
        labels[farthest[: len(empty)]] = empty
    return labels


class _Points:
    """Samples for k-means, with what all starts share: their lengths, and the transpose of sparse ones."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.lengths = row_norms(X, squared=True)[:, None]
        self.transpose = sparse.csr_array(X.T) if sparse.issparse(X) else None

    def square_distances(self, centers: Array) -> Array:
        """‖x − c‖², infinite where a cluster has no centre."""
        products = self.X @ centers.T if self.transpose is None else _times(self.X, centers.T)
        return np.nan_to_num(self.lengths + (row_norms(centers, squared=True) - 2 * products), nan=np.inf)

    def means(self, labels: Array, k: int) -> Array:
        """Centres of the clusters; nan for one whose only sample was taken to fill another."""
        members = np.zeros((len(labels), k), dtype=self.X.dtype)
        members[np.arange(len(labels)), labels] = 1
        sums = members.T @ self.X if self.transpose is None else _times(self.transpose, members).T
        sizes = np.bincount(labels, minlength=k)[:, None]
        return np.ascontiguousarray(sums / np.where(sizes > 0, sizes, np.nan).astype(sums.dtype))


def _times(X: Any, P: Array) -> Array:
    return backend_of(P).times(Matrix(X), P)


def _dense(A: Any) -> Array:
    return A.toarray() if sparse.issparse(A) else np.asarray(A)


def _matrix(stream: RandomState, rows: int, columns: int) -> Array:
    """``rand(rows, columns)``, which MATLAB fills column by column."""
    return stream.random_sample((columns, rows)).T


def _permutation(stream: RandomState, n: int) -> Array:
    """``randperm(n)``: the order of n draws."""
    return np.argsort(stream.random_sample(n), kind="stable")
