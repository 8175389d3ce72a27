"""The runs that `affinity.py` makes tables of, each stored by its settings as soon as it is done."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

import affinity_variants
from manifact import GNMF, NMF, AffinityNMF
from manifact.backends import backend_of, threads
from manifact.baselines import NCut
from manifact.datasets import load, load_digits, unit_length
from manifact.experiments import code_digest
from manifact.experiments.reproduce.experiment_samples import digest, prepared
from manifact.experiments.reproduce.jobs import Job, Store
from manifact.experiments.reproduce.reproduce_papers import default_cache
from manifact.graphs import KNNGraph
from manifact.metrics import accuracy, match, nmi
from manifact.models.clustering import means_of_parts

#: Name -> how its paper prepares it, and how many of its classes count; small ones first.
SETS = {
    "yale": ("unit", None), "orl": ("unit", None), "umist": ("unit", None), "binalpha": ("unit", None),
    "coil20": ("unit", None), "reuters": ("tfidf", 30), "tdt2": ("tfidf", 30), "pie": ("unit", None),
}  # fmt: skip
#: What the tasks do, beside the package's own code: what other code has stored is done again.
CODE = code_digest.digest(Path(__file__).parent, ("affinity_runs.py", "affinity_variants.py"))
#: Held-out samples are few, and few samples have a higher NMI: so many draws of as many training samples beside them.
DRAWS = 20


@dataclass(frozen=True)
class Samples:
    X: Any
    y: Any
    W: Any

    @property
    def k(self):
        return len(np.unique(self.y[self.y >= 0]))

    def scores(self, labels):
        known = self.y >= 0
        return scores(self.y[known], labels[known])


def scores(y, labels):
    return {"NMI": nmi(y, labels), "NMI sqrt": nmi(y, labels, average="sqrt"), "AC": accuracy(y, labels)}


@lru_cache(maxsize=2)
def samples(name):
    X, y = loaded(name)
    return Samples(X, y, KNNGraph(5).build(X).W)


def loaded(name):
    if name in OTHERS:
        return OTHERS[name]()
    prepare, largest = SETS[name]
    found = prepared(name, prepare, "float64", largest)
    return found.X, found.y


def _digits():
    return unit_length(load_digits().X), load_digits().y


def _cells():
    cells = load("pbmc3k")
    return sparse.csr_array(unit_length(cells.X.astype(np.float64).log1p())), cells.y


def _news():
    found = prepared("news20", "tfidf", "float64", None)
    return found.X, found.y


def _images():
    """The 10,000 test images."""
    images = load("mnist")
    return unit_length(images.X[60_000:].astype(np.float64)), images.y[60_000:]


#: Sets by which τ was not chosen.
OTHERS = {"digits": _digits, "pbmc3k": _cells, "mnist": _images, "news20": _news}


def measured(task, name, **settings):
    """The stored result of a run, or that of running it now on one thread."""
    job = Job(f"affinity-{task}", {"data": name, "digest": digest(name), "benchmark": CODE, **settings})
    store = Store(default_cache())
    result = store.get(job)
    if result is None:
        with threadpool_limits(1), threads.limit(1):
            result = TASKS[task](samples(name), **settings)
        store.put(job, result)
        print(task, name, settings, {key: round(value, 4) for key, value in result.items()}, flush=True)
    return result


# ---- tasks: samples and settings in, numbers out -------------------------------------------------------------------


def affinity(s, seed, k=None, by_all=False, once=False, **parameters):
    """AffinityNMF, with as many parts as classes or ``k``.

    ``by_all`` weighs the graph by ‖X‖² where the model takes ‖P X‖², ``once`` leaves A out.
    """
    if by_all:
        parameters["tau"] = (
            AffinityNMF.tau * affinity_variants.squares(s.X) / affinity_variants.explained(s.X, s.W, s.k)
        )
    kind = affinity_variants.Once if once else AffinityNMF
    begun = time.perf_counter()
    model = kind(k or s.k, graph=s.W, random_state=seed, **parameters).fit(s.X)
    seconds = time.perf_counter() - begun
    members, known = np.bincount(model.labels_[model.labels_ >= 0]), np.bincount(s.y[s.y >= 0])
    return {
        **s.scores(model.labels_), "seconds": seconds, "iterations": model.n_iter_, "converged": int(model.converged_),
        "objective": float(model.objective_[-1]),
        "error": error(s.X, model.representation_, model.components_),
        "free error": error(s.X, model.transform(s.X, tie=False), model.components_),
        "parts": s.k, "used": int(np.count_nonzero(members)),
        "cluster": float(members.max() / members.sum()), "class": float(known.max() / known.sum()),
    }  # fmt: skip


def readings(s, seed):
    """Other ways to read clusters off V."""
    begun = time.perf_counter()
    model = AffinityNMF(s.k, graph=s.W, random_state=seed).fit(s.X)
    fitting = time.perf_counter() - begun
    found = {}
    for how, read in READINGS.items():
        begun = time.perf_counter()
        labels = read(model.representation_, seed)
        seconds = fitting + time.perf_counter() - begun
        found |= {f"{how} {name}": value for name, value in (s.scores(labels) | {"seconds": seconds}).items()}
    return found


READINGS = {
    "largest": lambda V, seed: V.argmax(axis=1),
    "on V": lambda V, seed: KMeans(V.shape[1], n_init=20, random_state=seed).fit(V).labels_,
    "from parts": lambda V, seed: divided(V),
}


def divided(V):
    """Clusters of k-means that starts from those of the largest parts."""
    means = means_of_parts(V)
    centres = means[means.any(axis=1)]
    return KMeans(len(centres), init=centres, n_init=1).fit(normalize(V)).labels_


def clusters(s, method, seed):
    """Another method's clusters."""
    begun = time.perf_counter()
    match method:
        case "spectral":
            labels = NCut(s.k, rows="unit", graph=s.W, random_state=seed).fit(s.X).labels_
        case "GNMF":
            rule = {"solver": "mu", "init": "random", "graph_reg": 100.0, "max_iter": 100}
            labels = GNMF(s.k, graph=s.W, assign="kmeans", random_state=seed, **rule).fit(s.X).labels_
        case "NMF":
            labels = NMF(s.k, assign="kmeans", random_state=seed).fit(s.X).labels_
        case _:
            labels = KMeans(s.k, n_init=20, random_state=seed).fit(s.X).labels_
    return {**s.scores(labels), "seconds": time.perf_counter() - begun}


