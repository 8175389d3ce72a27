"""Learn a projection from a few samples of each class, and classify the others by their nearest neighbour.

A fifth of each class is the validation set, the same for every method and run. Training samples come from the rest:
what is learned from them is judged on the validation set ("validation"), or on the rest of the rest ("test").
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize

from manifact.backends import Array
from manifact.experiments import methods
from manifact.experiments.reproduce.experiment_samples import builder, samples
from manifact.experiments.reproduce.tasks.clustering_scores import given
from manifact.models import registry

VALIDATION = 0.2
STAGES = ("validation", "test")
#: One fit serves every number of dimensions: the first columns are the projection to fewer.
NESTED = ("raw", "PCA", "KernelPCA", "LDA", "KSDA")
#: What is compared: projections as they are, or at unit length, so that neighbours are nearest by angle.
ROWS: dict[str, Callable[[Array], Array]] = {"projected": lambda V: V, "unit": normalize}


@dataclass(frozen=True)
class Split:
    """Row numbers of the samples to learn from and of those to classify."""

    train: Array
    judged: Array


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The precision for each number of dimensions that the method can have, and seconds for all of them."""
    S = samples(settings)
    part = split(S.y, settings["train"], settings["stage"], settings["repeat"])
    X, y = S.X[part.train], S.y[part.train]
    sizes = dimensions(settings["method"], settings["dimensions"], X.shape, len(np.unique(y)))
    begun = time.perf_counter()
    rows = ROWS[settings.get("rows", "projected")]
    found = [
        nearest_precision(rows(learned(X)), y, rows(learned(S.X[part.judged])), S.y[part.judged])
        for learned in _projections(settings, X, y, sizes)
    ]
    return {"precision": found, "dimensions": sizes, "seconds": time.perf_counter() - begun}


def split(y: Array, train: int, stage: str, repeat: int) -> Split:
    """The training samples of one run and the samples it is judged on; they have nothing in common.

    The validation set does not depend on the run, and no test sees it.
    """
    held, rng = np.random.default_rng(0), np.random.default_rng([STAGES.index(stage), train, repeat])
    learn, judge = [], []
    for label in np.unique(y):
        own = held.permutation(np.flatnonzero(y == label))
        size = max(1, round(VALIDATION * len(own)))
        rest = rng.permutation(own[size:])
        learn.append(rest[:train])
        judge.append(own[:size] if stage == "validation" else rest[train:])
    return Split(np.sort(np.concatenate(learn)), np.sort(np.concatenate(judge)))


def dimensions(method: str, wanted: Sequence[int], shape: tuple[int, int], n_classes: int) -> list[int]:
    """The wanted numbers of dimensions as far as the method can have them, and the most it can have."""
    n, m = shape
    most = {
        "raw": m,
        "PCA": min(n - 1, m),
        "KernelPCA": n - 1,
        "NPE": min(n - 1, m),
        "LDA": n_classes - 1,
        "KSDA": n_classes - 1,
    }.get(method, m)
    if method == "raw":
        return [m]
    return [size for size in wanted if size < most] + ([most] if most <= max(wanted) else [])


def nearest_precision(X: Array, y: Array, judged: Array, truth: Array) -> float:
    """The share of the judged samples whose nearest training sample is of their class."""
    return float(KNeighborsClassifier(1).fit(X, y).score(judged, truth))


def _projections(
    settings: Mapping[str, Any], X: Array, y: Array, sizes: Sequence[int]
) -> list[Callable[[Array], Array]]:
    """What projects samples to each number of dimensions."""
    method = settings["method"]
    if method == "raw":
        return [lambda judged: judged]
    if method in NESTED:
        whole = _fitted(settings, X, y, max(sizes))
        return [_first(whole, size) for size in sizes]
    return [_fitted(settings, X, y, size) for size in sizes]


def _first(project: Callable[[Array], Array], size: int) -> Callable[[Array], Array]:
    return lambda judged: project(judged)[:, :size]


def _fitted(settings: Mapping[str, Any], X: Array, y: Array, size: int) -> Callable[[Array], Array]:
    method = settings["method"]
    parameters = given(settings) | {
        name: builder(settings[name]) for name in ("graph", "far_graph") if name in settings
    }
    estimator = methods.method(method)(n_components=size, random_state=settings["repeat"], **parameters)
    if method == "LDA":
        return _discriminants(estimator, X, y)
    estimator.fit(X, y)
    if registry.find(method) is not None and settings.get("project", "inverse") == "inverse":
        # U⁺ = (UᵀU)⁻¹Uᵀ, or its limit where columns of U depend on each other.
        inverse = np.linalg.pinv(estimator.components_)
        return lambda judged: judged @ inverse
    return lambda judged: np.asarray(estimator.transform(judged))


def _discriminants(estimator: Any, X: Array, y: Array) -> Callable[[Array], Array]:
    """Principal directions, as many as leave the scatter within classes regular (n − C), then linear discriminants.

    Directions have unit length. Scaled to unit scatter within the classes, as scikit-learn's are, those in which the
    few training samples of a class happen to agree would drown the others.
    """
    first = PCA(max(1, min(len(X) - len(np.unique(y)), X.shape[1]))).fit(X)
    estimator.fit(first.transform(X), y)
    directions = estimator.scalings_ / np.linalg.norm(estimator.scalings_, axis=0)
    return lambda judged: np.asarray(first.transform(judged) @ directions)
