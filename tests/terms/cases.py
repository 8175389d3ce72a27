"""States, graphs and at least one instance of every term, for all tests that go over terms."""

import importlib
import pkgutil
from functools import cache

import numpy as np
from tests.conftest import KINDS, problem

import manifact
from manifact.backends import as_data, as_gram, as_kernel
from manifact.baselines.cnmf import WithinGroups
from manifact.baselines.lnmf import Activity
from manifact.baselines.npnmf import Reconstruction
from manifact.baselines.sparse_nmf import Sparseness
from manifact.graphs import AffinityGraph, KNNGraph, LabelGraph, LandmarkGraph, SumOfGraphs
from manifact.graphs.affinity_matrix import check_affinity
from manifact.terms import (
    Affinity,
    ConceptState,
    ElasticNet,
    EntropicSmoothness,
    Frobenius,
    KullbackLeibler,
    Locality,
    OnSecond,
    Orthogonality,
    Redundancy,
    Repulsion,
    SimplexBasis,
    Smoothness,
    State,
    Structure,
    Term,
    TwofoldState,
)

#: What ties every term down to the same samples.
N = 24
STATES = {cls.kind: cls for cls in (State, TwofoldState, ConceptState)}


@cache
def graph(name, n=N, seed=0):
    """A graph of n samples: "affinity", "far", "knn", "landmark", "labels", or the sum of all but the first two."""
    X, W, _, _ = problem(seed, n=n)
    if name == "affinity":
        return AffinityGraph(check_affinity(W))
    if name == "far":
        return AffinityGraph(check_affinity(4 * problem(seed + 5, n=n)[1]))
    if name == "knn":
        return KNNGraph(3).build(X)
    if name == "landmark":
        return LandmarkGraph(n_landmarks=max(1, n // 3), n_neighbors=2, landmarks="random").build(X)
    if name == "labels":
        return LabelGraph().build(X, np.arange(n) % 4 - 1)
    return SumOfGraphs([graph(part, n, seed) for part in ("knn", "landmark", "labels")], [1.0, 0.5, 0.3])


def embedding(n=N, width=3, empty=2):
    """F with a few rows of zeros."""
    return np.vstack([np.zeros((empty, width)), np.random.default_rng(3).standard_normal((n - empty, width))])


def mixing(n=N):
    """Weights of both signs whose rows sum to 1, as LLE has them."""
    S = np.random.default_rng(4).standard_normal((n, n)) * (graph("affinity", n).W.toarray() > 0)
    sums = S.sum(axis=1, keepdims=True)
    return S / np.where(np.abs(sums) > 0.1, sums, 1.0)


#: Instances of each class of terms.
TERMS = {
    Frobenius: [Frobenius()],
    KullbackLeibler: [KullbackLeibler()],
    Smoothness: [Smoothness(graph(name), 3.0) for name in ("affinity", "landmark", "labels", "sum")],
    EntropicSmoothness: [EntropicSmoothness(graph(name), 3.0) for name in ("affinity", "landmark", "labels", "sum")],
    Repulsion: [Repulsion(graph("far"), 2.0)],
    Structure: [Structure(graph("affinity"), 3.0, Repulsion(graph("far"), 2.0))],
    Affinity: [Affinity(embedding(), 0.3)],
    Redundancy: [Redundancy(0.7)],
    Orthogonality: [Orthogonality(0.7)],
    Locality: [Locality(0.7)],
    ElasticNet: [ElasticNet("V", 0.7, 1.3), ElasticNet("U", 0.7, 1.3)],
    OnSecond: [
        OnSecond(Frobenius()),
        OnSecond(KullbackLeibler()),
        OnSecond(ElasticNet("V", 0.7, 1.3)),
        OnSecond(ElasticNet("U", 0.7, 1.3)),
        OnSecond(Smoothness(graph("affinity"), 3.0)),
        OnSecond(Redundancy(0.7)),
        OnSecond(Locality(0.7)),
    ],
    SimplexBasis: [SimplexBasis()],
    Activity: [Activity()],
    Reconstruction: [Reconstruction(mixing(), 0.7)],
    Sparseness: [Sparseness("U", 0.5), Sparseness("V", 0.5)],
    WithinGroups: [WithinGroups(2.0)],
}


def state(kind="factors", form="dense", weighted=False, signed=False, seed=0, n=N, m=17, k=4, density=0.6):
    """A state of this kind at a random positive point; ``form`` is how the data are held ("kernel": of concepts)."""
    X, _, V, U = problem(seed, n, m, k, density)
    X = X - 0.3 * signed
    rng = np.random.default_rng(seed + 1)
    gamma = np.linspace(0.2, 3, n) if weighted else None
    if kind == "concepts":
        data = as_kernel(X @ X.T, gamma) if form == "kernel" else as_gram(KINDS[form](X), gamma)
        return ConceptState(data, rng.random(V.shape) + 0.1, V)
    data = as_data(KINDS[form](X), gamma)
    return State(data, U, V) if kind == "factors" else TwofoldState(data, U, V, rng.random(V.shape) + 0.1)


def term_classes():
    """Every class of terms that the package has, abstract ones left out."""
    for module in pkgutil.walk_packages(manifact.__path__, "manifact."):
        if module.name.startswith(("manifact.terms", "manifact.baselines", "manifact.models")):
            importlib.import_module(module.name)

    def below(cls):
        for sub in cls.__subclasses__():
            yield sub
            yield from below(sub)

    found = {cls for cls in below(Term) if cls.__module__.startswith("manifact.")}
    return {cls for cls in found if cls.__name__ not in ("Loss", "Constraint")}
