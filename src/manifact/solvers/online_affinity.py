"""AffinityNMF on one block of samples after another: F comes from landmarks that stay, the rest from sums that fade.

A block lowers ‖X − V Uᵀ‖² + ‖X − A Uᵀ‖² + μ ‖F Fᵀ − V Vᵀ‖² over its own rows of V and A, the last term counting its
pairs with all samples before it, these with the V that they had and by what they still count for; then U follows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.preprocessing import normalize

from manifact.backends import Array
from manifact.graphs.landmark_means import LandmarkMeans
from manifact.solvers.online import Around, Learnt, check_stream, shares
from manifact.terms.affinity_statistics import AffinityStatistics
from manifact.terms.statistics import QuadraticStatistics
from manifact.utils.stored_classes import stored

#: Rounds of V, A and U for one block, and for the first one.
BLOCK_ROUNDS, FIRST_BLOCK_ROUNDS = 4, 30


@stored(statistics="statistics", ties="ties", common="common", seen="seen", weight="weight")
@dataclass(frozen=True, eq=False)
class AffinityStream:
    """All that is kept of the samples of a stream."""

    statistics: AffinityStatistics
    #: The graph's directions at the landmarks, and what all samples have of them.
    ties: LandmarkMeans
    common: Array
    #: The number of samples, and Σ ρ.
    seen: int = 0
    weight: float = 0.0

    def check(self, m: int, k: int) -> None:
        """Refuse what a file holds, if it does not belong to m features and k parts."""
        self.statistics.check(m, k)
        check_stream(self.seen, self.weight, self.ties, m, k)
        if self.common.shape != (k,):
            raise ValueError(f"directions of {self.common.shape}, not {k}")

    def directions(self, Z: Any) -> Array:
        """F of samples, by their mixtures of landmarks; zeros where these know nothing."""
        pull, known = self.ties.tie(Z)
        return np.asarray(normalize(np.where((known > 0)[:, None], pull + self.common, 0.0)))

    def before(self, data: Any, F: Array, window: float | None) -> Self:
        """Faded, to be joined by a block whose F is counted already."""
        new = data.shape[0]
        share, _ = shares(self.seen, new, window)
        statistics = self.statistics.faded(share).counted(data, F)
        return replace(self, statistics=statistics, seen=self.seen + new, weight=share * self.weight + new)


def learn_affinity(
    stream: AffinityStream, data: Any, U: Array, V: Array | None, F: Array, tau: float, around: Around,
    window: float | None,
) -> Learnt:  # fmt: skip
    """The stream with a block more, U, and V of the block; ``V`` is where a first block begins."""
    kind = QuadraticStatistics
    rounds = BLOCK_ROUNDS if stream.seen else FIRST_BLOCK_ROUNDS
    before = stream.before(data, F, window)
    mu, hold = before.statistics.strength(tau), around.hold(None, None, U.dtype)
    A, statistics = None, before.statistics
    for _ in range(rounds):
        if mu > 0:
            V = before.statistics.rows(data, U, V, F, mu, hold)
            A = before.statistics.both.rows(data, kind.of_basis(U), A, hold).V
        else:
            V = before.statistics.both.rows(data, kind.of_basis(U), V, hold).V
        statistics = before.statistics.joined(data, V, A, F)
        U = statistics.both.basis(U, 0.0, *around.on_U(before.weight))
    assert V is not None
    return Learnt(replace(before, statistics=statistics), U, V, None)
