"""
Spectra with a pixel graph
==========================

In a spectral image every pixel is a sample and every channel a feature; the parts are the spectra of the materials, and
V says how much of each a pixel holds. Pixels beside each other mostly hold alike mixtures: a graph that joins them adds
what a single noisy pixel lacks.
"""

# %%
# An image that we know everything about
# --------------------------------------
# Four materials with five peaks each, mixed smoothly over 40 x 40 pixels, and only about 20 counts in a pixel.
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.feature_extraction.image import grid_to_graph

from manifact import GNMF, NMF, plot

SIDE, CHANNELS, COUNTS = 40, 120, 20
rng = np.random.default_rng(0)
channel = np.arange(CHANNELS)
peaks, heights = rng.uniform(5, 115, (4, 5)), rng.uniform(0.3, 1, (4, 5))
spectra = (heights[:, :, None] * np.exp(-(((channel - peaks[:, :, None]) / 2.5) ** 2))).sum(axis=1)
spectra /= spectra.sum(axis=1, keepdims=True)

row, column = np.mgrid[:SIDE, :SIDE] / SIDE
centres = [(0.25, 0.25), (0.25, 0.8), (0.75, 0.3), (0.75, 0.8)]
shares = np.stack([np.exp(-((row - r) ** 2 + (column - c) ** 2) / 0.058).ravel() for r, c in centres], axis=1)
shares /= shares.sum(axis=1, keepdims=True)
X = rng.poisson(COUNTS * shares @ spectra).astype(float)
print(f"{X.shape[0]} pixels, {X.shape[1]} channels, {X.sum(axis=1).mean():.1f} counts per pixel")

# %%
# With and without the graph
# --------------------------
# Counts call for the Kullback-Leibler divergence. Mixtures are no clusters, so this is run to a minimum ("newton") from
# random starts. scikit-learn makes the grid; its diagonal is of no consequence.
grid = grid_to_graph(SIDE, SIDE, dtype=float)
settings = {"n_components": 4, "loss": "kullback-leibler", "init": "random", "n_init": 3, "random_state": 0}
models = {
    "NMF": NMF(**settings).fit(X),
    "GNMF, λ = 1": GNMF(graph_reg=1.0, graph=grid, solver="newton", **settings).fit(X),
}


def compare(model):
    """Shares in the order of the true materials, their error, the angles of the spectra, and which part is which."""
    size = model.components_.sum(axis=1)
    found = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    true = spectra / np.linalg.norm(spectra, axis=1, keepdims=True)
    angles = np.degrees(np.arccos(np.clip(true @ found.T, -1, 1)))
    material, part = linear_sum_assignment(angles)
    V = (model.representation_ * size)[:, part]
    V /= np.maximum(V.sum(axis=1, keepdims=True), 1e-12)
    return V, np.sqrt(np.mean((V - shares) ** 2)), angles[material, part], part


for name, model in models.items():
    _, error, angles, _ = compare(model)
    print(f"{name:12} error of the shares {error:.3f}   angles to the true spectra {np.round(angles, 1)}°")

# %%
# Shares of each material over the image.
maps = {"true": shares} | {name: compare(model)[0] for name, model in models.items()}
figure, axes = plt.subplots(3, 1, figsize=(6, 5.4), layout="constrained")
for ax, (name, V) in zip(axes, maps.items(), strict=True):
    plot.basis(V.T, (SIDE, SIDE), columns=4, ax=ax).set_title(name)

# %%
# Their spectra, the true ones in grey: both find them, and the graph mostly helps with who is where.
figure, axes = plt.subplots(2, 2, figsize=(9, 4.2), sharex=True, layout="constrained")
for material, ax in enumerate(axes.ravel()):
    ax.fill_between(channel, spectra[material], color="#cccccc", label="true")
    for (name, model), colour in zip(models.items(), ("#0072B2", "#D55E00"), strict=True):
        found = model.components_[compare(model)[3][material]]
        ax.plot(channel, found / found.sum(), color=colour, linewidth=1, label=name)
    ax.set(xlabel="channel", ylabel="share of counts", title=f"material {material}")
axes[0, 0].legend(frameon=False, fontsize=8)

# %%
# How much of the graph? Too little leaves the noise, too much smooths the materials into each other.
lambdas = [0.03, 0.1, 0.3, 1, 3, 10]
errors = [compare(GNMF(graph_reg=lam, graph=grid, solver="newton", **settings).fit(X))[1] for lam in lambdas]
ax = plot.sensitivity(lambdas, errors, score="error of the shares", reference={"NMF": compare(models["NMF"])[1]})

plt.show()
