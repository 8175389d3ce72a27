"""Where the iteration starts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from manifact.backends import Array, backend_of, host_dtype, on_host
from manifact.graphs import Graph, KNNGraph
from manifact.graphs.spectral import leading_eigenvectors
from manifact.utils.errors import BadValueError, Sentence

STARTS = ("random", "nndsvd", "nndsvda", "kmeans", "spectral")
#: What the cluster indicators of a k-means or spectral start are raised by: zeros could never grow.
INDICATOR_FLOOR = 0.2
#: Power iterations behind nndsvd: as many as scikit-learn takes for few directions.
SVD_ITERATIONS = 7
#: Runs of k-means, of which the best is taken.
KMEANS_STARTS = 10


def start(init: str, X: Any, k: int, rng: np.random.RandomState, graph: Graph | None) -> tuple[Array, Array]:
    """U with unit columns and V, from the named start."""
    n, m = X.shape
    match init:
        case "random":
            # Column by column, U first: the order in which the authors' MATLAB programs draw.
            U, V = rng.random_sample((k, m)).T, rng.random_sample((k, n)).T
        case "nndsvd" | "nndsvda":
            U, V = _nndsvd(X, k, rng, fill=init == "nndsvda")
        case "kmeans":
            U, V = from_clusters(X, kmeans(X, k, Sentence("{init}='kmeans'"), rng), k)
        case _:
            graph = KNNGraph().build(X) if graph is None else graph
            U, V = from_clusters(X, spectral_clusters(graph, k, rng), k)
    return unit_columns(_typed(U, host_dtype(X)), _typed(V, host_dtype(X)))


def concept_start(init: str, X: Any, k: int, rng: np.random.RandomState, graph: Graph | None) -> tuple[Array, Array]:
    """C and V, both n x k: concepts made of samples."""
    n = X.shape[0]
    match init:
        case "random":
            C, V = rng.random_sample((k, n)).T, rng.random_sample((k, n)).T
        case "nndsvd" | "nndsvda":
            # K has the left singular vectors of the data; each concept is the mean of the samples that use it.
            V = _nndsvd(X, k, rng, fill=init == "nndsvda")[1]
            C = V / np.maximum(V.sum(axis=0), np.finfo(V.dtype).tiny)
        case _:
            labels = (
                kmeans(X, k, Sentence("{init}='kmeans'"), rng)
                if init == "kmeans"
                else spectral_clusters(KNNGraph().build(X) if graph is None else graph, k, rng)
            )
            C, V = _members(labels, k)
    return _typed(C, host_dtype(X)), _typed(V, host_dtype(X))


def unit_columns(U: Array, V: Array) -> tuple[Array, Array]:
    """U with columns of length 1, the scale moved into V (GNMF paper, eq 16). A column of zeros stays."""
    norms = np.sqrt(np.einsum("ij,ij->j", U, U, dtype=np.float64)).astype(U.dtype)
    norms[norms == 0] = 1
    return U / norms, V * norms


def spectral_clusters(graph: Graph, k: int, rng: np.random.RandomState) -> Array:
    """Labels from the row-normalised leading eigenvectors of D^(−1/2) W D^(−1/2) (Ng, Jordan, Weiss)."""
    if k > graph.n_samples:
        raise BadValueError("{init}='spectral' needs n_samples >= {n_components}, got {} < {}", graph.n_samples, k)
    vectors = leading_eigenvectors(graph, k, rng)
    return kmeans(normalize(vectors), k, Sentence("{init}='spectral'"), rng)


def kmeans(X: Any, k: int, what: Sentence, rng: np.random.RandomState) -> Array:
    """Labels of the best of ten starts; ``what`` names the parameter that asked for them."""
    if k > X.shape[0]:
        raise BadValueError("{} needs n_samples >= {n_components}, got {} < {}", what, X.shape[0], k)
    labels: Array = on_host(backend_of(X).kmeans(X, k, KMEANS_STARTS, rng)[0])
    return labels


def from_clusters(X: Any, labels: Array, k: int, floor: float = INDICATOR_FLOOR) -> tuple[Array, Array]:
    """Cluster means as basis, memberships (raised a little) as representation."""
    members = indicator(labels, k)
    sizes = np.maximum(members.sum(axis=0), 1)
    return transposed_times(X, members) / sizes, members + floor


def transposed_times(X: Any, P: Array) -> Array:
    """XᵀP of an array P of the host, where X lives, and back."""
    backend = backend_of(X)
    placed = backend.rows.typed(backend.like(P, X), host_dtype(X))
    return np.asarray(on_host(backend.data(X, None).times_transposed(placed)))


def _members(labels: Array, k: int) -> tuple[Array, Array]:
    """Concepts that are the means of clusters, and memberships (raised a little)."""
    members = indicator(labels, k)
    return members / np.maximum(members.sum(axis=0), 1), members + INDICATOR_FLOOR


def indicator(labels: Array, k: int) -> Array:
    """1 where a sample is in a cluster."""
    members = np.zeros((len(labels), k))
    members[np.arange(len(labels)), labels] = 1
    return members


def _nndsvd(X: Any, k: int, rng: np.random.RandomState, fill: bool) -> tuple[Array, Array]:
    """Non-negative double SVD (Boutsidis, Gallopoulos 2008): the larger signed half of each singular pair."""
    if k > min(X.shape):
        raise BadValueError(
            "{init}='nndsvd' and 'nndsvda' need {n_components} <= min(n_samples, n_features), got {} > {}",
            k,
            min(X.shape),
        )
    values, right = backend_of(X).leading_directions(X, k, rng, iterations=SVD_ITERATIONS)
    values, right, left = map(on_host, (values, right, backend_of(X).projected(X, right) / values))
    # Parts beyond the rank of X are empty.
    V, U = np.zeros((X.shape[0], k)), np.zeros((X.shape[1], k))
    for c in range(len(values)):
        halves = []
        for sign in (1, -1):
            v, u = np.maximum(sign * left[:, c], 0), np.maximum(sign * right[:, c], 0)
            halves.append((np.linalg.norm(v) * np.linalg.norm(u), v, u))
        size, v, u = max(halves, key=lambda half: half[0])
        scale = np.sqrt(values[c] * size)
        V[:, c], U[:, c] = scale * _unit(v), scale * _unit(u)
    if fill:
        mean = abs(on_host(X)).mean()
        V[1e-6 * V.max() > V] = mean
        U[1e-6 * U.max() > U] = mean
    return U, V


def _unit(v: Array) -> Array:
    norm = np.linalg.norm(v)
    return v / norm if norm > 0 else v


def _typed(P: Array, dtype: Any) -> Array:
    return np.ascontiguousarray(P, dtype=dtype)
