"""Centres of k-means that go where they are missed more."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from scipy import sparse

from manifact.backends.numpy.kernels.centre_exchange import exchange
from manifact.backends.protocol import Array
from manifact.backends.threads import each

#: Iterations that show whether a centre is better where it went.
ROUNDS = 2
#: Places that a centre may go to, of which the best is taken.
PLACES = 4
#: Centres that are tried elsewhere at the same time, of which the best goes: in the end nearly all fail.
ABREAST = 4
#: A gain below this share is rounding.
GAIN = 1e-6


def exchanged(F: Array, labels: Array, k: int, failures: int, rng: np.random.RandomState) -> Array:
    """Labels after centres that hold hardly anything have gone to samples far from theirs, until so many moves fail."""
    squares, FT = np.einsum("ij,ij->i", F, F), np.ascontiguousarray(F.T)
    failed, state = np.zeros(k, dtype=np.int64), _Held.of(F, labels, k)
    while failed.sum() < failures:
        # Of those that failed least often, the ones that leave the least behind.
        leaving = np.lexsort((state.loss, failed))[:ABREAST]
        far = np.cumsum(np.maximum(squares - 2 * state.own, 0), dtype=np.float64)
        if far[-1] <= 0:
            break
        shares = rng.uniform(size=(len(leaving), PLACES))
        places = np.minimum(np.searchsorted(far, shares * far[-1], side="right"), len(F) - 1)
        held, best = max(each(partial(_without, FT, state), list(zip(leaving, places, strict=True))), key=itemgetter(0))
        if held > state.held + GAIN * len(F):
            state = _Held.of(F, best, k)
            failed[:] = 0
        else:
            failed[leaving] += 1
    return state.labels


def _without(FT: Array, state: _Held, trial: tuple[int, Array]) -> tuple[float, Array]:
    """What all hold once a centre is at the best of some places, and whose samples are."""
    found = np.empty(FT.shape[1], dtype=np.int64)
    return exchange(FT, *state.centres, trial[0], trial[1], ROUNDS, found), found


class _Held(NamedTuple):
    """What the means of clusters hold."""

    #: With each centre, k x n; then whose is the largest, and that.
    scores: Array
    labels: Array
    own: Array
    #: The clusters that centres are the means of.
    members: Array
    sums: Array
    sizes: Array
    #: What the others would hold less of without a centre, and what all hold.
    loss: Array
    held: float

    @property
    def centres(self) -> tuple[Array, ...]:
        """All but what comes of them."""
        return self[:6]

    @classmethod
    def of(cls, F: Array, members: Array, k: int) -> _Held:
        """With the means of clusters as centres."""
        sums, sizes = _sums(F, members, k), np.bincount(members, minlength=k)
        centres = sums / np.maximum(sizes, 1)[:, None].astype(F.dtype)
        scores = F @ centres.T - np.einsum("ij,ij->i", centres, centres) / 2
        labels = scores.argmax(axis=1)
        second, own = np.partition(scores, k - 2, axis=1)[:, -2:].T
        loss = np.bincount(labels, own - second, minlength=k)
        held = float(own.sum(dtype=np.float64))
        return cls(np.ascontiguousarray(scores.T), labels, own.copy(), members.copy(), sums, sizes, loss, held)


def _sums(F: Array, labels: Array, k: int) -> Array:
    """Of the rows of each cluster."""
    n = len(F)
    return sparse.csr_array((np.ones(n, F.dtype), labels, np.arange(n + 1)), shape=(n, k)).T @ F
