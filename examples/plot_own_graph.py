"""
Neighbours from another matrix
==============================

The graph need not come from the matrix that is factorised. Topics are easiest to read in common words, and neighbours
are easiest to find in an embedding: factorise the one and take the neighbours from the other.
"""

# %%
# Words for the topics, an embedding for the graph
# ------------------------------------------------
# Topics are made of the 300 commonest words of Python's documentation. The embedding is a truncated SVD of all words; a
# language model's embedding of the same documents would go in the same place.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD

from manifact import GNMF, NMF, plot
from manifact.datasets import load_stdlib_docs, tfidf
from manifact.graphs import KNNGraph
from manifact.metrics import nmi

docs = load_stdlib_docs()
common = np.argsort(-np.asarray(docs.X.sum(axis=0)).ravel(), kind="stable")[:300]
X = tfidf(docs.X[:, common])
E = TruncatedSVD(60, random_state=0).fit_transform(tfidf(docs.X))

builder = KNNGraph(5, metric="cosine")
graphs = {"from the 300 words": builder.build(X), "from the embedding": builder.build(E)}
for name, graph in graphs.items():
    one, other = graph.W.nonzero()
    print(f"neighbours {name}: {np.mean(docs.y[one] == docs.y[other]):.0%} are on the same subject")

# %%
# A graph that is built already goes where a builder would. Its neighbours must be the same documents in the same order.
SEEDS = range(3)


def scores(graph):
    """NMI from each seed."""
    return [nmi(docs.y, GNMF(10, graph=graph, random_state=seed).fit(X).labels_) for seed in SEEDS]


plain = [nmi(docs.y, NMF(10, random_state=seed).fit(X).labels_) for seed in SEEDS]
rows = {"no graph": plain} | {f"neighbours {name}": scores(graph) for name, graph in graphs.items()}
for name, row in rows.items():
    print(f"{name:30} NMI {np.mean(row):.3f} (from {min(row):.3f} to {max(row):.3f})")

# %%
# The topics are still made of the 300 words.
model = GNMF(10, graph=graphs["from the embedding"], random_state=0).fit(X)
ax = plot.topics(model, docs.feature_names[common], n_words=6)

# %%
# New documents
# -------------
# Their neighbours are found by their embedding, so pass it, too. With ``tie=False`` their words are enough.
print(model.transform(X[:3], graph_X=E[:3]).shape)

# %%
# An affinity of your own
# -----------------------
# Any symmetric n x n matrix ≥ 0 is a graph, such as ``adata.obsp["connectivities"]`` of single cells.
W = graphs["from the embedding"].W.multiply(graphs["from the 300 words"].W)
model = GNMF(10, graph=W, random_state=0).fit(X)
print(f"{W.nnz // 2} pairs are neighbours in both; smoothness of V on their graph: {model.smoothness_:.3f}")

plt.show()
