"""The samples of a run: a data set prepared as its paper does, all of it or some classes drawn at random."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances

from manifact.backends import Array
from manifact.datasets import (
    Dataset,
    crossing_lines,
    load,
    load_digits,
    tfidf,
    three_gaussians,
    two_rings,
    unit_length,
)
from manifact.datasets.digest import digest as digest_of
from manifact.graphs import AffinityGraph, FarthestGraph, GraphBuilder, KNNGraph, LabelGraph, LandmarkGraph

PREPARATIONS = {"unit": unit_length, "tfidf": tfidf, "raw": lambda X: X, "range": lambda X: X / X.max()}
TOYS: dict[str, Callable[..., Dataset]] = {
    "two-rings": two_rings,
    "crossing-lines": crossing_lines,
    "three-gaussians": three_gaussians,
}
#: Settings that say which samples a job sees.
SAMPLES = ("data", "prepare", "precision", "largest", "classes", "draw")


class SameClass(GraphBuilder):
    """W_ij = 1 between samples of one class: `LabelGraph` as a list of edges, which SPNMF's rule asks for."""

    def build(self, X: Any, y: Any = None) -> AffinityGraph:
        """Between all training samples whose labels are the same."""
        return AffinityGraph(sparse.csr_array((y[:, None] == y) & ~np.eye(len(y), dtype=bool), dtype=float))


class OtherClasses(GraphBuilder):
    """W_ij = ‖x_i − x_j‖² between samples of different classes: what is far to somebody who knows the classes."""

    def build(self, X: Any, y: Any = None) -> AffinityGraph:
        """Between all training samples whose labels differ."""
        return AffinityGraph(sparse.csr_array(euclidean_distances(X, squared=True) * (y[:, None] != y)))


GRAPHS: dict[str, type[GraphBuilder]] = {
    "knn": KNNGraph,
    "farthest": FarthestGraph,
    "landmark": LandmarkGraph,
    "labels": LabelGraph,
    "same class": SameClass,
    "other classes": OtherClasses,
}


@dataclass(frozen=True)
class Samples:
    """Samples in rows and their classes."""

    X: Any
    y: Array

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(np.unique(self.y))


@lru_cache(maxsize=8)
def dataset(name: str) -> Dataset:
    """A data set by its name; "digits" is scikit-learn's, and always there; "two-rings 3" is drawn with seed 3."""
    toy, _, seed = name.partition(" ")
    if toy in TOYS:
        return TOYS[toy](random_state=int(seed or 0))
    return load_digits() if name == "digits" else load(name)


@lru_cache(maxsize=32)
def digest(name: str) -> str:
    """A fingerprint of the data: results of other data under the same name are not taken for these."""
    data = dataset(name)
    return digest_of(data.X, data.y)[:12]


@lru_cache(maxsize=4)
def prepared(name: str, prepare: str, precision: str, largest: int | None) -> Samples:
    """All samples of the ``largest`` classes (all of them: None)."""
    data = dataset(name)
    counts = np.bincount(data.y[data.y >= 0])
    kept = np.argsort(-counts, kind="stable")[:largest]
    rows = np.flatnonzero(np.isin(data.y, kept))
    X = PREPARATIONS[prepare](data.X[rows])
    X = X.astype(precision)
    return Samples(sparse.csr_array(X) if sparse.issparse(X) else X, data.y[rows])


def samples(settings: Mapping[str, Any]) -> Samples:
    """The samples that a job's settings name: ``classes`` of them from draw number ``draw``, or all."""
    return _samples(
        settings["data"],
        settings.get("prepare", "unit"),
        settings.get("precision", "float64"),
        settings.get("largest"),
        settings.get("classes"),
        settings.get("draw", 0),
    )


@lru_cache(maxsize=2)
def _samples(name: str, prepare: str, precision: str, largest: int | None, classes: int | None, draw: int) -> Samples:
    whole = prepared(name, prepare, precision, largest)
    if classes is None or classes >= whole.n_classes:
        return whole
    # The draw does not depend on the method: all of them see the same subsets, and can be compared in pairs.
    chosen = np.random.default_rng([draw, classes]).choice(np.unique(whole.y), classes, replace=False)
    rows = np.flatnonzero(np.isin(whole.y, chosen))
    return Samples(whole.X[rows], whole.y[rows])


def builder(wanted: Mapping[str, Any]) -> GraphBuilder:
    """What builds a graph from whatever samples it is given; neighbours are counted as the papers do."""
    kind = wanted.get("kind", "knn")
    parameters = {key: value for key, value in wanted.items() if key != "kind"}
    return GRAPHS[kind](**(({"copies": "each"} if kind == "knn" else {}) | parameters))


def graph(settings: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> Any:
    """What a model takes as ``graph``: an affinity built once for all methods that want it, or a builder."""
    if wanted is None:
        return None
    if wanted.get("kind") in ("landmark", "labels"):
        return builder(wanted)
    where = {key: settings[key] for key in SAMPLES if key in settings}
    return _affinity(json.dumps(where, sort_keys=True), json.dumps(wanted, sort_keys=True))


@lru_cache(maxsize=4)
def _affinity(where: str, wanted: str) -> Any:
    built = builder(json.loads(wanted)).build(samples(json.loads(where)).X)
    assert isinstance(built, AffinityGraph)
    return built.W
