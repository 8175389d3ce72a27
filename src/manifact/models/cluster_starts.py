"""The start of a model that nobody chose a start for: clusters whose parts are apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array, as_data, backend_of, host_dtype, on_host
from manifact.graphs import Graph
from manifact.graphs.spectral import spectral_rows
from manifact.models.short_runs import least_squares_run
from manifact.models.starts import indicator, kmeans, start, transposed_times, unit_columns
from manifact.utils.errors import BadValueError, Sentence

#: Iterations of the plain NMF that clusters are compared with: enough to know its parts.
NMF_ITERATIONS = 30
#: How often memberships are averaged with those of the neighbours, and an NMF's before clusters are read off.
SOFTENED, SMOOTHED = 2, 3
#: What k parts together add to the memberships: while parts are made, so that they leave out what all samples share,
#: and when the iterations start, where zeros could never grow.
SHARED, ADDED = 3.0, 0.03
#: A graph's largest cluster is a crowd at this many times an NMF's largest.
CROWD = 1.25
#: Clusters cut a graph as well as its own if they cut at most this many times as much. A crumb has less than this share
#: of what each cluster would have if all had the same. Of a graph with listed edges, and of one through landmarks,
#: where every sample is tied to many others and a small piece is a landmark or two.
AS_WELL, CRUMB = (1.2, 1.5), (0.01, 0.05)
#: So few samples are a crumb in any case: a piece of a graph of 5 neighbours has at least 6.
PIECE = 7
#: Clusters of samples crowd where the largest holds this many times what the largest part of a plain NMF does.
CROWDED = 1.5
#: Rounds of coordinate steps that make parts of memberships.
LEAST_SQUARES_SWEEPS = 30
#: Concepts are made of fewer samples while two are closer than this (cosine), down to so many.
CLOSE, EXEMPLARS = 0.9, 8


def graph_clusters(X: Any, k: int, rng: np.random.RandomState, graph: Graph) -> tuple[Array, bool]:
    """The graph's own clusters, or those of a plain NMF where the graph's are a crowd; and whether they are its own.

    Spectral clusters have almost the smallest normalised cut that there is, but in a graph that falls into pieces they
    get it by cutting off crumbs. So the NMF's are taken if the graph's largest is a crowd beside theirs, and if they
    cut the graph about as well or the graph's own have such a crumb. A crowd alone is no fault: classes may be that
    unequal.
    """
    if not graph.degrees.any():
        return sample_clusters(X, k, rng), False
    own = kmeans(angle_samples(graph, k), k, Sentence("{init}='spectral'"), rng)
    sizes, through_landmarks = np.bincount(own, minlength=k), graph.factored
    # No NMF has less than 1 / k of the samples in its largest part.
    if _least(X) < 0 or sizes.max() < CROWD * len(own) / k:
        return own, True
    plain = nmf_clusters(X, k, rng, graph)
    if sizes.max() < CROWD * np.bincount(plain).max():
        return own, True
    as_well = normalized_cut(graph, plain, k) <= AS_WELL[through_landmarks] * normalized_cut(graph, own, k)
    crumbs = sizes.min() < max(CRUMB[through_landmarks] * len(own) / k, PIECE)
    return (plain, False) if as_well or crumbs else (own, True)


def angle_samples(graph: Graph, k: int) -> Array:
    """The graph's angles as k-means takes them: in float32, which tells clusters apart in half the time."""
    if k > graph.n_samples:
        raise BadValueError("{init}='spectral' needs n_samples >= {n_components}, got {} < {}", graph.n_samples, k)
    return spectral_rows(graph, k).astype(np.float32)


def nmf_clusters(X: Any, k: int, rng: np.random.RandomState, graph: Graph | None = None) -> Array:
    """The largest part of each sample in a plain NMF, after its neighbours had their say."""
    # Which part is the largest needs no more digits, and the size of the data does not matter to it.
    rows = backend_of(X).rows
    single = rows.typed(rows.over(X, max(map(abs, rows.extent(X))) or 1.0), np.float32)
    labels = nmf_representation(single, k, rng).argmax(axis=1)
    return labels if graph is None else averaged(indicator(labels, k), graph, SMOOTHED).argmax(axis=1)


def sample_clusters(X: Any, k: int, rng: np.random.RandomState) -> Array:
    """The clusters of k-means, or those of a plain NMF if k-means crowds."""
    found = kmeans(X, k, Sentence("{init}='auto'"), rng)
    # No NMF has less than 1 / k of the samples in its largest part.
    if np.bincount(found).max() <= CROWDED * len(found) / k or _least(X) < 0:
        return found
    plain = nmf_clusters(X, k, rng)
    return plain if np.bincount(found).max() > CROWDED * np.bincount(plain).max() else found


def normalized_cut(graph: Graph, labels: Array, k: int) -> float:
    """The mean over clusters of the share of their weight that goes to others.

    >>> from manifact.graphs import as_builder
    >>> graph = as_builder(np.kron(np.eye(2), [[0, 1], [1, 0]])).build(np.eye(4))
    >>> normalized_cut(graph, np.array([0, 0, 1, 1]), 2), normalized_cut(graph, np.array([0, 1, 0, 1]), 2)
    (0.0, 1.0)
    """
    members = indicator(labels, k)
    volume = members.T @ graph.degrees
    inside = np.einsum("ij,ij->j", members, graph.adjacency(members))
    shares = np.divide(inside, volume, out=np.ones(k), where=volume > 0)
    return float(1 - shares.mean())


