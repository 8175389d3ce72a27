"""
Choosing λ and the number of neighbours
=======================================

Two numbers decide how much a graph is worth: λ, how strongly neighbours are held together, and p, how many neighbours
a sample has. As it comes, GNMF takes a few steps from clusters of the graph, and λ changes little; here it is run to a
minimum (``solver="bcd"``), where λ keeps its full strength. With labels one can draw how much they matter. Without
labels, which is the usual case, one can still see where the graph begins to act and what it costs.
"""

# %%
# Scores over a grid, three starts each
# -------------------------------------
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

from manifact import GNMF, NMF, plot
from manifact.datasets import load_digits, unit_length
from manifact.graphs import KNNGraph
from manifact.metrics import nmi
from manifact.models.collapse import CollapseWarning

# Of a V that is smoothed away ``fit`` warns. Here we want to see it happen.
warnings.simplefilter("ignore", CollapseWarning)

digits = load_digits()
X = unit_length(digits.X)
SEEDS = range(3)
references = {
    "k-means": [nmi(digits.y, KMeans(10, n_init=20, random_state=seed).fit(X).labels_) for seed in SEEDS],
    "NMF": [nmi(digits.y, NMF(10, random_state=seed).fit(X).labels_) for seed in SEEDS],
    "GNMF as it comes": [nmi(digits.y, GNMF(10, random_state=seed).fit(X).labels_) for seed in SEEDS],
}


def fits(lam, p):
    """GNMF from each seed."""
    settings = {"graph_reg": lam, "graph": KNNGraph(p), "solver": "bcd", "init": "random"}
    return [GNMF(10, random_state=seed, **settings).fit(X) for seed in SEEDS]


lambdas = [1e-3, 1e-2, 1e-1, 1, 10, 100]
by_lambda = [fits(lam, 5) for lam in lambdas]
neighbors = [1, 2, 5, 10, 20, 40]
by_neighbors = [fits(1.0, p) for p in neighbors]


def table(rows, measure):
    """A measure of every model: values x seeds."""
    return np.array([[measure(model) for model in models] for models in rows])


def agreement(model):
    """NMI of clusters and classes."""
    return nmi(digits.y, model.labels_)


figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), sharey=True, layout="constrained")
plot.sensitivity(lambdas, table(by_lambda, agreement), reference=references, ax=axes[0])
plot.sensitivity(neighbors, table(by_neighbors, agreement), reference=references, parameter="neighbours", ax=axes[1])
axes[0].set_title("5 neighbours")
axes[1].set_title("λ = 1")

# %%
# From λ = 1 to 100 the score hardly changes; with very small λ GNMF is NMF. Few neighbours are enough, and with many
# the score falls again.
#
# What can be seen without labels
# -------------------------------
# These curves used the classes: a λ that is chosen by them is chosen by the answer, and its score is not what to expect
# on new data. Two numbers need no labels. ``smoothness_`` is Tr(VᵀLV) / Tr(VᵀDV), 0 where all neighbours are equal:
# it falls where the graph begins to act. The error of the fit is what that costs. A reasonable λ lies where the first
# has clearly fallen and the second has not yet grown much.
length = np.linalg.norm(X)
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), layout="constrained")
plot.sensitivity(lambdas, table(by_lambda, lambda model: model.smoothness_), score="smoothness", ax=axes[0])
axes[0].set_yscale("log")
error = table(by_lambda, lambda model: model.reconstruction_err_ / length)
without = [NMF(10, random_state=seed).fit(X).reconstruction_err_ / length for seed in SEEDS]
plot.sensitivity(lambdas, error, score="relative error of the fit", reference={"NMF": without}, ax=axes[1])

for lam, smooth, miss in zip(lambdas, table(by_lambda, lambda model: model.smoothness_), error, strict=True):
    print(f"λ = {lam:<6g} smoothness {smooth.mean():.4f}   relative error {miss.mean():.3f}")

# %%
# With the published rule (``solver="mu"``) λ means something else, since its effect fades as the run goes on: see
# :ref:`sphx_glr_auto_examples_plot_early_stopping.py`.

plt.show()
