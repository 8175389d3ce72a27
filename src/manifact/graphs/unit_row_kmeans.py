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

from manifact.backends import Array, backend_of, one_blas_thread
from manifact.backends.threads import each
from manifact.graphs.eigenvector_clusters import corners, turned_onto_axes

#: Samples that a start looks at, for each cluster: few, so that each finds other corners.
SAMPLES_PER_CLUSTER = 5
#: Samples by which starts are compared, for each cluster.
ROWS_PER_CLUSTER = 20
#: Iterations at the most.
ITERATIONS = 300
#: Exchanges in a row that fail before it ends, for each start.
EXCHANGES = 2


class Clusters(NamedTuple):
    """Where a run stands."""

    labels: Array
    #: Σ ‖f_j‖² − ‖f_j − c_l(j)‖², with the centres that the labels were found by.
    held: float
    settled: bool = False


@one_blas_thread()
def unit_row_clusters(F: Array, starts: int, rng: np.random.RandomState) -> Array:
    """The cluster of each row of F, n x k: the best of so many starts, its centres exchanged while that pays."""
    n, k = F.shape
    # Some rows tell good starts from bad ones.
    few = F[rng.permutation(n)[: ROWS_PER_CLUSTER * k]] if n > ROWS_PER_CLUSTER * k else F
    drawn = [rng.permutation(len(few))[: SAMPLES_PER_CLUSTER * k] for _ in range(1, starts)]
    runs = [Clusters(labels, -np.inf) for labels in (corners(few), *each(lambda some: _corners_of(few, some), drawn))]
    while len(runs) > 1:
        runs = sorted(each(lambda run: _moved(few, run), runs), key=lambda run: -run.held)[: len(runs) // 2]
    best = _settled(F, Clusters(*_nearest(_scores(F, _means(few, runs[0].labels)))))
    if 1 < k < n:
        elsewhere = backend_of(F).exchanged(F, best.labels, k, EXCHANGES * starts, rng)
        best = _settled(F, Clusters(elsewhere, -np.inf))
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


def _means(F: Array, labels: Array) -> Array:
    n, k = F.shape
    members = sparse.csr_array((np.ones(n, F.dtype), labels, np.arange(n + 1)), shape=(n, k))
    sizes = np.bincount(labels, minlength=k).astype(F.dtype)
    return np.asarray((members.T @ F) / np.maximum(sizes, 1)[:, None])


def _scores(F: Array, centres: Array) -> Array:
    """<f_j, c_i> − ‖c_i‖²/2: the largest is the nearest."""
    scores = F @ centres.T
    scores -= np.einsum("ij,ij->i", centres, centres) / 2
    return np.asarray(scores)


def _nearest(scores: Array) -> tuple[Array, float]:
    labels = scores.argmax(axis=1)
    return labels, 2 * float(np.take_along_axis(scores, labels[:, None], axis=1).sum(dtype=np.float64))
