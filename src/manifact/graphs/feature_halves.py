"""What graphs of two disjoint halves of the features say alike: evidence for a graph that needs no labels.

Noise differs from feature to feature, and what samples are does not: where a way of looking for neighbours finds the
same clusters in both halves, it has found something about the samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from manifact.backends import Array, backend_of, on_host, threads
from manifact.graphs.cluster_counts import clusters_of_sizes
from manifact.graphs.copies import Copies
from manifact.graphs.edge_weights import symmetric_affinity
from manifact.graphs.eigenvector_clusters import unit_rows
from manifact.graphs.shared_information import Agreement, agreement
from manifact.graphs.views import Directions, row_lengths
from manifact.utils.cached_properties import cached_property
from manifact.utils.sparse_matrices import empty_rows, sorted_csr

#: So many samples are looked at, or so many for each cluster where that is more; drawn anew for each pair of halves.
#: At most as many as their products with each other fit into memory easily.
SAMPLES, SAMPLES_PER_CLUSTER, MOST_SAMPLES = 1500, 15, 5000

#: Directions that are looked for at once, and iterations that find them: in products of samples each counts twice.
MOST_DIRECTIONS, ITERATIONS = 100, 1


class Features(NamedTuple):
    """In which features neighbours are looked for: parameters of `KNNGraph`."""

    roots: bool = False
    directions: int | None = None
    balance: float = 0.0

    @property
    def plain(self) -> bool:
        """As they are."""
        return self == Features()

    def __str__(self) -> str:
        base = "square roots" if self.roots else "features"
        if self.directions is None:
            return base if self.roots else "all features"
        balance = {0.0: "as long as they are", 1.0: "equally long"}.get(self.balance, f"balance {self.balance:g}")
        return f"{self.directions} directions{' of square roots' if self.roots else ''}, {balance}"


#: A way to look for neighbours and their number.
Candidate = tuple[Features, int]


def said_alike(
    X: Any, candidates: Sequence[Candidate], sizes: Sequence[int], seeds: Sequence[int]
) -> Iterator[dict[Candidate, list[Agreement]]]:
    """What the clusterings of two random halves of the features say alike, for each candidate and number of clusters.

    Of one pair of halves after the other, drawn by its seed; a thread clusters a half. X has no two equal rows. Samples
    without entries in either half are left out.
    """

    def clustered(half: tuple[int, int]) -> dict[Candidate, list[Array]]:
        return _clusterings(_half(X, max(sizes), *half), candidates, sizes)

    found = threads.each(clustered, [(seed, which) for seed in seeds for which in (0, 1)])
    for one, other in zip(found, found, strict=True):
        yield {
            candidate: [agreement(a, b) for a, b in zip(one[candidate], other[candidate], strict=True)]
            for candidate in candidates
        }


def _half(X: Any, k: int, seed: int, which: int) -> SampleProducts:
    """Some samples by one of the two halves of their features that a seed draws."""
    rng = np.random.RandomState(seed)
    X = _some(X, k, rng)
    columns = rng.permutation(X.shape[1])
    middle = len(columns) // 2
    mine, other = (columns[:middle], columns[middle:])[:: 1 if which == 0 else -1]
    half = X[:, np.sort(mine)]
    both = np.flatnonzero(~empty_rows(half) & _entries_in(X, other))
    return SampleProducts(half[both], row_lengths(X)[both])


def _entries_in(X: Any, columns: Array) -> Array:
    """Which rows have an entry in some of the columns."""
    if not sparse.issparse(X):
        return ~empty_rows(X[:, columns])
    chosen = np.zeros(X.shape[1])
    chosen[columns] = 1
    return np.asarray(sparse.csr_array(((X.data != 0).astype(float), X.indices, X.indptr), shape=X.shape) @ chosen > 0)


def _some(X: Any, k: int, rng: np.random.RandomState) -> Any:
    """At most so many samples, on the host: graphs this small are quickest there."""
    most = min(max(SAMPLES, SAMPLES_PER_CLUSTER * k), MOST_SAMPLES)
    return drawn(X, most, rng)


def drawn(X: Any, most: int, rng: np.random.RandomState) -> Any:
    """At most so many rows of X, drawn at random and in their order, on the host."""
    if X.shape[0] <= most:
        return on_host(X)
    return on_host(backend_of(X).rows.taken(X, np.sort(rng.choice(X.shape[0], most, replace=False))))


def _clusterings(
    half: SampleProducts, candidates: Sequence[Candidate], sizes: Sequence[int]
) -> dict[Candidate, list[Array]]:
    """The clusters of each size in the graph of each candidate."""
    found: dict[Candidate, list[Array]] = {}
    for features in dict.fromkeys(features for features, _ in candidates):
        counts = [count for other, count in candidates if other == features]
        for count, W in zip(counts, half.affinities(features, counts), strict=True):
            found[features, count] = clusters_of_sizes(W, sizes)
    return found


class SampleProducts:
    """Inner products of samples, for every way to look for neighbours, and the graphs that follow.

    The products of samples tell their leading directions as well, X ~ P diag(s) Qᵀ and X Xᵀ ~ P diag(s²) Pᵀ: so
    samples are multiplied once, however many ways are compared. In float32, whose digits decide between neighbours that
    nobody could tell apart.
    """

    def __init__(self, X: Any, lengths: Array) -> None:
        """No row may be empty. Those of half of the features get the ``lengths`` of whole ones.

        How a length is shared out among halves says nothing.
        """
        self._X, self._lengths = X, lengths / lengths.max(initial=0.0)

    def affinities(self, features: Features, counts: Sequence[int]) -> list[Any]:
        """W with "local" weights, for each number of neighbours."""
        G = self.compared(features)
        n, found = len(G), []
        index, squares = backend_of(G).nearest_by_products(G, max(counts))
        for count in counts:
            few, far = index[:, :count], squares[:, :count]
            rows = np.repeat(np.arange(n), few.shape[1])
            found.append(symmetric_affinity(rows, few.ravel(), far.ravel(), n, "local")[0])
        return found

    def compared(self, features: Features) -> Array:
        """⟨z_i, z_j⟩ of the samples as `View` compares them, but for a common shift of all, which moves no distance."""
        if features.directions is None:
            return self._rooted[0] if features.roots else self._plain[0]
        s, P = self._rooted_directions if features.roots else self._plain_directions
        d = features.directions
        Z = unit_rows(P[:, :d] * (s[:d] / s[0]) ** (1 - features.balance)).astype(np.float32)
        return backend_of(Z).row_products(Z)

    @cached_property
    def _plain(self) -> tuple[Array, Array]:
        return _products(_scaled(self._X, self._lengths / row_lengths(self._X)))

    @cached_property
    def _rooted(self) -> tuple[Array, Array]:
        return _products(_scaled(self._roots, 1 / row_lengths(self._roots)))

    @cached_property
    def _roots(self) -> Any:
        return np.sqrt(self._X)

    @cached_property
    def _plain_directions(self) -> tuple[Array, Array]:
        return _directions(self._X, *self._plain)

    @cached_property
    def _rooted_directions(self) -> tuple[Array, Array]:
        return _directions(self._roots, *self._rooted)


def _scaled(X: Any, scale: Array) -> Any:
    """diag(scale) X in float32."""
    if sparse.issparse(X):
        return sorted_csr(sparse.diags_array(scale) @ X).astype(np.float32)
    return X * scale[:, None]


def _products(X: Any) -> tuple[Array, Array]:
    """X Xᵀ of centred rows, where they are an array, in float32, and what the centre adds to a row's products.

    A common offset would eat the digits of differences; sparse rows have none.
    """
    if sparse.issparse(X):
        return backend_of(X).row_products(X), np.zeros(X.shape[0])
    centre = X.mean(axis=0)
    X = X - centre
    return backend_of(X).row_products(X.astype(np.float32)), X @ centre + centre @ centre / 2


def _directions(X: Any, G: Array, added: Array) -> tuple[Array, Array]:
    """Singular values and left singular vectors of samples at unit length, from their products G + added."""
    if not sparse.issparse(X) and X.shape[1] <= X.shape[0]:
        # All directions of few features are wanted, the shortest of which products in float32 do not hold.
        s, Q = Directions.of(X, MOST_DIRECTIONS)
        return s, unit_rows(X) @ (Q / s)
    G = G + (added[:, None] + added).astype(np.float32)
    scale = (1 / np.sqrt(G.diagonal())).astype(np.float32)
    G *= scale[:, None] * scale
    squares, P = backend_of(G).leading_directions(G, min(MOST_DIRECTIONS, len(G)), iterations=ITERATIONS)
    return np.sqrt(squares), P


def distinct(X: Any) -> Any:
    """X without rows that equal others, and without empty ones."""
    rows, some = backend_of(X).rows, Copies(X).heads
    some = some[~rows.empty(X)[some]]
    return X if len(some) == X.shape[0] else rows.taken(X, some)
