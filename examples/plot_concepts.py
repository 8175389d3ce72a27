"""
Concepts that look like samples
===============================

Concept factorisation (CF) makes its basis of the samples: every concept is a combination of them with weights ≥ 0. That
alone does not put concepts where samples are. LCF adds the distance between a sample and the concepts it uses.
"""

# %%
# Three clouds in the plane
# -------------------------
# CF may rebuild the samples from any vectors that enclose them, and there are many; LCF's concepts settle in the
# clouds.
# ``normalize=None`` leaves the concepts where they are; otherwise they are scaled to length 1.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import pairwise_distances

from manifact import CF, LCF, plot
from manifact.datasets import three_gaussians

clouds = three_gaussians(random_state=0)
settings = {"n_components": 3, "normalize": None, "max_iter": 3000, "tol": 1e-8, "random_state": 0}
models = {"CF": CF(**settings).fit(clouds.X), "LCF, λ = 0.3": LCF(locality_reg=0.3, **settings).fit(clouds.X)}

centres = np.array([clouds.X[clouds.y == cloud].mean(axis=0) for cloud in range(3)])


def distances(model):
    """How far the centre of each cloud is from the nearest concept."""
    return pairwise_distances(centres, model.components_).min(axis=1)


figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, sharey=True, layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    plot.embedding(clouds.X, clouds.y, ax=ax)
    ax.plot(*model.components_.T, "kD", markersize=9, markerfacecolor="white", label="concept")
    ax.set(title=name, xlabel="first feature", ylabel="second feature", xlim=(0, 5.2), ylim=(0, 5.2), aspect="equal")
    ax.get_legend().remove()
    print(f"{name:12} from the centre of each cloud to the nearest concept: {np.round(distances(model), 2)}")

# %%
# How much locality?
# ------------------
# With λ near 0 LCF is CF. From the paper's 0.3 on there is a concept in every cloud, from each of three starts.
lambdas = [0.003, 0.01, 0.03, 0.1, 0.3, 1]
settings = {"n_components": 3, "normalize": None, "max_iter": 1000}
away = [
    [distances(LCF(locality_reg=lam, random_state=seed, **settings).fit(clouds.X)).max() for seed in range(3)]
    for lam in lambdas
]
ax = plot.sensitivity(lambdas, away, score="largest distance from a centre")

plt.show()
