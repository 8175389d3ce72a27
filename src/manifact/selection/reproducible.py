"""How much of a graph's clusters comes back when other edges are missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import qr, svd
from sklearn.metrics.cluster import expected_mutual_information
from sklearn.preprocessing import normalize

from manifact.backends import Array
from manifact.graphs.operators import AffinityGraph
from manifact.graphs.spectral import leading_eigenvectors

#: Share of the edges that each of two clusterings does without.
DROPPED = 0.2


class Evidence(NamedTuple):
    """What speaks for a number of clusters."""

    #: Bits that two clusterings say of a sample alike, beyond chance; and differently.
    agreed: float
    disagreed: float
    #: Weight of the edges inside clusters, as a share; less what it would be by chance; and how sure the share is.
    modularity: float
    modularity_error: float
    #: Standard error of ``net``, where several pairs of clusterings were compared.
    net_error: float = 0.0

    @property
    def net(self) -> float:
        """``agreed`` − ``disagreed``."""
        return self.agreed - self.disagreed


def averaged(pairs: Sequence[Evidence]) -> Evidence:
    """The mean of what several pairs of clusterings say, and how sure it is."""
    error = np.std([one.net for one in pairs], ddof=1) / np.sqrt(len(pairs))
    return Evidence(*np.mean(pairs, axis=0).tolist())._replace(net_error=float(error))


def reproducible(W: Any, sizes: Sequence[int], rng: np.random.RandomState) -> list[Evidence]:
    """The evidence for each k of ``sizes`` from two clusterings of the graph, each of which sees four fifths of it.

    Eigenvectors are nested, so those for the largest k serve all of them.
    """
    most = max(sizes)
    thinned = (AffinityGraph(without_some_edges(W, DROPPED, rng)) for _ in range(2))
    one, other = [leading_eigenvectors(graph, most, rng) for graph in thinned]
    found = []
    for k in sizes:
        both = clusters(one[:, :k]), clusters(other[:, :k])
        quality, error = np.mean([modularity(W, labels) for labels in both], axis=0)
        found.append(Evidence(*shared(*both), float(quality), float(error)))
    return found


def without_some_edges(W: Any, share: float, rng: np.random.RandomState) -> Any:
    """The symmetric W without about this share of its edges."""
    upper = sparse.triu(W, 1).tocoo()
    kept = rng.uniform(size=upper.nnz) >= share
    half = sparse.csr_array((upper.data[kept], (upper.row[kept], upper.col[kept])), shape=W.shape)
    return sparse.csr_array(half + half.T)


def clusters(E: Array) -> Array:
    """A cluster for each row of k eigenvectors.

    Pivoted QR finds k samples whose directions are as different as possible; every sample goes with the axis it is
    nearest to once these are turned onto the axes (A. Damle, V. Minden, L. Ying. Simple, direct and efficient multi-way
    spectral clustering. Information and Inference 8, 2019). There is no start, so only the graph makes a difference.
    """
    F = normalize(E)
    corners = qr(F.T, mode="r", pivoting=True, check_finite=False)[1][: F.shape[1]]
    left, _, right = svd(F[corners].T, check_finite=False)
    return np.abs(F @ (left @ right)).argmax(axis=1)


def modularity(W: Any, labels: Array) -> tuple[float, float]:
    """The share of edges inside clusters − Σ (share of ends in a cluster)², and the standard error of the former."""
    total = float(W.data.sum())
    if not total:
        return 0.0, 0.0
    starts = np.repeat(labels, np.diff(W.indptr))
    inside = float(W.data[starts == labels[W.indices]].sum()) / total
    ends = np.bincount(starts, weights=W.data) / total
    error = np.sqrt(max(inside * (1 - inside), 0.0) / (W.nnz / 2))
    return inside - float(ends @ ends), float(error)


def shared(one: Array, other: Array) -> tuple[float, float]:
    """I − E[I] and H − I of two clusterings, in bits.

    E[I] is what labels would share that are dealt out anew to the samples: without it, the more clusters the better.
    """
    n, width = len(one), int(other.max()) + 1
    together = np.bincount(one * width + other, minlength=(int(one.max()) + 1) * width).reshape(-1, width)
    together = together[together.any(axis=1)][:, together.any(axis=0)]
    both = _entropy(together.sum(axis=1) / n) + _entropy(together.sum(axis=0) / n)
    mutual = both - _entropy(together[together > 0] / n)
    by_chance = expected_mutual_information(together, n) / np.log(2)
    return float(mutual - by_chance), float(both / 2 - mutual)


def _entropy(shares: Array) -> float:
    return float(-(shares * np.log2(shares)).sum())
