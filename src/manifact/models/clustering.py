"""Clusters of samples, read off their representation; cluster i is the cluster of part i."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from numbers import Integral
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from manifact.backends import Array, backend_of, on_host, origin_of
from manifact.backends.devices import says_what_fits
from manifact.backends.rows_by_blocks import is_in_blocks, rows_by_blocks
from manifact.graphs.eigenvector_clusters import corners, settled
from manifact.models.problem import Problem
from manifact.models.projection import check_blocks
from manifact.solvers.engine import Callback
from manifact.utils.array_checks import Numbers
from manifact.utils.errors import BadValueError
from manifact.utils.labels import NOWHERE
from manifact.utils.stored_classes import stored

#: How clusters are made of V; "graph" is AffinityNMF's, which knows where a graph places samples.
ASSIGNMENTS = ("kmeans", "argmax", "nearest", "graph")
#: Runs of k-means, of which the best is taken, as the papers do.
KMEANS_STARTS = 20
#: Seeds are drawn below this.
SEEDS = 2**31 - 1


class Made(NamedTuple):
    """Clusters that are there: a number for each sample, and for each part the centre that new samples go by."""

    labels: Array
    #: k x k (k x 2k by the graph), zeros in the row of a part that no sample belongs to; None where samples go by their
    #: largest part.
    centres: Array | None


class _ForkedLock:
    """A lock for each process: who holds it while another forks never lets go of it in the child."""

    def __init__(self) -> None:
        self._held: tuple[int, Lock] = (os.getpid(), Lock())

    def of_process(self) -> Lock:
        """The lock of this process."""
        if self._held[0] != os.getpid():
            self._held = (os.getpid(), Lock())
        return self._held[1]


def _check_facts(facts: Mapping[str, Any]) -> None:
    if facts["rule"] not in ASSIGNMENTS:
        raise ValueError(f"clusters by {facts['rule']!r}")
    if not isinstance(facts["seed"], int) or not 0 <= facts["seed"] < 2**32:
        raise ValueError(f"a seed of {facts['seed']!r}")


@stored(_check_facts, rule="rule", seed="seed", lost="lost", labels="labels", centres="centres")
class Clusters:
    """The clusters of a fit, made when somebody first asks for them.

    An estimator holds one: what is made lands here, so that reading its labels does not change the estimator, and
    threads that ask together get one result.
    """

    def __init__(
        self, rule: str, seed: int, lost: Array | None = None, labels: Array | None = None, centres: Array | None = None
    ) -> None:
        self.rule = rule
        self.seed = seed
        #: Numbers of the training samples that nothing places, whatever V says of them.
        self.lost = np.empty(0, dtype=np.int64) if lost is None else lost
        self._made = None if labels is None else Made(labels, centres)
        self._lock = _ForkedLock()

    def made(self, V: Callable[[], Array]) -> Made:
        """The clusters of the training samples, whose V is asked for once."""
        if self._made is None:
            with self._lock.of_process():
                if self._made is None:
                    self._made = self._make(V())
        return self._made

    def of(self, V: Array, training: Callable[[], Array]) -> Array:
        """The clusters of samples by their V."""
        return placed(V, self.rule, self.made(training).centres)

    @property
    def labels(self) -> Array | None:
        """The clusters of the training samples, None until they are made."""
        return None if self._made is None else self._made.labels

    @property
    def centres(self) -> Array | None:
        """What new samples go by, None until it is made."""
        return None if self._made is None else self._made.centres

    def check(self, n: int, k: int) -> None:
        """Refuse what a file holds, if it does not belong to n samples and k parts."""
        sizes = {"n": n, "k": k, "width": 2 * k if self.rule == "graph" else k}
        Numbers(("lost",), least=0, whole=True).check("lost", self.lost, sizes)
        if (self.lost >= n).any():
            raise ValueError(f"samples without a cluster are not numbers below {n}")
        if self._made is None:
            return
        labels, centres = self._made
        Numbers(("n",), least=NOWHERE, whole=True).check("labels_", labels, sizes)
        if (labels >= k).any():
            raise ValueError(f"labels_ are not {n} numbers below {k}")
        if (centres is None) != (self.rule == "argmax"):
            raise ValueError(f"clusters by {self.rule} {'without' if centres is None else 'with'} centres")
        if centres is not None:
            Numbers(("k", "width")).check("centres of clusters", centres, sizes)

    def _make(self, V: Array) -> Made:
        known = np.asarray(V.any(axis=1))
        known[self.lost] = False
        own, centres = V if known.all() else V[known], None
        match self.rule:
            case "kmeans":
                centres = kmeans_centres(own, self.seed)
            case "nearest":
                centres = means_of_parts(own)
            case "graph":
                centres = means_of_graph_clusters(own)
        return Made(np.where(known, placed(V, self.rule, centres), NOWHERE), centres)

    def __getstate__(self) -> dict[str, Any]:
        # A lock belongs to one process.
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._lock = _ForkedLock()


class Clustering:
    """What a factorisation knows of clusters: k-means on V as the papers do, the largest part, the nearest one."""

    assign: str
    random_state: Any
    representation_: Array
    _clusters: Clusters
    fit: Any

    @property
    def _tied(self) -> bool:
        raise NotImplementedError

    @property
    def labels_(self) -> Array:
        """The cluster of each training sample, −1 where it cannot be placed; made at the first use."""
        check_is_fitted(self)
        labels: Array = origin_of(self.representation_).back(self._clusters.made(self._training_V).labels)
        return labels

    def fit_predict(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        callbacks: Callback | Iterable[Callback] | None = None,
    ) -> Array:
        """Factorise X and return the cluster of each sample."""
        labels: Array = self.fit(X, y, sample_weight, callbacks=callbacks).labels_
        return labels

    def predict(self: Any, X: Any, tie: bool | None = None, graph_X: Any = None) -> Array:
        """The cluster of each new sample, as ``assign`` says; −1 for a sample that cannot be placed.

        Samples are tied to their training neighbours where the graph can find them, since clusters are made of such V;
        ``tie=False`` leaves that out. ``tie`` and ``graph_X`` as in `transform`. A sample cannot be placed where its V
        is zero: it has no entry in any feature that the parts have, and no neighbours.
        """
        if is_in_blocks(X):
            check_is_fitted(self)
            check_blocks(self, X, graph_X)
            # Once, of the training samples, before blocks ask for them.
            self._clusters.made(self._training_V)
            return rows_by_blocks(partial(self.predict, tie=tie), X, (), np.int64)
        labels: Array = origin_of(X).back(self._V_and_clusters(X, tie, graph_X)[1])
        return labels

    @says_what_fits
    def _V_and_clusters(self: Any, X: Any, tie: bool | None = None, graph_X: Any = None) -> tuple[Array, Array]:
        """What `transform` returns and clusters as the host's array, for one search of neighbours."""
        check_is_fitted(self)
        if self.assign != self._clusters.rule:
            raise BadValueError("{assign}={!r} was set after fit: fit again to have such clusters", self.assign)
        tie, origin = self._ties(tie, graph_X), origin_of(X)
        X = self._checked(X)
        V, rows = self._projected_rows(X, tie, graph_X)
        labels = self._clusters.of(on_host(rows), self._training_V)
        # An empty sample has no neighbours but those nearest to nothing, and a solver may leave its V just above zero.
        return origin.back(V), labels if graph_X is not None else np.where(self._empty(X), NOWHERE, labels)

    def _projected_rows(self: Any, X: Any, tie: bool, graph_X: Any) -> tuple[Array, Array]:
        """V of new samples, and the rows that their clusters are read off."""
        V = self._project(X, tie, graph_X)
        return V, self._clustered(self._readable(X, V))

    def _readable(self, X: Any, V: Array) -> Array:
        """V of new samples, from which clusters can be read."""
        return V

    def _training_V(self) -> Array:
        return np.asarray(on_host(self._clustered(self.representation_)))

    def _clustered(self, V: Array) -> Array:
        """V as clusters are made of it."""
        return V

    def _begin_clusters(self, problem: Problem, rng: np.random.RandomState) -> Self:
        """Hold ready what the clusters of this fit need, as soon as somebody asks for them."""
        # A run that continues from a checkpoint has drawn no start: by its own seed it gets the same clusters.
        own = isinstance(self.random_state, Integral)
        drawn = self.random_state if own else rng.randint(SEEDS) if self.assign == "kmeans" else 0
        self._clusters = Clusters(self.assign, int(drawn), np.flatnonzero(self._lost(problem)))
        return self

    def _empty(self, X: Any) -> Array:
        """Samples that say nothing by themselves."""
        return backend_of(X).rows.empty(X)

    def _lost(self, problem: Problem) -> Array:
        """Training samples that say nothing and have no neighbours; solvers may keep their V above zero."""
        if self._tied and problem.graph is None:
            return np.zeros(problem.X.shape[0], dtype=bool)
        lost = self._empty(problem.X)
        # Neighbours that were looked for in X are those nearest to nothing.
        if self._tied and problem.graph is not None and not self._searched_in_X:
            lost &= np.asarray(problem.graph.degrees) <= 0
        return lost

    @property
    def _searched_in_X(self) -> bool:
        """Whether the graph's neighbours were found by the samples themselves."""
        return False


