"""Data that nobody cleaned, graphs that nobody looked at, and models with any settings, drawn by hypothesis."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.graphs import FarthestGraph, KNNGraph, LandmarkGraph

#: Solvers of each model (and loss), and whether they promise never to raise the objective.
SOLVERS = {
    (NMF, "frobenius"): {"bcd": True, "mu": True},
    (NMF, "kullback-leibler"): {"newton": True, "mu": True},
    (GNMF, "frobenius"): {"bcd": True, "mu": True},
    (GNMF, "kullback-leibler"): {"newton": True, "mu": False},
    (LPNMF, None): {"newton": True, "mu": False},
    (ALPNMF, None): {"newton": True, "mu": False},
    (SPNMF, None): {"simplex": True, "mu": False},
    (AffinityNMF, None): {"affinity": True},
    (CF, None): {"mu": True},
    (LCCF, None): {"mu": True},
    (LCF, None): {"mu": True},
}
FORMS = ("dense", "fortran", "csr", "unsorted", "wide indices", "csc")
#: Exponents of ten from the smallest to the largest scale that data and weights of graphs come in.
SCALES = (-30, -12, -3, 0, 0, 0, 3, 12, 30)


@dataclass
class Configuration:
    """A model, the data it is fitted to, and what it promises."""

    model: Any
    X: Any
    weight: Any
    never_rises: bool

    def __repr__(self) -> str:
        X = self.X.toarray() if sparse.issparse(self.X) else self.X
        form = f"{type(self.X).__name__} {self.X.dtype}"
        return f"{type(self.model).__name__}({self.model.get_params()}), {form} of {X.tolist()}, weight={self.weight}"


@st.composite
def samples(draw):
    """X ≥ 0, n x m, of any scale, with rows and columns that are empty or constant, in any form."""
    n, m = draw(st.integers(1, 9)), draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.random((n, m)) if draw(st.booleans()) else rng.poisson(2.0, (n, m)).astype(float)
    X *= rng.random((n, m)) < draw(st.sampled_from([0.1, 0.5, 1.0]))
    for _ in range(draw(st.integers(0, 2))):
        X[rng.integers(n)] = draw(st.sampled_from([0.0, 1.0]))
        X[:, rng.integers(m)] = draw(st.sampled_from([0.0, 1.0, 5.0]))
    if draw(st.booleans()):
        X[rng.integers(n)] = X[rng.integers(n)]
    scale = draw(st.sampled_from(SCALES))
    X = (X * 10.0**scale).astype(draw(st.sampled_from([np.float32, np.float64])))
    if draw(st.sampled_from([False, False, True])):
        X[rng.integers(n), rng.integers(m)] *= X.dtype.type(1e6 if scale < 12 else 1e-6)
    return _formed(X, draw(st.sampled_from(FORMS)), rng)


def _formed(X, form, rng):
    match form:
        case "dense":
            return X
        case "fortran":
            return np.asfortranarray(X)
        case "csr":
            return sparse.csr_array(X)
        case "csc":
            return sparse.csc_array(X)
        case "wide indices":
            found = sparse.csr_array(X)
            found.indices, found.indptr = found.indices.astype(np.int64), found.indptr.astype(np.int64)
            return found
    return unsorted(X, rng)


def unsorted(X, rng):
    """X as CSR whose entries come in any order, some twice in halves, with zeros among them."""
    data, indices, indptr = [], [], [0]
    for row in X:
        columns = rng.permutation(
            np.concatenate([np.flatnonzero(row), np.flatnonzero(row)[:1], [rng.integers(len(row))]])
        )
        times = np.bincount(columns, minlength=len(row))
        data += (row / np.maximum(times, 1))[columns].tolist()
        indices += columns.tolist()
        indptr.append(len(indices))
    return sparse.csr_array((np.array(data, dtype=X.dtype), indices, indptr), shape=X.shape)


@st.composite
def affinities(draw, n):
    """A symmetric affinity with isolated vertices, pieces, loops, and weights of any size."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    W = rng.random((n, n)) * (rng.random((n, n)) < draw(st.sampled_from([0.0, 0.15, 0.5, 1.0])))
    W = np.maximum(W, W.T)
    if not draw(st.booleans()):
        np.fill_diagonal(W, 0)
    W[rng.integers(n)] = 0
    W = np.minimum(W, W.T) * 10.0 ** draw(st.sampled_from(SCALES))
    if draw(st.booleans()):
        sizes = 10.0 ** rng.integers(-8, 9, n)
        W = W * sizes[:, None] * sizes
        W = np.maximum(W, W.T)
    return sparse.csr_array(W) if draw(st.booleans()) else W


@st.composite
def graphs(draw, n):
    """A graph builder, or an affinity."""
    kind = draw(st.sampled_from(["affinity", "affinity", "knn", "landmarks"]))
    if kind == "affinity":
        return draw(affinities(n))
    if kind == "knn":
        weight = draw(st.sampled_from(["binary", "heat", "cosine", "dot", "local"]))
        return KNNGraph(draw(st.integers(1, 4)), weight=weight, copies=draw(st.sampled_from(["once", "each"])))
    return LandmarkGraph(draw(st.integers(1, 5)), n_neighbors=draw(st.integers(1, 3)))


@st.composite
def configurations(draw):
    """A model with any settings, and any data."""
    X = draw(samples())
    n, m = X.shape
    (cls, loss), solvers = draw(st.sampled_from(list(SOLVERS.items())))
    solver = draw(st.sampled_from(list(solvers)))
    k = draw(st.integers(1, min(n, m) + 2))
    settings = {"solver": solver, "max_iter": draw(st.integers(0, 6)), "random_state": draw(st.integers(0, 9))}
    settings["tol"] = draw(st.sampled_from([0, 1e-4]))
    settings["normalize"] = draw(st.sampled_from(["basis", None]))
    settings["assign"] = draw(st.sampled_from(["kmeans", "argmax"]))
    settings["init"] = draw(st.sampled_from(["auto", "random", "random", "nndsvd", "nndsvda", "kmeans"]))
    if loss is not None:
        settings["loss"] = loss
    if cls not in (NMF, CF, LCF):
        settings["graph"] = draw(graphs(n))
    if cls is AffinityNMF:
        settings["tau"] = draw(st.sampled_from([0, 1e-3, 2.0, 100.0]))
    elif "graph" in settings:
        settings["graph_reg"] = draw(st.sampled_from([0, 1e-6, 0.1, 1.0, 1e4]))
    if cls is SPNMF:
        if isinstance(settings["graph"], LandmarkGraph):
            # It asks for edges that are listed.
            settings["graph"] = KNNGraph(2)
        settings["far_graph"] = draw(st.one_of(st.just(FarthestGraph(2)), affinities(n)))
        settings["repulsion_reg"] = draw(st.sampled_from([0, 0.1, 10.0]))
    if draw(st.sampled_from([False, False, True])) and cls not in (SPNMF,):
        settings |= {"alpha_V": draw(st.sampled_from([1e-3, 1.0])), "l1_ratio": draw(st.sampled_from([0, 0.5, 1]))}
    weight = None
    if draw(st.sampled_from([False, False, True])):
        weight = np.random.default_rng(n).random(n)
        weight[0] = draw(st.sampled_from([0.0, 1.0])) if n > 1 else 1.0
    # The published step for the divergence knows no squares.
    squares = loss == "kullback-leibler" and settings.get("alpha_V", 0) > 0 and settings["l1_ratio"] < 1
    return Configuration(cls(k, **settings), X, weight, solvers[solver] and not (solver == "mu" and squares))
