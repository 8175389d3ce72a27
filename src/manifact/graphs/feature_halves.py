"""What graphs of two disjoint halves of the features say alike: evidence for a graph that needs no labels.

Noise differs from feature to feature, and what samples are does not: where a way of looking for neighbours finds the
same clusters in both halves, it has found something about the samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.graphs.agreement import Agreement, agreement
from manifact.graphs.cluster_counts import clusters_of_sizes
from manifact.graphs.copies import Copies
from manifact.graphs.edge_weights import symmetric_affinity
from manifact.graphs.neighbor_lists import find_neighbors
from manifact.graphs.views import Directions, View, row_lengths
from manifact.utils.sparse_matrices import empty_rows, sorted_csr

#: So many samples are looked at, or so many for each cluster where that is more; drawn anew for each pair of halves.
SAMPLES, SAMPLES_PER_CLUSTER = 1500, 15

#: Share of entries that are not zero from which a few samples are handled as an array.
FULL = 0.03


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
    X: Any, candidates: Sequence[Candidate], sizes: Sequence[int], rng: np.random.RandomState
) -> dict[Candidate, list[Agreement]]:
    """What the clusterings of two random halves of the features say alike, for each candidate and number of clusters.

    X has no two equal rows. Samples without entries in either half are left out.
    """
    X = _plain_if_full(_some(X, max(sizes), rng))
    columns = rng.permutation(X.shape[1])
    middle = len(columns) // 2
    halves = [X[:, np.sort(half)] for half in (columns[:middle], columns[middle:])]
    both = np.flatnonzero(~(empty_rows(halves[0]) | empty_rows(halves[1])))
    lengths = row_lengths(X)[both]
    seeds = rng.randint(2**31 - 1, size=2)
    clusterings = [
        _clusterings(_as_long(half[both], lengths), candidates, sizes, int(seed))
        for half, seed in zip(halves, seeds, strict=True)
    ]
    found: dict[Candidate, list[Agreement]] = {}
    for one, other in zip(*clusterings, strict=True):
        assert one[0] == other[0]
        found[one[0]] = [agreement(a, b) for a, b in zip(one[1], other[1], strict=True)]
    return found


def _as_long(half: Any, lengths: Array) -> Any:
    """Halves of samples at the lengths of the whole ones: how a length is shared out among halves says nothing."""
    scale = lengths / row_lengths(half)
    if sparse.issparse(half):
        return sorted_csr(sparse.diags_array(scale.astype(half.dtype)) @ half)
    return half * scale[:, None].astype(half.dtype)


def _some(X: Any, k: int, rng: np.random.RandomState) -> Any:
    most = max(SAMPLES, SAMPLES_PER_CLUSTER * k)
    return X if X.shape[0] <= most else X[np.sort(rng.choice(X.shape[0], most, replace=False))]


def _plain_if_full(X: Any) -> Any:
    """Sparse samples as an array where a good part of it is entries: products are quicker then."""
    full = sparse.issparse(X) and X.nnz > FULL * X.shape[0] * X.shape[1]
    return X.toarray() if full else X


def _clusterings(
    X: Any, candidates: Sequence[Candidate], sizes: Sequence[int], seed: int
) -> Iterator[tuple[Candidate, list[Array]]]:
    """The clusters of each size in the graph of each candidate."""
    decomposed: dict[bool, Directions] = {}
    for features in dict.fromkeys(features for features, _ in candidates):
        counts = [count for other, count in candidates if other == features]
        if features.directions is not None and features.roots not in decomposed:
            most = max(one.directions or 0 for one, _ in candidates if one.roots == features.roots)
            decomposed[features.roots] = Directions.of(X, most, features.roots, seed)
        view = View.fit(X, *features, svd=decomposed.get(features.roots))
        Z = view.features(X)
        found = find_neighbors(Z, max(counts), "euclidean" if view.plain else "unit", copies="each")
        for count in counts:
            pairs = found.cut(count).pairs()
            assert pairs.squares is not None
            W, _ = symmetric_affinity(pairs.rows, pairs.columns, pairs.squares, X.shape[0], "local")
            yield (features, count), clusters_of_sizes(W, sizes)


def distinct(X: Any) -> Any:
    """X without rows that equal others, and without empty ones."""
    some = Copies(X).heads
    some = some[~empty_rows(X)[some]]
    return X if len(some) == X.shape[0] else X[some]