def clusters_of_former_files(model: Any, kept: Mapping[str, Any]) -> Clusters:
    """The clusters of a model whose file holds ``labels_``, and ``assigner_`` or ``_part_means``, in their place.

    Clusters of k-means get the numbers of their parts.
    """
    seed = int(model.random_state) if isinstance(model.random_state, Integral) else 0
    labels, assigner, means = kept.get("labels_"), kept.get("assigner_"), kept.get("_part_means")
    if labels is None or {"kmeans": assigner, "nearest": means}.get(model.assign, labels) is None:
        return Clusters(model.assign, seed)
    V, labels = model._training_V(), np.asarray(labels, dtype=np.int64)
    k, known = V.shape[1], V.any(axis=1)
    if labels.shape != (len(V),) or not ((labels >= 0) & (labels < max(k, 1))).all():
        raise ValueError(f"labels_ are not {len(V)} numbers below {k}")
    if assigner is not None and model.assign == "kmeans":
        centres = assigner.cluster_centers_
        if centres.ndim != 2 or centres.shape[1] != k or len(centres) <= labels.max(initial=-1):
            raise ValueError(f"centres of clusters are {centres.shape}, not {k} x {k}")
        part_of, means = parts_of_clusters(V[known], labels[known]), np.zeros((k, k), dtype=centres.dtype)
        for cluster, part in part_of.items():
            means[part] = centres[cluster]
        labels = np.array([part_of.get(cluster, NOWHERE) for cluster in labels.tolist()], dtype=np.int64)
    centres = None if model.assign == "argmax" else means
    return Clusters(model.assign, seed, None, np.where(known, labels, NOWHERE), centres)


