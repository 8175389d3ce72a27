"""Clustering quality of k-means, NMF and GNMF on the GNMF paper's three data sets.

    MANIFACT_DATA=<folder> python benchmarks/clustering.py

Unit-length images or (1 + log tf) idf text, 5 neighbours, 0-1 weights, λ = 100, 100 iterations of the published
rule (`mu`) from a random start, then k-means with 20 starts (k-means++) on V. Nothing is tuned on labels. The rows with
`bcd` minimise the objective with a unit basis until it changes by less than 1e-4: there λ keeps its strength, and 100
is often too much.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from sklearn.cluster import KMeans

from manifact import GNMF, NMF
from manifact.datasets import load, tfidf, unit_length
from manifact.experiments.result_tables import write
from manifact.graphs import KNNGraph
from manifact.metrics import accuracy, nmi

SETS = {"coil20": unit_length, "pie": unit_length, "tdt2": tfidf}
SEEDS = range(5)


def clusters(V, k, seed):
    return KMeans(k, n_init=20, random_state=seed).fit_predict(V)


def measure(name):
    data = load(name)
    X, k = SETS[name](data.X), data.n_classes
    metric = "cosine" if name == "tdt2" else "euclidean"
    W = KNNGraph(5, metric=metric).build(X).W

    def gnmf(seed, graph_reg=100.0, **settings):
        return GNMF(k, init="random", graph_reg=graph_reg, graph=W, random_state=seed, **settings).fit_transform(X)

    methods = {
        "k-means": lambda seed: X,
        "NMF": lambda seed: NMF(k, solver="mu", max_iter=100, tol=0, random_state=seed).fit_transform(X),
        "GNMF": lambda seed: gnmf(seed, solver="mu", max_iter=100),
        "NMF, bcd": lambda seed: NMF(k, solver="bcd", random_state=seed).fit_transform(X),
        "GNMF, bcd": lambda seed: gnmf(seed, solver="bcd"),
        "GNMF, bcd, λ = 1": lambda seed: gnmf(seed, solver="bcd", graph_reg=1.0),
    }
    for method, represent in methods.items():
        AC, NMI, seconds = [], [], []
        for seed in SEEDS:
            begun = time.perf_counter()
            labels = clusters(represent(seed), k, seed)
            seconds.append(time.perf_counter() - begun)
            AC.append(accuracy(data.y, labels))
            NMI.append(nmi(data.y, labels))
        row = {
            "data": name, "method": method, "AC": float(np.mean(AC)), "AC sd": float(np.std(AC)),
            "NMI": float(np.mean(NMI)), "NMI sd": float(np.std(NMI)), "seconds": float(np.median(seconds)),
        }  # fmt: skip
        print(row, flush=True)
        yield row


if __name__ == "__main__":
    rows = [row for name in sys.argv[1:] or SETS for row in measure(name)]
    note = (__doc__ or "").split("\n\n")[2].strip() + f" Mean and standard deviation over {len(SEEDS)} seeds."
    print(write("clustering", "Clustering quality", note, rows))
