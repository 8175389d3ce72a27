"""Which graph of samples to use, and how many clusters it has, chosen without labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from manifact.backends import Array, threads
from manifact.graphs.agreement import Agreement, modularity
from manifact.graphs.feature_halves import Candidate, Features, clusters_of_sizes, distinct, said_alike
from manifact.graphs.knn import KNNGraph, NeighborGraph
from manifact.utils.progress import steps

#: Ways to look for neighbours that are compared, the plainest first.
FEATURES = (
    Features(),
    Features(roots=True),
    Features(directions=100),
    Features(directions=50),
    Features(directions=100, balance=0.5),
    Features(directions=50, balance=0.5),
    Features(directions=50, balance=1.0),
)
#: Numbers of neighbours: few where they can be relied on (images), many where one alone says little (texts, cells).
NEIGHBORS = (5, 30)
#: The few are taken where they say at least this share of what the many say.
ENOUGH = 0.9
#: Pairs of halves of the features. After the first ones, ways that say less than this share of the best are left out.
FIRST_PAIRS, PAIRS, BEHIND = 2, 6, 0.9
#: The plain features stay unless others say more by so many standard errors.
CLEARLY = 1.0
#: Samples whose graph tells the modularity of clusters.
WHOLE = 5000


@dataclass(frozen=True)
class Evidence:
    """What speaks for a candidate at one number of clusters."""

    features: Features
    n_neighbors: int
    n_components: int
    #: What clusterings of two halves of the features say alike: bits (their mean and its standard error) and share.
    bits: float
    bits_error: float
    share: float
    #: Of clusters of the graph of all features, where it was looked at.
    modularity: float | None = None

    @property
    def row(self) -> dict[str, Any]:
        """As numbers and words, one of them a name for each column of a table."""
        values = {"features": str(self.features)} | self.features._asdict()
        values |= {"n_neighbors": self.n_neighbors, "n_components": self.n_components}
        return values | {
            "bits": self.bits, "bits_error": self.bits_error, "share": self.share, "modularity": self.modularity
        }  # fmt: skip


@dataclass(frozen=True)
class GraphChoice:
    """The candidate that was chosen, for how many clusters, and everything that was looked at."""

    features: Features
    n_neighbors: int
    n_components: int
    evidence: tuple[Evidence, ...]

    def builder(self, **parameters: Any) -> KNNGraph:
        """The chosen graph's."""
        chosen = {"weight": "local"} | self.features._asdict() | {"n_neighbors": self.n_neighbors}
        return KNNGraph(**(chosen | parameters))

    def candidates(self) -> list[dict[str, Any]]:
        """What was looked at, as rows of a table; those of the chosen graph are marked."""
        chosen = (self.features, self.n_neighbors)
        return [one.row | {"chosen": (one.features, one.n_neighbors) == chosen} for one in self.evidence]


def choose_graph(
    X: Any, sizes: Sequence[int], rng: np.random.RandomState, n_neighbors: Sequence[int] = NEIGHBORS
) -> GraphChoice:
    """The graph in which two halves of the features say most alike, and which of ``sizes`` it speaks for.

    Features are compared by the bits that their clusterings say alike, added up over the numbers of neighbours, at one
    number of clusters; where several are possible, each at the number where it says most.
    """
    X = distinct(X)
    counts = _counts(n_neighbors, X.shape[0])
    known = _Findings(list(sizes), counts)
    sizes = known.sizes
    # Nothing to compare, or no halves that could disagree.
    if max(sizes) < 2 or min(X.shape) < 4 or max(sizes) > X.shape[0] // 2:
        return GraphChoice(Features(), counts[0], sizes[0], ())
    known.look(X, _possible(X), rng)
    features = known.best_features()
    graphs: dict[int, list[float]] = {}
    if len(sizes) > 1:
        graphs = {count: _modularities(X, features, count, sizes, rng) for count in counts}
        known.modularity |= {(features, count): found for count, found in graphs.items()}
    count = known.best_count(features)
    return GraphChoice(features, count, known.best_size((features, count)), tuple(known.evidence()))


