"""
When to stop: early stopping and well-posed problems
====================================================

GNMF's published objective has no useful minimum. Multiply U by 10 and divide V by 10: the fit is the same and the
graph's penalty is a hundred times smaller. So a long run of the published rule moves scale from V to U and ends near
plain NMF; its authors stop after 100 iterations, and the default, which starts from clusters, after a few. ``"bcd"``
holds the basis vectors at length 1 instead, and then there is a minimum to run to.
"""

# %%
# The same run, stopped later and later
# -------------------------------------
# From a random start, as the authors. ``normalize=None`` leaves the factors as they were iterated, so that the scale
# can be seen.
import matplotlib.pyplot as plt
import numpy as np

from manifact import GNMF, NMF, plot
from manifact.datasets import load_digits, unit_length
from manifact.metrics import nmi

digits = load_digits()
X, y = unit_length(digits.X)[:700], digits.y[:700]
settings = {
    "n_components": 10, "graph_reg": 0.3, "init": "random", "normalize": None, "tol": 0, "random_state": 0
}  # fmt: skip
STOPS = [30, 100, 300, 1000, 2000]


def runs(solver):
    """The model after each number of iterations."""
    return [GNMF(solver=solver, max_iter=stop, **settings).fit(X) for stop in STOPS]


found = {"mu, the published rule": runs("mu"), "bcd, unit basis": runs("bcd")}
for name, models in found.items():
    print(name)
    for stop, model in zip(STOPS, models, strict=True):
        size = np.linalg.norm(model.components_, axis=1).mean()
        print(
            f"  {stop:5} iterations: NMI {nmi(y, model.labels_):.3f}   smoothness {model.smoothness_:.4f}   "
            f"mean length of basis vectors {size:.2f}"
        )

# %%
# On the left the quality of the clusters. On the right how rough V is on the graph: with the published rule the graph's
# effect fades as the basis grows; with unit basis vectors it stays.
plain = NMF(10, random_state=0).fit(X)
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
scores = {name: [nmi(y, model.labels_) for model in models] for name, models in found.items()}
plot.sensitivity(STOPS, scores, parameter="iterations", reference={"NMF": nmi(y, plain.labels_)}, ax=axes[0])
rough = {name: [model.smoothness_ for model in models] for name, models in found.items()}
plot.sensitivity(STOPS, rough, parameter="iterations", score="smoothness (0: neighbours are equal)", ax=axes[1])

# %%
# Both objectives fall all the time, so the objective alone would not have warned of this. "bcd" has long arrived where
# the published rule is still falling. The two curves belong to different problems, with and without unit basis vectors.
ax = plot.convergence({name: models[-1] for name, models in found.items()}, log=True)
ax.set_xscale("symlog", linthresh=1)
ax.set(xlim=(0, 3000), ylim=(65, 500))

plt.show()
