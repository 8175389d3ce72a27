"""Argmin Σ_j ‖f_j − c_l(j)‖² over k clusters of rows of unit length, as eigenvectors of a graph have them.

Such rows stand near k directions that are almost at right angles, so starts are found there and not drawn: each costs a
fraction of k-means++ and ends lower. Starts that fall behind are given up, and what is left to gain comes from centres
that go where they are missed more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from manifact.backends import Array, one_blas_thread
from manifact.backends.threads import each
from manifact.graphs.eigenvector_clusters import corners, turned_onto_axes

#: Samples that a start looks at, for each cluster: few, so that each finds other corners.
SAMPLES_PER_CLUSTER = 5
#: Iterations at the most, and those that show whether a centre is better where it went.
ITERATIONS, TRIED = 300, 2
#: Places that a centre may go to, of which the best is taken.
PLACES = 4
#: Exchanges in a row that fail before it ends, for each start.
EXCHANGES = 2
#: A gain below this share is rounding.
GAIN = 1e-6


class Clusters(NamedTuple):
    """Where a run stands."""

    labels: Array
    #: Σ ‖f_j‖² − ‖f_j − c_l(j)‖², with the centres that the labels were found by.
    held: float
    settled: bool = False


@one_blas_thread()
def unit_row_clusters(F: Array, starts: int, rng: np.random.RandomState) -> Array:
    """The cluster of each row of F, n x k: the best of so many starts, its centres exchanged while that pays."""
    drawn = [rng.permutation(len(F))[: SAMPLES_PER_CLUSTER * F.shape[1]] for _ in range(1, starts)]
    runs = [Clusters(labels, -np.inf) for labels in (corners(F), *each(lambda some: _corners_of(F, some), drawn))]
    while len(runs) > 1:
        runs = sorted(each(lambda run: _moved(F, run), runs), key=lambda run: -run.held)[: len(runs) // 2]
    best = _settled(F, runs[0])
    if 1 < F.shape[1] < len(F):
        best = _settled(F, _exchanged(F, best, EXCHANGES * starts, rng))
    return best.labels


def _corners_of(F: Array, some: Array) -> Array:
    """A cluster for each row of F, by the most different of some of them."""
    order = qr(F[some].T, mode="r", pivoting=True, check_finite=False)[1]
    return turned_onto_axes(F, some[order[: F.shape[1]]])


def _moved(F: Array, run: Clusters) -> Clusters:
    """After one of Lloyd's iterations."""
    if run.settled:
        return run
    labels, held = _nearest(_scores(F, _means(F, run.labels)))
    return Clusters(labels, held, bool(np.array_equal(labels, run.labels)))


def _settled(F: Array, run: Clusters) -> Clusters:
    for _ in range(ITERATIONS):
        if run.settled:
            break
        run = _moved(F, run)
    return run


def _exchanged(F: Array, run: Clusters, failures: int, rng: np.random.RandomState) -> Clusters:
    """After centres that hardly hold anything have moved to samples far from theirs, until so many moves fail."""
    rows, squares = np.arange(len(F)), np.einsum("ij,ij->i", F, F)
    failed = np.zeros(F.shape[1], dtype=np.int64)
    state = _Held.of(F, run.labels)
    while failed.sum() < failures:
        # Of those that failed least often, the one that leaves the least behind.
        leaving = int(np.lexsort((state.loss, failed))[0])
        far = np.maximum(squares - 2 * state.own, 0)
        if not far.any():
            break
        places = rng.choice(rows, PLACES, p=far / far.sum())
        reached = np.maximum(_scores(F, F[places]), state.own[:, None])
        place = places[int(reached.sum(axis=0, dtype=np.float64).argmax())]
        scores = state.scores.copy()
        scores[:, leaving] = _scores(F, F[[place]])[:, 0]
        tried = Clusters(*_nearest(scores))
        for _ in range(TRIED):
            tried = _moved(F, tried)
        if tried.held > state.held + GAIN * len(F):
            run, state = tried, _Held.of(F, tried.labels)
            failed[:] = 0
        else:
            failed[leaving] += 1
    return Clusters(run.labels, run.held)


class _Held(NamedTuple):
    """What centres hold: the scores of rows with all of them and with their own, and what each would leave behind."""

    scores: Array
    own: Array
    held: float
    loss: Array

    @classmethod
    def of(cls, F: Array, labels: Array) -> _Held:
        """With the means of clusters as centres."""
        scores, k = _scores(F, _means(F, labels)), F.shape[1]
        second, first = np.partition(scores, k - 2, axis=1)[:, -2:].T
        loss = np.bincount(scores.argmax(axis=1), first - second, minlength=k)
        return cls(scores, first.astype(np.float64), 2 * float(first.sum(dtype=np.float64)), loss)


def _means(F: Array, labels: Array) -> Array:
    n, k = F.shape
    members = sparse.csr_array((np.ones(n, F.dtype), (labels, np.arange(n))), shape=(k, n))
    sizes = np.bincount(labels, minlength=k).astype(F.dtype)
    return np.asarray((members @ F) / np.maximum(sizes, 1)[:, None])


def _scores(F: Array, centres: Array) -> Array:
    """<f_j, c_i> − ‖c_i‖²/2: the largest is the nearest."""
    scores = F @ centres.T
    scores -= np.einsum("ij,ij->i", centres, centres) / 2
    return np.asarray(scores)


def _nearest(scores: Array) -> tuple[Array, float]:
    labels = scores.argmax(axis=1)
    return labels, 2 * float(np.take_along_axis(scores, labels[:, None], axis=1).sum(dtype=np.float64))