class _Findings:
    """What pairs of halves said, by candidate."""

    def __init__(self, sizes: list[int], counts: list[int]) -> None:
        self.sizes, self.counts = sizes, counts
        self.pairs: dict[Candidate, list[list[Agreement]]] = {}
        self.modularity: dict[Candidate, list[float]] = {}

    def look(self, X: Any, possible: list[Features], rng: np.random.RandomState) -> None:
        """At `PAIRS` pairs of halves; after the first, only at the ways that may still be the best."""
        seeds = rng.randint(2**31 - 1, size=PAIRS)
        with steps("graphs", total=PAIRS) as advance:
            for some in (seeds[:FIRST_PAIRS], seeds[FIRST_PAIRS:]):
                candidates = [(features, count) for features in possible for count in self.counts]
                for found in _in_threads(
                    lambda seed, candidates=candidates: said_alike(
                        X, candidates, self.sizes, np.random.RandomState(seed)
                    ),
                    some,
                ):
                    for candidate, agreements in found.items():
                        self.pairs.setdefault(candidate, []).append(agreements)
                    advance(1)
                most = max(self.mean_bits(features) for features in possible)
                possible = [f for f in possible if f.plain or self.mean_bits(f) >= BEHIND * most]

    def bits(self, candidate: Candidate) -> Array:
        """Of every pair of halves, for every size."""
        return np.array([[one.bits for one in sizes] for sizes in self.pairs[candidate]])

    def shares(self, candidate: Candidate) -> Array:
        """The mean share for every size."""
        return np.array([[one.share for one in sizes] for sizes in self.pairs[candidate]]).mean(axis=0)

    def at_best(self, features: Features) -> Array:
        """The bits of every pair, at the size where the mean is largest; the mean over numbers of neighbours."""
        each = [self.bits((features, count)) for count in self.counts]
        return np.mean([bits[:, bits.mean(axis=0).argmax()] for bits in each], axis=0)

    def mean_bits(self, features: Features) -> float:
        return float(self.at_best(features).mean())

    def best_features(self) -> Features:
        """Those with the most bits; the plain ones, unless others have clearly more in the same halves."""
        complete = [f for f in dict.fromkeys(f for f, _ in self.pairs) if len(self.pairs[f, self.counts[0]]) == PAIRS]
        best = max(complete, key=self.mean_bits)
        more = self.at_best(best) - self.at_best(Features())
        return best if more.mean() > CLEARLY * _error(more) else Features()

    def best_size(self, candidate: Candidate) -> int:
        """The number of clusters with the largest sum of modularity and of the share said alike."""
        if len(self.sizes) == 1:
            return self.sizes[0]
        return self.sizes[int(np.argmax(np.array(self.modularity[candidate]) + self.shares(candidate)))]

    def best_count(self, features: Features) -> int:
        """The fewest neighbours that say almost as much as any others.

        With several sizes each number of neighbours may speak for another one, and bits of different sizes do not
        compare: there it is the one whose clusters are said alike to the largest share.
        """
        if len(self.sizes) > 1:
            return max(self.counts, key=lambda count: self._share_at_best_size((features, count)))
        bits = {count: float(self.bits((features, count)).mean()) for count in self.counts}
        return next(count for count in self.counts if bits[count] >= ENOUGH * max(bits.values()))

    def _share_at_best_size(self, candidate: Candidate) -> float:
        return float(self.shares(candidate)[self.sizes.index(self.best_size(candidate))])

    def evidence(self) -> list[Evidence]:
        found = []
        for (features, count), _ in self.pairs.items():
            bits, shares = self.bits((features, count)), self.shares((features, count))
            values = self.modularity.get((features, count), [None] * len(self.sizes))
            for at, k in enumerate(self.sizes):
                found.append(
                    Evidence(
                        features, count, k, float(bits[:, at].mean()), _error(bits[:, at]), float(shares[at]), values[at]
                    )
                )
        return found


def _error(values: Array) -> float:
    """The standard error of a mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def _counts(n_neighbors: Sequence[int], n: int) -> list[int]:
    """Numbers of neighbours in rising order: the smallest, and others that leave most samples out."""
    least, *others = sorted(set(n_neighbors))
    return [least, *(count for count in others if count <= n // 4)]


def _possible(X: Any) -> list[Features]:
    """Without roots of what is negative, and without more directions than there are."""
    signed = X.min() < 0
    few = min(FEATURES, key=lambda one: one.directions or np.inf).directions or 0
    most = max(few, min(X.shape[0], X.shape[1] // 2))
    return [one for one in FEATURES if not (one.roots and signed) and (one.directions or 0) <= most]


def _modularities(
    X: Any, features: Features, count: int, sizes: list[int], rng: np.random.RandomState
) -> list[float]:
    """Of the clusters of each size in the graph of the samples, or of many of them."""
    some = X if X.shape[0] <= WHOLE else X[np.sort(rng.choice(X.shape[0], WHOLE, replace=False))]
    graph = GraphChoice(features, count, sizes[0], ()).builder(copies="each").build(some)
    assert isinstance(graph, NeighborGraph)
    with threadpool_limits(1, user_api="blas"):
        return [modularity(graph.W, labels) for labels in clusters_of_sizes(graph, sizes)]


def _in_threads(work: Callable[[Any], Any], items: Sequence[Any]) -> Any:
    """work(item) of each, in order. BLAS keeps to the threads that call it: its own would wait for each other."""
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads.count()) as pool:
        yield from pool.map(work, items)
