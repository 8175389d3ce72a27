"""
Gene programs along a path
==========================

The counts of a single cell are few. Where something else says which cells are alike, such as the proteins measured on
the same cells, a graph of the cells lets neighbours share what they know about their gene programs.
"""

# %%
# Cells along a path
# ------------------
# 800 simulated cells lie along a path; four programs are switched on and off one after the other. Each cell has about
# 60 counts over 500 genes, and 20 proteins that are measured much better.
import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from manifact import GNMF, NMF, plot
from manifact.graphs import KNNGraph

rng = np.random.default_rng(0)
time = rng.random(800)
activity = np.exp(-(((time[:, None] - np.linspace(0, 1, 4)) / 0.2) ** 2))
activity /= activity.sum(axis=1, keepdims=True)
programs = rng.gamma(0.2, 1, (4, 500))
programs /= programs.sum(axis=1, keepdims=True)
depth = rng.lognormal(np.log(60), 0.4, 800)
X = rng.poisson(depth[:, None] * (activity @ programs)).astype(float)
X = sparse.csr_array(X[:, X.sum(axis=0) > 0])
proteins = rng.poisson(30 * activity @ rng.gamma(0.5, 1, (4, 20)))
zeros = 1 - X.nnz / np.prod(X.shape)
print(f"{X.shape[0]} cells, {X.shape[1]} genes, {X.sum(axis=1).mean():.0f} counts per cell, {zeros:.0%} zeros")

# %%
# ``connectivities`` has a number for each pair of neighbours, as ``adata.obsp["connectivities"]`` has after scanpy's
# ``pp.neighbors``, which can be passed as it is.
connectivities = KNNGraph(15).build(np.log1p(proteins)).W
# The programs of a path overlap, so this is no matter of clusters: "newton" from a random start, run to a minimum.
settings = {"n_components": 4, "loss": "kullback-leibler", "init": "random", "random_state": 0}


def usage(model):
    """Shares of the programs in each cell, in the order of the true ones, and their error."""
    V = model.representation_ * model.components_.sum(axis=1)
    V /= np.maximum(V.sum(axis=1, keepdims=True), 1e-12)
    alike = np.corrcoef(activity.T, V.T)[:4, 4:]
    V = V[:, linear_sum_assignment(-alike)[1]]
    return V, np.sqrt(np.mean((V - activity) ** 2))


plain = NMF(**settings).fit(X)
model = GNMF(graph_reg=0.03, graph=connectivities, solver="newton", **settings).fit(X)
found = {"NMF": usage(plain), "GNMF, λ = 0.03": usage(model)}
for name, (_, error) in found.items():
    print(f"{name:15} error of the programs' shares {error:.3f}")

# %%
# Each point is a cell; the black lines are the truth.
order = np.argsort(time)
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), sharey=True, layout="constrained")
for ax, (name, (V, _)) in zip(axes, found.items(), strict=True):
    for program, colour in enumerate(("#D55E00", "#0072B2", "#009E73", "#CC79A7")):
        ax.plot(time, V[:, program], ".", color=colour, markersize=3)
        ax.plot(time[order], activity[order, program], color="black", linewidth=1)
    ax.set(title=name, xlabel="place on the path", ylabel="share of the program")

# %%
# λ matters: too much of the graph makes all cells alike. ``smoothness_`` says without the truth how far that has gone.
lambdas = [0.01, 0.03, 0.1, 0.3, 1]
fitted = [GNMF(graph_reg=lam, graph=connectivities, solver="newton", **settings).fit(X) for lam in lambdas]
errors = [usage(each)[1] for each in fitted]
ax = plot.sensitivity(lambdas, errors, score="error of the shares", reference={"NMF": found["NMF"][1]})
for lam, each, error in zip(lambdas, fitted, errors, strict=True):
    print(f"λ = {lam:<6g} error {error:.3f}   smoothness {each.smoothness_:.4f}")

plt.show()