def averaged(members: Array, graph: Graph, times: int) -> Array:
    """Memberships, each averaged with its neighbours'."""
    degrees = graph.degrees[:, None]
    for _ in range(times):
        beside = np.divide(graph.adjacency(members), degrees, out=members.copy(), where=degrees > 0)
        members = 0.5 * members + 0.5 * beside
    return members


def parts_apart(X: Any, members: Array, rng: np.random.RandomState) -> tuple[Array, Array]:
    """U with unit columns and V from memberships.

    U are not the means of the clusters, which are all alike where samples have much in common, but the least-squares
    parts beside a share of every other part.
    """
    k = members.shape[1]
    U = _least_squares(X, members + SHARED / k)
    empty = ~U.any(axis=0)
    if empty.any():
        # Somebody else's part: a zero could never become one.
        U[:, empty] = _drawn(X, int(empty.sum()), rng)
    return unit_columns(U, (members + ADDED / k).astype(host_dtype(X)))


def seen_somewhere(U: Array) -> Array:
    """U in which every feature is in some part: a divergence from a sample that nothing can rebuild is infinite."""
    absent = np.logical_not(U.any(axis=1))
    return np.where(absent[:, None], U.dtype.type(1e-3 / np.sqrt(max(1, len(U)))), U)


def cluster_means(members: Array) -> tuple[Array, Array]:
    """C and V, both n x k: a concept is the mean of its cluster; an empty one is that of all samples."""
    sizes = members.sum(axis=0)
    held = np.where(sizes > 0, members, 1.0)
    return held / held.sum(axis=0), members + ADDED / members.shape[1]


def concepts_apart(X: Any, members: Array) -> tuple[Array, Array]:
    """C and V, both n x k, from memberships: a concept is the mean of the most typical samples of its cluster.

    Typical are those that have most of their own part beside the one that they have most of after it. Half of the
    samples are left out, and half again, as long as two concepts are all but the same.
    """
    own = members.argmax(axis=1)
    typical = _typical(X, members, own)
    rows = [np.flatnonzero(own == part) for part in range(members.shape[1])]
    # Nobody's cluster begins with somebody who is hardly in his: what is zero could never grow.
    rows = [inside if len(inside) else np.array([typical.argmin()]) for inside in rows]
    rows = [inside[np.argsort(-typical[inside], kind="stable")] for inside in rows]
    C = _means_of(rows, members.shape)
    while _closest(X, C) > CLOSE and max(map(len, rows)) > EXEMPLARS:
        rows = [inside[: max(EXEMPLARS, (len(inside) + 1) // 2)] for inside in rows]
        C = _means_of(rows, members.shape)
    return C, members + ADDED / members.shape[1]


def nmf_representation(X: Any, k: int, rng: np.random.RandomState) -> Array:
    """V of a plain NMF, for a basis of unit length."""
    U, V = (backend_of(X).like(factor, X) for factor in start("random", X, k, rng, None))
    return np.asarray(on_host(least_squares_run(as_data(X), U, V, NMF_ITERATIONS, 1e-4).V))


def _least_squares(X: Any, V: Array) -> Array:
    """U ≥ 0 that rebuilds X best from V; of any sign where X is."""
    V = V.astype(host_dtype(X))
    products = transposed_times(X, V)
    gram = V.T @ V
    if _least(X) < 0:
        return products @ np.linalg.pinv(gram, hermitian=True).astype(V.dtype)
    # float32 has more digits than a start hangs on, and kernels for it are there since the clusters were found; so has
    # a number of steps, where an exact answer would need one more kernel.
    size = float(np.abs(products).max(initial=0.0)) or 1.0
    G, B = gram.astype(np.float32), (products / size).astype(np.float32)
    U = backend_of(V).sweep_rows(np.zeros_like(B), G, B, 1.0, 0.0, LEAST_SQUARES_SWEEPS)
    return size * U.astype(V.dtype)


def _drawn(X: Any, number: int, rng: np.random.RandomState) -> Array:
    """Samples that are not empty, as columns."""
    rows = backend_of(X).rows
    has = np.flatnonzero(rows.lengths(X))
    if not len(has):
        return np.ones((X.shape[1], number))
    return np.abs(on_host(rows.dense(rows.taken(X, rng.choice(has, number)))).T)


def _typical(X: Any, members: Array, own: Array) -> Array:
    """How much more a sample has of its own part than of any other."""
    U = _least_squares(X, members + SHARED / members.shape[1])
    has = np.asarray(on_host(as_data(X).times(backend_of(X).like(unit_columns(U, members)[0], X))), dtype=np.float64)
    rows = np.arange(len(own))
    mine = has[rows, own]
    if members.shape[1] == 1:
        return mine
    has[rows, own] = -np.inf
    return mine - has.max(axis=1)


def _means_of(rows: list[Array], shape: tuple[int, ...]) -> Array:
    C = np.zeros(shape)
    for part, inside in enumerate(rows):
        C[inside, part] = 1 / max(len(inside), 1)
    return C


def _closest(X: Any, C: Array) -> float:
    """The largest cosine of two concepts."""
    U = unit_columns(transposed_times(X, C), C)[0].astype(np.float64)
    gram = U.T @ U
    np.fill_diagonal(gram, -1)
    return float(gram.max())


def _least(X: Any) -> float:
    return backend_of(X).rows.extent(X)[0]
