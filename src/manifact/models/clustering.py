"""Clusters of samples, read off their representation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from manifact.backends import Array, on_host
from manifact.solvers.engine import Callback
from manifact.utils.errors import BadValueError

#: How clusters are made of V.
ASSIGNMENTS = (None, "kmeans", "argmax", "nearest")
#: What is kept for the clusters of new samples.
KEPT = {"kmeans": "assigner_", "nearest": "_part_means"}


def _assigns(model: Any) -> bool:
    if model.assign is None:
        raise AttributeError(f"{type(model).__name__} has labels only with assign='kmeans', 'argmax' or 'nearest'")
    return True


class Clustering:
    """What a factorisation knows of clusters: k-means on V as the papers do, the largest part, or the nearest."""

    assign: str | None
    random_state: Any
    fit: Any
    labels_: Array

    @available_if(_assigns)
    def fit_predict(
        self: Any,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        callbacks: Callback | Iterable[Callback] | None = None,
    ) -> Array:
        """Factorise X and return the cluster of each sample."""
        return self.fit(X, y, sample_weight, callbacks=callbacks).labels_

    @available_if(_assigns)
    def predict(self: Any, X: Any, tie: bool | None = None, graph_X: Any = None) -> Array:
        """The cluster of each new sample, as ``assign`` says.

        Samples are tied to their training neighbours where the graph can find them, since clusters are made of such V;
        ``tie=False`` leaves that out. ``tie`` and ``graph_X`` as in `transform`.
        """
        check_is_fitted(self)
        if not hasattr(self, KEPT.get(str(self.assign), "labels_")):
            raise BadValueError("{assign}={!r} was set after fit: fit again to have clusters", self.assign)
        V = on_host(self._clustered(self._project(self._checked(X), self._ties(tie, graph_X), graph_X)))
        if self.assign == "kmeans":
            return self.assigner_.predict(V.astype(self.assigner_.cluster_centers_.dtype, copy=False))
        return nearest_part(V, self._part_means) if self.assign == "nearest" else V.argmax(axis=1)

    def _clustered(self, V: Array) -> Array:
        """V as clusters are made of it."""
        return V

    def _forget_clusters(self) -> None:
        """Clusters belong to the last fit."""
        for stale in ("labels_", *KEPT.values()):
            self.__dict__.pop(stale, None)

    def _make_clusters(self, V: Array, rng: np.random.RandomState | None) -> Self:
        """The cluster of each training sample, and what new ones need; without ``rng`` only those that are read off."""
        V = on_host(self._clustered(V))
        if self.assign == "kmeans" and rng is not None:
            # A run that continues from a checkpoint has drawn no start: by its seed it gets the same clusters.
            seed = self.random_state if isinstance(self.random_state, int) else rng
            self.assigner_ = KMeans(min(V.shape[1], V.shape[0]), n_init=20, random_state=seed).fit(V)
            self.labels_ = self.assigner_.labels_
        elif self.assign == "nearest":
            self._part_means = means_of_parts(V)
            self.labels_ = nearest_part(V, self._part_means)
        elif self.assign == "argmax":
            self.labels_ = V.argmax(axis=1)
        return self


def means_of_parts(V: Array) -> Array:
    """The mean direction of the samples that have most of a part, for each part; zeros where there are none."""
    rows = normalize(V.astype(np.float64))
    largest = V.argmax(axis=1)
    means = np.zeros((V.shape[1], V.shape[1]))
    np.add.at(means, largest, rows)
    return means / np.maximum(np.bincount(largest, minlength=V.shape[1]), 1)[:, None]


def nearest_part(V: Array, means: Array) -> Array:
    """The part whose mean is nearest to a sample's direction."""
    rows = normalize(V.astype(np.float64))
    distances = np.einsum("ij,ij->i", means, means) - 2 * rows @ means.T
    distances[:, ~means.any(axis=1)] = np.inf
    return np.asarray(distances.argmin(axis=1))
