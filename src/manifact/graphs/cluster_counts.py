"""How many clusters a graph has, chosen without labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from manifact.backends import Array, threads
from manifact.graphs.eigenvector_clusters import clusters
from manifact.graphs.operators import AffinityGraph
from manifact.graphs.shared_information import agreement, modularity
from manifact.graphs.spectral import even_eigenvectors

#: Share of the edges that each of two clusterings does without, and pairs of clusterings that are compared.
DROPPED, PAIRS = 0.2, 3
#: Of eigenvectors that clusters are read off: a cluster does not hang on the third digit.
RESIDUAL = 2e-3


class CountEvidence(NamedTuple):
    """What speaks for a number of clusters: the larger the sum of both, the more."""

    #: Of what two clusterings say that see different edges, the share that they say alike beyond chance. It falls where
    #: clusters are cut at random.
    share: float
    #: Of the edges, the share inside clusters beyond chance. It falls where clusters are merged, or split.
    modularity: float


def count_evidence(W: Any, sizes: Sequence[int], rng: np.random.RandomState) -> list[CountEvidence]:
    """For each number of clusters in ``sizes``, from pairs of clusterings, each without a fifth of the edges of W."""
    graphs = [W, *(without_some_edges(W, DROPPED, rng) for _ in range(2 * PAIRS))]
    whole, *parts = threads.each(lambda some: clusters_of_sizes(some, sizes), graphs)
    shares = np.zeros(len(sizes))
    for one, other in zip(parts[::2], parts[1::2], strict=True):
        shares += [agreement(a, b).share for a, b in zip(one, other, strict=True)]
    values = [modularity(W, labels) for labels in whole]
    return [CountEvidence(float(share), value) for share, value in zip(shares / PAIRS, values, strict=True)]


def best_count(sizes: Sequence[int], evidence: Sequence[CountEvidence]) -> int:
    """The number of clusters with the largest sum.

    >>> best_count([2, 5, 9], [CountEvidence(0.9, 0.4), CountEvidence(0.8, 0.8), CountEvidence(0.5, 0.8)])
    5
    """
    return sizes[int(np.argmax([sum(what) for what in evidence]))]


def clusters_of_sizes(W: Any, sizes: Sequence[int]) -> list[Array]:
    """Clusters of each size. Eigenvectors are nested, so those for the largest serve all of them."""
    graph = AffinityGraph(W)
    _, E = even_eigenvectors(graph, min(max(sizes), graph.n_samples), residual=RESIDUAL)
    return [clusters(E[:, :k]) for k in sizes]


def without_some_edges(W: Any, share: float, rng: np.random.RandomState) -> Any:
    """The symmetric W without about this share of its edges."""
    upper = sparse.triu(W, 1).tocoo()
    kept = rng.uniform(size=upper.nnz) >= share
    half = sparse.csr_array((upper.data[kept], (upper.row[kept], upper.col[kept])), shape=W.shape)
    return sparse.csr_array(half + half.T)