def kmeans_centres(V: Array, seed: int) -> Array:
    """The centres of k-means on V (20 starts), each in the row of its part; zeros where a part has no cluster."""
    n, k = V.shape
    centres = np.zeros((k, k), dtype=V.dtype)
    if n == 0:
        return centres
    labels, means = backend_of(V).kmeans(V, min(k, n), KMEANS_STARTS, np.random.RandomState(seed))
    for cluster, part in parts_of_clusters(V, labels).items():
        centres[part] = means[cluster]
    return centres


def parts_of_clusters(V: Array, labels: Array) -> dict[int, int]:
    """The part that each cluster goes by: one to one, so that clusters have much of their parts (Hungarian method).

    How much is the mean over a cluster of V whose columns sum to 1: a part that is in every sample belongs to the
    cluster that has most of it, not to all.
    """
    # In the order of their first samples: so equally good matchings do not depend on the numbers that clusters have.
    found, first, number = np.unique(labels, return_index=True, return_inverse=True)
    sums = V.sum(axis=0, dtype=np.float64)
    means = np.zeros((len(found), V.shape[1]))
    np.add.at(means, number, V / np.where(sums > 0, sums, 1))
    means /= np.maximum(np.bincount(number, minlength=len(found)), 1)[:, None]
    order = np.argsort(first)
    rows, parts = linear_sum_assignment(means[order], maximize=True)
    return {int(found[order[row]]): int(part) for row, part in zip(rows, parts, strict=True)}


def placed(V: Array, rule: str, centres: Array | None) -> Array:
    """The cluster of each row of V, −1 where it is zero or there is no cluster."""
    if centres is None:
        labels = V.argmax(axis=1)
    else:
        labels = nearest_centre(V, centres) if rule == "kmeans" else nearest_part(V, centres)
        if not centres.any():
            return np.full(len(V), NOWHERE)
    return np.where(V.any(axis=1), labels, NOWHERE)


def nearest_centre(V: Array, centres: Array) -> Array:
    """The row of the nearest centre, in the type of the centres; rows of zeros are no centres."""
    return _nearest(V.astype(centres.dtype, copy=False), centres)


def means_of_parts(V: Array) -> Array:
    """The mean direction of the samples that have most of a part, for each part; zeros where there are none."""
    rows = normalize(V.astype(np.float64)) if len(V) else V.astype(np.float64)
    largest = V.argmax(axis=1)
    means = np.zeros((V.shape[1], V.shape[1]))
    np.add.at(means, largest, rows)
    return means / np.maximum(np.bincount(largest, minlength=V.shape[1]), 1)[:, None]


def means_of_graph_clusters(rows: Array) -> Array:
    """The mean direction of each of the graph's clusters, in the row of its part; zeros where a part has none.

    The first half of a row is V at unit length, the second where the graph places the sample; the clusters are those
    of the second. Together they are nowhere much worse than the better of both, which neither is on its own.
    """
    k = rows.shape[1] // 2
    if not len(rows):
        return np.zeros((k, 2 * k))
    V, F = rows[:, :k], rows[:, k:]
    labels = settled(F, corners(F)) if F.any() else V.argmax(axis=1)
    unit = normalize(rows)
    means = np.zeros((k, 2 * k))
    for cluster, part in parts_of_clusters(V, labels).items():
        means[part] = unit[labels == cluster].sum(axis=0)
    return normalize(means)


def nearest_part(V: Array, means: Array) -> Array:
    """The part whose mean is nearest to a sample's direction."""
    return _nearest(normalize(V.astype(np.float64)), means)


def _nearest(rows: Array, centres: Array) -> Array:
    distances = np.einsum("ij,ij->i", centres, centres) - 2 * rows @ centres.T
    distances[:, ~centres.any(axis=1)] = np.inf
    return np.asarray(distances.argmin(axis=1))
