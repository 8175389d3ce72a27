"""Which graph of samples to use, and how many clusters it has, chosen without labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manifact.backends import Array, backend_of, threads
from manifact.graphs.cluster_counts import CountEvidence, best_count, clusters_of_sizes, count_evidence
from manifact.graphs.feature_halves import Candidate, Features, SampleProducts, distinct, drawn, said_alike
from manifact.graphs.knn import KNNGraph
from manifact.graphs.shared_information import modularity
from manifact.graphs.views import row_lengths
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
#: Those that differ most: where no number of clusters is given, all are compared at the numbers that these speak for.
EXTREMES = (Features(), Features(roots=True), Features(directions=50, balance=1.0))
#: Numbers of neighbours: few where they can be relied on (images), many where one alone says little (texts, cells).
NEIGHBORS = (5, 30)
#: The few are taken where they say at least this share of what the many say. Where the number of clusters is open each
#: speaks for another one, and bits at different numbers do not compare: there the few are taken where two halves of the
#: plain features say their clusters alike to this share.
ENOUGH, RELIABLE = 0.95, 0.6
#: Pairs of halves of the features, so many at once. After the first ones, ways that say less than this share of the
#: best are left out.
AT_ONCE, PAIRS, BEHIND = 2, 6, 0.9
#: And after each, those that say less by so many standard errors, which are at least this share of what the best say:
#: two pairs may differ by less than by chance.
HOPELESS, LEAST_ERROR = 2.0, 0.005
#: Pairs of halves that tell how many clusters a graph has.
COUNTING_PAIRS = 4
#: The plain features stay unless others say more by so many standard errors.
CLEARLY = 1.0
#: Samples whose graph tells how many clusters there are. What can be told apart grows with the number of samples: a
#: number of clusters means something for a number of samples only.
WHOLE = 3000


@dataclass(frozen=True)
class Evidence:
    """What speaks for a candidate at one number of clusters; None where it was not looked at."""

    features: Features
    n_neighbors: int
    n_components: int
    #: Bits that clusterings of two halves of the features say alike: their mean, and its standard error.
    bits: float | None = None
    bits_error: float | None = None
    #: See `CountEvidence`.
    share: float | None = None
    modularity: float | None = None

    @property
    def row(self) -> dict[str, Any]:
        """As a row of a table: ``features`` in words, and as parameters of `KNNGraph`."""
        values = {"features": str(self.features)} | self.features._asdict()
        names = ("n_neighbors", "n_components", "bits", "bits_error", "share", "modularity")
        return values | {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class GraphChoice:
    """The candidate that was chosen, for how many clusters, and everything that was looked at."""

    features: Features
    n_neighbors: int
    n_components: int
    evidence: tuple[Evidence, ...] = ()

    def builder(self, **parameters: Any) -> KNNGraph:
        """The chosen graph's."""
        chosen = {"weight": "local"} | self.features._asdict() | {"n_neighbors": self.n_neighbors}
        return KNNGraph(**(chosen | parameters))

    def candidates(self) -> list[dict[str, Any]]:
        """What was looked at, as rows of a table; those of the chosen graph are marked."""
        chosen = (self.features, self.n_neighbors)
        return [one.row | {"chosen": (one.features, one.n_neighbors) == chosen} for one in self.evidence]