def others_error(s, seed):
    """How closely NMF and the centres of k-means rebuild the data."""
    model = NMF(s.k, random_state=seed).fit(s.X)
    centres = KMeans(s.k, n_init=10, random_state=seed).fit(s.X).cluster_centers_
    coefficients = backend_of(centres).nonnegative_least_squares(centres @ centres.T, np.asarray(s.X @ centres.T))
    return {
        "NMF": error(s.X, model.representation_, model.components_),
        "k-means": error(s.X, coefficients, centres),
    }


def heldout(s, seed):
    """Clusters of a fifth of the samples, from a model of the others."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(s.y))
    new, old = np.split(order, [len(order) // 5])
    model = AffinityNMF(s.k, random_state=seed).fit(s.X[old])
    found, own = model.predict(s.X[new]), model.labels_
    nearest = NearestNeighbors(n_neighbors=1).fit(s.X[old]).kneighbors(s.X[new], return_distance=False)[:, 0]
    draws = [rng.choice(len(old), len(new), replace=False) for _ in range(DRAWS)]
    # Which class a cluster stands for is the training samples' word.
    named = match(s.y[old], own)
    named_new = np.array([named.get(cluster, -1) for cluster in found])
    return {
        "train NMI": nmi(s.y[old], own),
        "as many NMI": float(np.mean([nmi(s.y[old][some], own[some]) for some in draws])),
        "new NMI": nmi(s.y[new], found),
        "nearest NMI": nmi(s.y[new], own[nearest]),
        "train AC": accuracy(s.y[old], own),
        "new AC": float(np.mean(named_new == s.y[new])),
    }  # fmt: skip


def variant(s, kind, seed, tau):
    """A form that was tried and left."""
    begun = time.perf_counter()
    U, V = affinity_variants.VARIANTS[kind](s.X, s.W, s.k, seed, tau)
    seconds = time.perf_counter() - begun
    return {**s.scores(V.argmax(axis=1)), "error": error(s.X, V, U.T), "seconds": seconds}


TASKS = {
    "fit": affinity,
    "readings": readings,
    "clusters": clusters,
    "others-error": others_error,
    "new-samples": heldout,
    "variant": variant,
}


def error(X, V, parts):
    """‖X − V P‖² / ‖X‖²."""
    total = affinity_variants.squares(X)
    return float((total - 2 * np.sum(V * np.asarray(X @ parts.T)) + np.sum((V.T @ V) * (parts @ parts.T))) / total)
