"""
Many documents: a graph through landmarks
=========================================

A nearest-neighbour graph compares every document with every other one. A-LPNMF describes each document by a few of p
landmarks instead, so that time and memory grow in proportion to the number of documents.
"""

# %%
# Documents are made on the spot, each about one of 20 topics. The first fit also loads or compiles the kernels, so a
# small one goes ahead.
from time import perf_counter

import matplotlib.pyplot as plt

from manifact import ALPNMF, NMF, plot
from manifact.datasets import synthetic_documents, tfidf
from manifact.graphs import KNNGraph, LandmarkGraph
from manifact.metrics import nmi

WORDS = 5000


def megabytes(*arrays):
    """Memory of sparse or dense arrays."""
    parts = [(each.data, each.indices, each.indptr) if hasattr(each, "indptr") else (each,) for each in arrays]
    return sum(part.nbytes for found in parts for part in found) / 1e6


small = synthetic_documents(300, n_features=WORDS).X
ALPNMF(20, graph=LandmarkGraph(50), max_iter=2).fit(small)
KNNGraph(5).build(small)

# %%
# Time against the number of documents
# ------------------------------------
sizes = [1500, 3000, 6000, 12000]
graph_seconds = {"landmarks": [], "nearest neighbours": []}
fit_seconds = []
for n in sizes:
    X = synthetic_documents(n, n_features=WORDS).X
    for name, builder in (("landmarks", LandmarkGraph(200)), ("nearest neighbours", KNNGraph(5))):
        begun = perf_counter()
        graph = builder.build(X)
        graph_seconds[name].append(perf_counter() - begun)
        if name == "landmarks":
            begun = perf_counter()
            ALPNMF(20, graph=graph, init="random", max_iter=10, random_state=0).fit(X)
            fit_seconds.append(perf_counter() - begun)
            held = megabytes(graph.Z, graph.landmarks)
    print(
        f"{n:6} documents, {megabytes(X):5.1f} MB: landmark graph {graph_seconds['landmarks'][-1]:.2f} s, "
        f"neighbour graph {graph_seconds['nearest neighbours'][-1]:.2f} s, 10 iterations {fit_seconds[-1]:.2f} s; "
        f"landmarks and their weights {held:.1f} MB"
    )

# %%
# On two logarithmic axes what grows in proportion has slope 1, and what compares all pairs has slope 2.
seconds = {f"graph of {name}": row for name, row in graph_seconds.items()} | {"10 iterations of A-LPNMF": fit_seconds}
ax = plot.sensitivity(sizes, seconds, parameter="documents", score="seconds")
ax.set_yscale("log")

# %%
# Does it find the topics? The cluster of a document is its largest part here, which needs no k-means.
data = synthetic_documents(3000, n_features=WORDS)
X = tfidf(data.X)
settings = {"n_components": 20, "assign": "argmax", "random_state": 0}
models = {
    "NMF": NMF(loss="kullback-leibler", **settings),
    "A-LPNMF": ALPNMF(graph=LandmarkGraph(200), **settings),
}
for name, model in models.items():
    print(f"{name:15} NMI {nmi(data.y, model.fit_predict(X)):.3f} after {model.n_iter_} iterations")

plt.show()