def choose_graph(
    X: Any,
    sizes: Sequence[int],
    rng: np.random.RandomState,
    n_neighbors: Sequence[int] = NEIGHBORS,
    features: Sequence[Features] = FEATURES,
) -> GraphChoice:
    """The graph whose clusters two halves of the features say most alike, and which of ``sizes`` it speaks for.

    Graphs are compared at the same number of clusters: with more of them more can be said. Where it is open, the number
    of neighbours is chosen first, and features are compared at the numbers of clusters that the graphs speak for which
    differ most.
    """
    X = distinct(X)
    if not X.shape[0]:
        return GraphChoice(features[0], min(n_neighbors), sizes[0])
    counts = _counts(n_neighbors, X.shape[0])
    possible = _possible(features, X)
    comparable = len(possible) * len(counts) > 1 and min(X.shape) >= 4 and 2 * min(sizes) <= X.shape[0]
    if len(sizes) == 1:
        if not comparable or sizes[0] < 2:
            return GraphChoice(possible[0], counts[0], sizes[0])
        found = _Findings([sizes[0]], counts)
        found.look(X, possible, PAIRS, rng)
        chosen = found.best_features()
        return GraphChoice(chosen, found.best_count(chosen), sizes[0], tuple(found.evidence()))
    graphs = _CountsOfClusters(X, list(sizes), rng, halved=min(X.shape) >= 4)
    count = graphs.reliable_neighbors(possible[0], counts)
    if not comparable or len(possible) == 1:
        return graphs.choice(possible[0], count)
    extremes = [one for one in possible if one in EXTREMES] or possible
    graphs.look([(one, count) for one in extremes])
    found = _Findings(sorted({graphs.best((one, count)) for one in extremes}), counts)
    found.look(X, possible, PAIRS, rng)
    return graphs.choice(found.best_features(), count, found.evidence())


class _CountsOfClusters:
    """How many clusters the graphs of candidates have, in a sample of the samples."""

    def __init__(self, X: Any, sizes: list[int], rng: np.random.RandomState, halved: bool) -> None:
        """``halved`` is whether there are features enough for two halves; else edges are left out."""
        some = drawn(X, WHOLE, rng)
        self._X, self._products = X, SampleProducts(some, row_lengths(some))
        self._sizes = [k for k in sizes if k <= some.shape[0]] or [min(sizes)]
        self._rng, self._halved = rng, halved
        self._known: dict[Candidate, list[CountEvidence]] = {}

    def look(self, candidates: Sequence[Candidate]) -> None:
        """At the share that two halves of the features say alike, and the modularity, for every number of clusters."""
        new = [one for one in candidates if one not in self._known]
        if not new:
            return
        graphs = [self._products.affinities(features, [count])[0] for features, count in new]
        if not self._halved:
            self._known |= {one: count_evidence(W, self._sizes, self._rng) for one, W in zip(new, graphs, strict=True)}
            return
        whole = threads.each(lambda W: clusters_of_sizes(W, self._sizes), graphs)
        values = [[modularity(W, one) for one in labels] for W, labels in zip(graphs, whole, strict=True)]
        seeds = self._rng.randint(2**31 - 1, size=COUNTING_PAIRS).tolist()
        with steps("clusters", total=COUNTING_PAIRS) as advance:
            pairs = []
            for found in said_alike(self._X, new, self._sizes, seeds):
                pairs.append(found)
                advance(1)
        for one, value in zip(new, values, strict=True):
            shares = np.mean([[what.share for what in pair[one]] for pair in pairs], axis=0).tolist()
            self._known[one] = [CountEvidence(*both) for both in zip(shares, value, strict=True)]

    def evidence(self, candidate: Candidate) -> list[CountEvidence]:
        """For every number of clusters."""
        self.look([candidate])
        return self._known[candidate]

    def best(self, candidate: Candidate) -> int:
        """The number of clusters that a candidate's graph speaks for."""
        return best_count(self._sizes, self.evidence(candidate))

    def reliable_neighbors(self, features: Features, counts: Sequence[int]) -> int:
        """The fewest neighbours whose clusters two halves of the features reliably say alike, or the most."""
        for count in counts[:-1]:
            at = self._sizes.index(self.best((features, count)))
            if self.evidence((features, count))[at].share >= RELIABLE:
                return count
        return counts[-1]

    def choice(self, features: Features, count: int, others: Sequence[Evidence] = ()) -> GraphChoice:
        """A candidate with its number of clusters, and all that is known of it and others."""
        k = self.best((features, count))
        found = {(one.features, one.n_neighbors, one.n_components): one for one in others}
        rows = []
        for (way, neighbors), evidence in self._known.items():
            for size, what in zip(self._sizes, evidence, strict=True):
                bits = found.pop((way, neighbors, size), Evidence(way, neighbors, size))
                rows.append(Evidence(way, neighbors, size, bits.bits, bits.bits_error, *what))
        return GraphChoice(features, count, k, (*found.values(), *rows))


