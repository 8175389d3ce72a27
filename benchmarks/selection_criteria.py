"""Ways to choose the number of parts and of neighbours without labels: what `select` does, beside what it could do.

    MANIFACT_DATA=<folder> python benchmarks/selection_criteria.py

Runs are stored as those of `affinity.py` are.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from manifact.selection.reproducible import clusters
from scipy import sparse
from scipy.sparse.linalg import svds
from sklearn.metrics import silhouette_score
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from affinity_report import NAMES
from affinity_runs import SETS, loaded, measured
from manifact.experiments.result_tables import write
from manifact.graphs import AffinityGraph, KNNGraph
from manifact.graphs.spectral import leading_eigenvectors
from manifact.selection import select
from manifact.selection.choosing import MOST_COMPONENTS
from manifact.selection.sampling import SAMPLES

#: Prediction strength: what counts as strong (Tibshirani, Walther 2005), and how often samples are halved.
STRONG, HALVINGS = 0.8, 4
NOTE = """
The number of parts by different criteria, and the NMI = MI / max(H, H') in percent of AffinityNMF with so many, 5
neighbours and τ = 2. "known" is the number of classes, "difference" the mean of NMI minus that. The first seven look at
the same numbers of parts as `select`. Of more than 1500 samples a draw of so many is looked at, but for the eigengaps.
"Net bits" and "modularity" are `select`'s without the other and without its rule for clear clusters; "agreement" is the
share of what two clusterings say that they say alike; "silhouette" is that of the clusters in the rows of eigenvectors;
"prediction strength" is the largest number of clusters in half of the samples whose pairs the other half keeps together
(0.8 in the worst cluster); "held-out entries" is bi-cross-validation of the truncated singular value decomposition
(Owen, Perry 2009), two by two. One seed."""

NEIGHBOURS = (3, 5, 8, 12, 20)
NEIGHBOUR_NOTE = """
NMI = MI / max(H, H') in percent of AffinityNMF with as many parts as classes, by the number of neighbours; below it the
most net reproducible bits of any number of clusters, which the criterion of `select` would choose by. One seed."""


@lru_cache(maxsize=1)
def looked_at(name):
    """`select` on the whole, its candidates, and some samples with their graph."""
    X, _ = loaded(name)
    rng = np.random.RandomState(0)
    some = np.sort(rng.choice(X.shape[0], min(SAMPLES, X.shape[0]), replace=False))
    return select(X, random_state=0), X, X[some]


def candidates(name):
    return [row for row in looked_at(name)[0].candidates if row["n_components"] > 1]


def highest(score, name):
    return max(candidates(name), key=score)["n_components"]


def agreement(name):
    return highest(lambda row: row["agreed"] / (row["agreed"] + row["disagreed"]), name)


def silhouette(name):
    _, _, X = looked_at(name)
    E = leading_eigenvectors(KNNGraph(5).build(X), MOST_COMPONENTS, np.random.RandomState(0))

    def score(row):
        F = normalize(E[:, : row["n_components"]])
        labels = clusters(F)
        return silhouette_score(F, labels) if len(np.unique(labels)) > 1 else -1.0

    return highest(score, name)


def prediction_strength(name):
    _, _, X = looked_at(name)
    rng = np.random.RandomState(0)
    strengths = np.mean([list(_strengths(X, rng, candidates(name))) for _ in range(HALVINGS)], axis=0)
    strong = [row["n_components"] for row, found in zip(candidates(name), strengths, strict=True) if found >= STRONG]
    return max(strong, default=candidates(name)[0]["n_components"])


def _strengths(X, rng, rows):
    order = rng.permutation(X.shape[0])
    halves = [X[np.sort(half)] for half in np.array_split(order, 2)]
    most = max(row["n_components"] for row in rows)
    one, other = (leading_eigenvectors(KNNGraph(5).build(half), most, rng) for half in halves)
    nearest = NearestNeighbors(n_neighbors=1).fit(halves[0]).kneighbors(halves[1], return_distance=False)[:, 0]
    for row in rows:
        k = row["n_components"]
        yield _kept_together(clusters(one[:, :k])[nearest], clusters(other[:, :k]))


def _kept_together(told, own):
    """The share of pairs of a cluster that are told to belong together, in the worst cluster."""
    shares = []
    for cluster in np.unique(own):
        counts = np.bincount(told[own == cluster])
        pairs = counts.sum() * (counts.sum() - 1)
        if pairs:
            shares.append((counts * (counts - 1)).sum() / pairs)
    return min(shares, default=0.0)


def eigenvalues(name):
    _, X, _ = looked_at(name)
    graph = KNNGraph(5).build(X)
    assert isinstance(graph, AffinityGraph)
    E = leading_eigenvectors(graph, MOST_COMPONENTS + 1, np.random.RandomState(0))
    return np.einsum("ij,ij->j", E, graph.normalized() @ E)


def eigengap(name):
    values = eigenvalues(name)
    return 2 + int(np.argmax(values[1:-1] - values[2:]))


def relative_eigengap(name):
    cuts = np.maximum(1 - eigenvalues(name), 1e-12)
    # Equal pieces have a cut of nothing: from one to the other there is no gap.
    cuts[cuts < 1e-6] = 1e-6
    return 2 + int(np.argmax(cuts[2:] / cuts[1:-1]))


def heldout_entries(name):
    _, _, X = looked_at(name)
    rng = np.random.RandomState(0)
    rows, columns = (np.array_split(rng.permutation(size), 2) for size in X.shape)
    sizes = [row["n_components"] for row in candidates(name) if row["n_components"] < min(X.shape) // 2]
    errors = np.zeros(len(sizes))
    for out in range(2):
        for gone in range(2):
            held = X[rows[out]][:, columns[gone]]
            beside = X[rows[out]][:, columns[1 - gone]]
            below = X[rows[1 - out]][:, columns[gone]]
            kept = X[rows[1 - out]][:, columns[1 - gone]]
            errors += list(_entry_errors(held, beside, below, kept, sizes))
    return sizes[int(np.argmin(errors))]


def _entry_errors(held, beside, below, kept, sizes):
    """‖A − B D_k⁺ C‖² for each k."""
    left, values, right = svds(kept.astype(float), k=max(sizes), v0=np.ones(min(kept.shape)))
    order = np.argsort(-values)
    values = np.maximum(values[order], 1e-12 * values.max())
    from_left, from_right = np.asarray(beside @ right[order].T) / values, np.asarray(below.T @ left[:, order]).T
    total = sparse.linalg.norm(held) if sparse.issparse(held) else np.linalg.norm(held)
    for k in sizes:
        cross = float(np.sum(from_left[:, :k] * np.asarray(held @ from_right[:k].T)))
        square = float(np.sum((from_left[:, :k].T @ from_left[:, :k]) * (from_right[:k] @ from_right[:k].T)))
        yield total**2 - 2 * cross + square


CRITERIA = {
    "known": lambda name: len(np.unique(loaded(name)[1])),
    "select": lambda name: looked_at(name)[0].best["n_components"],
    "net bits": lambda name: highest(lambda row: row["net"], name),
    "modularity": lambda name: highest(lambda row: row["modularity"], name),
    "agreement": agreement,
    "silhouette": silhouette,
    "prediction strength": prediction_strength,
    "held-out entries": heldout_entries,
    "eigengap": eigengap,
    "relative eigengap": relative_eigengap,
}


def rows():
    chosen = {name: {said: int(choose(name)) for said, choose in CRITERIA.items()} for name in SETS}
    found = {
        name: {said: 100 * measured("fit", name, seed=0, k=k)["NMI"] for said, k in by.items()}
        for name, by in chosen.items()
    }
    for said in CRITERIA:
        row = {"criterion": said}
        row |= {NAMES[name]: f"{chosen[name][said]}: {found[name][said]:.1f}" for name in SETS}
        yield row | {"difference": round(float(np.mean([by[said] - by["known"] for by in found.values()])), 1)}


def neighbour_rows():
    for said, form in (("NMI", "{:.1f}"), ("net bits", "{:.2f}")):
        for count in NEIGHBOURS:
            found = {name: measured("neighbours", name, seed=0, count=count)[said] for name in SETS}
            found = {name: 100 * value if said == "NMI" else value for name, value in found.items()}
            row = {"": said, "neighbours": count} | {NAMES[name]: form.format(found[name]) for name in SETS}
            yield row | {"mean": form.format(np.mean(list(found.values())))}


def main():
    print(write("selection-criteria", "Criteria for the number of parts", NOTE.strip(), list(rows())))
    print(write("selection-neighbours", "How many neighbours", NEIGHBOUR_NOTE.strip(), list(neighbour_rows())))


if __name__ == "__main__":
    main()
