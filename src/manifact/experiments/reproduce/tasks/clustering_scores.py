"""Represent the samples, cluster the representation by k-means, and compare with the classes."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from manifact.backends import Array
from manifact.experiments.methods import method
from manifact.experiments.reproduce import recorded_warnings
from manifact.experiments.reproduce.experiment_samples import SAMPLES, Samples, graph, samples
from manifact.experiments.reproduce.gnmf_authors_demo import least_kmeans, rand
from manifact.metrics import accuracy, nmi

#: Settings that do not change the representation: methods that differ in these alone share it.
CLUSTERING = ("kmeans", "clusterings", "sub_runs", "seed")


class Representation(NamedTuple):
    """What is clustered, the objective it minimises where there is one, and the time it took."""

    V: Array
    objective: float | None
    seconds: float
    #: What its making warned of: of a representation that is shared, every run warns.
    warned: list[Warning]
    #: The fitted model, where there is one: it may have clusters of its own.
    model: Any = None


def run(settings: Mapping[str, Any]) -> dict[str, Any]:
    """AC, both NMIs and seconds, one of each for every clustering.

    ``sub_runs`` repeats representation and clustering from other starts and keeps the one with the least objective
    (k-means: the least squares); the "best" scores are those of the sub-run that agrees best with the classes.
    """
    S = samples(settings)
    tried = [_sub_run(settings, S, number) for number in range(settings.get("sub_runs", 1))]
    chosen = min(tried, key=lambda one: one["objective"])
    best = max(tried, key=lambda one: (np.mean(one["AC"]), np.mean(one["NMI max"])))
    scores = {name: chosen[name] for name in ("AC", "NMI max", "NMI sqrt", "seconds")}
    if "sub_runs" in settings:
        scores |= {f"best {name}": best[name] for name in ("AC", "NMI max", "NMI sqrt")}
    return scores | {"samples": len(S.y)}


def _sub_run(settings: Mapping[str, Any], S: Samples, number: int) -> dict[str, Any]:
    seed = int(np.random.default_rng([settings["seed"], number]).integers(2**31))
    found = represent(settings, seed)
    recorded_warnings.issue(found.warned)
    clusterings = [
        _clusters(settings, found, S.n_classes, seed + repeat) for repeat in range(settings.get("clusterings", 1))
    ]
    labels = [each for each, _ in clusterings]
    return {
        "AC": [accuracy(S.y, each) for each in labels],
        "NMI max": [nmi(S.y, each) for each in labels],
        "NMI sqrt": [nmi(S.y, each, "sqrt") for each in labels],
        "seconds": found.seconds,
        "objective": clusterings[0][1] if found.objective is None else found.objective,
    }


def represent(settings: Mapping[str, Any], seed: int) -> Representation:
    """The representation of the samples that the settings name."""
    if settings["method"] in ("k-means", "raw"):
        return Representation(samples(settings).X, None, 0.0, [])
    wanted = {key: value for key, value in settings.items() if key not in CLUSTERING}
    return _represent(json.dumps(wanted, sort_keys=True), seed)


@lru_cache(maxsize=1)
def _represent(wanted: str, seed: int) -> Representation:
    settings = json.loads(wanted)
    S = samples(settings)
    begun, estimator = time.perf_counter(), None
    with recorded_warnings.recorded() as warned:
        if method(settings["method"]).kind == "clusterer":
            # Its own k-means is not used: every method's representation is clustered in the same way.
            X, _ = weighted(S.X, settings.get("weights"))
            clusterer = make(settings, S.n_classes, seed).set_params(n_init=1).fit(X)
            V, trace = finite(clusterer.embedding_, settings, seed), None
        else:
            estimator, V = fit(settings, S, seed)
            trace = getattr(estimator, "objective_", None)
    return Representation(
        V, None if trace is None else float(trace[-1]), time.perf_counter() - begun, warned, estimator
    )


def fit(settings: Mapping[str, Any], S: Samples, seed: int) -> tuple[Any, Array]:
    """The fitted estimator and the representation of the samples."""
    estimator = make(settings, S.n_classes, seed)
    X, fitting = weighted(S.X, settings.get("weights"))
    return estimator, finite(estimator.fit_transform(X, **fitting), settings, seed)


def finite(V: Array, settings: Mapping[str, Any], seed: int) -> Array:
    """V, of which all is finite: scores of anything else would be numbers about nothing."""
    if not np.isfinite(V).all():
        where = [f"{key} {settings[key]}" for key in SAMPLES if settings.get(key) is not None]
        raise ValueError(
            f"{settings['method']} gave a representation with NaN or infinite values "
            f"({', '.join([*where, f'seed {seed}'])})"
        )
    return V


def make(settings: Mapping[str, Any], n_classes: int, seed: int) -> Any:
    """The estimator that the settings name, with its graphs built."""
    size = settings.get("n_components") or n_classes
    parameters = given(settings)
    for name in ("graph", "far_graph"):
        if name in settings:
            parameters[name] = graph(settings, settings[name])
    return method(settings["method"])(n_components=size, random_state=seed, **parameters)


def given(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that the settings name; "none" is None, for which a data file has no word."""
    return {key: None if value == "none" else value for key, value in settings.get("parameters", {}).items()}


def weighted(X: Any, weights: str | None) -> tuple[Any, dict[str, Any]]:
    """X and what ``fit`` takes: normalised-cut weights of the loss ("ncw"), or of X itself ("ncw rows").

    The second is what the GNMF authors' program does: rows of X are divided by (X Xᵀ 1)^½ and the penalty stays as it
    is, which for λ > 0 is another problem than the first.
    """
    if weights == "ncw":
        return X, {"sample_weight": "ncw"}
    if weights == "ncw rows":
        ones = np.ones(X.shape[0], dtype=X.dtype)
        root = np.sqrt(np.maximum(X @ (X.T @ ones), np.finfo(X.dtype).tiny))
        return (sparse.csr_array(X.multiply(1 / root[:, None])) if sparse.issparse(X) else X / root[:, None]), {}
    return X, {}


def _clusters(settings: Mapping[str, Any], found: Representation, n_clusters: int, seed: int) -> tuple[Array, float]:
    """Labels, and what k-means minimises: the GNMF authors' own, or scikit-learn's by the name of its starts.

    The rule "argmax" takes the largest part of each sample instead, "own" the clusters that the model itself makes.
    """
    V = found.V
    how = settings.get("kmeans", {})
    rule, starts = how.get("rule", "k-means++"), how.get("n_init", 20)
    if rule == "argmax":
        return np.asarray(V).argmax(axis=1), 0.0
    if rule == "own":
        return np.asarray(found.model.labels_), 0.0
    if rule == "authors":
        return least_kmeans(V, n_clusters, rand(seed), starts)
    clustered = KMeans(n_clusters, init=rule, n_init=starts, random_state=seed).fit(V)
    return clustered.labels_, float(clustered.inertia_)