class _Findings:
    """What pairs of halves of the features say of candidates, at some numbers of clusters."""

    def __init__(self, sizes: list[int], counts: list[int]) -> None:
        self.sizes, self.counts = [k for k in sizes if k > 1] or [2], counts
        self._bits: dict[Candidate, list[list[float]]] = {}

    def look(self, X: Any, possible: Sequence[Features], pairs: int, rng: np.random.RandomState) -> None:
        """At so many pairs of halves; after the first, only at the ways that may still be the best."""
        seeds = rng.randint(2**31 - 1, size=pairs).tolist()
        with steps("graphs", total=pairs) as advance:
            for first in range(0, pairs, AT_ONCE):
                candidates = [(features, count) for features in possible for count in self.counts]
                for found in said_alike(X, candidates, self.sizes, seeds[first : first + AT_ONCE]):
                    for candidate, agreements in found.items():
                        self._bits.setdefault(candidate, []).append([one.bits for one in agreements])
                    advance(1)
                best = max(possible, key=lambda features: float(self.pooled(features).mean()))
                possible = [features for features in possible if features.plain or not self._behind(features, best)]

    def _behind(self, features: Features, best: Features) -> bool:
        """Whether others say so much more in the same halves that further ones will not change it."""
        said, most = self.pooled(features), self.pooled(best)
        less = most - said
        if len(less) == AT_ONCE and said.mean() < _share(BEHIND, most.mean()):
            return True
        return bool(less.mean() > HOPELESS * max(_error(less), LEAST_ERROR * abs(float(most.mean()))))

    def bits(self, candidate: Candidate) -> Array:
        """Of every pair of halves, for every size."""
        return np.array(self._bits[candidate])

    def pooled(self, features: Features) -> Array:
        """The bits of every pair, as a share of the most that so many clusters can say: their mean over the rest."""
        return np.mean([self.bits((features, count)) / np.log2(self.sizes) for count in self.counts], axis=(0, 2))

    def best_features(self) -> Features:
        """Those with the most bits; the plain ones, unless others have clearly more in the same halves."""
        ways = dict.fromkeys(features for features, _ in self._bits)
        most = max(len(self._bits[way, self.counts[0]]) for way in ways)
        complete = [way for way in ways if len(self._bits[way, self.counts[0]]) == most]
        best = max(complete, key=lambda way: float(self.pooled(way).mean()))
        plain = complete[0]
        more = self.pooled(best) - self.pooled(plain)
        return best if more.mean() > CLEARLY * _error(more) else plain

    def best_count(self, features: Features) -> int:
        """The fewest neighbours that say almost as much as any others."""
        said = {c: float((self.bits((features, c)) / np.log2(self.sizes)).mean()) for c in self.counts}
        return next(count for count in self.counts if said[count] >= _share(ENOUGH, max(said.values())))

    def evidence(self) -> list[Evidence]:
        """A row for each candidate and size."""
        return [
            Evidence(*candidate, k, float(bits.mean()), _error(bits))
            for candidate in self._bits
            for k, bits in zip(self.sizes, self.bits(candidate).T, strict=True)
        ]


def _share(share: float, most: float) -> float:
    """So much of the most; a little less where that is below 0, as of samples that are nothing but noise."""
    return most - (1 - share) * abs(most)


def _error(values: Array) -> float:
    """The standard error of a mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def _counts(n_neighbors: Sequence[int], n: int) -> list[int]:
    """Numbers of neighbours in rising order: the smallest, and others that leave most samples out."""
    least, *others = sorted(set(n_neighbors))
    return [least, *(count for count in others if count <= n // 4)]


def _possible(features: Sequence[Features], X: Any) -> list[Features]:
    """Without roots of what is negative, and without more directions than half of the features have."""
    if len(features) == 1:
        return list(features)
    signed, few = backend_of(X).rows.extent(X)[0] < 0, min(one.directions or np.inf for one in features)
    most = max(few, min(X.shape[0], X.shape[1] // 2))
    return [one for one in features if not (one.roots and signed) and (one.directions or 0) <= most]
