"""
Watching a fit, ending it, keeping it
=====================================

A callback is a plain callable that sees every iteration. It can record what it likes, and a true answer ends the run.
"""

# %%
# What is there to see?
# ---------------------
# ``iteration.number``, ``iteration.objective`` (all values so far) and ``iteration.state`` with the factors U and V.
# The solver runs to a minimum here; the default takes a few steps only.
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

import manifact
from manifact import GNMF, plot
from manifact.datasets import load_digits, unit_length

digits = load_digits()
X = unit_length(digits.X)
sparseness = []


def record(iteration):
    """Hoyer's sparseness of the basis vectors, on average."""
    sparseness.append(manifact.metrics.sparseness(iteration.state.U.T).mean())


model = GNMF(n_components=10, graph_reg=1.0, solver="bcd", random_state=0).fit(X, callbacks=record)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
plot.convergence(model, log=True, ax=axes[0])
axes[1].plot(sparseness, color="#0072B2")
axes[1].set(xlabel="iteration", ylabel="mean sparseness of the parts")
print(f"{model.n_iter_} iterations, converged: {model.converged_}")


# %%
# A rule of your own for stopping
# -------------------------------
# Here: stop when no sample's largest part has changed for ten iterations.
class Settled:
    """True when no sample has changed its largest part for ``patience`` iterations."""

    def __init__(self, patience=10):
        self.patience, self.last, self.quiet = patience, None, 0

    def __call__(self, iteration):
        parts = iteration.state.V.argmax(axis=1)
        self.quiet = self.quiet + 1 if self.last is not None and (parts == self.last).all() else 0
        self.last = parts
        return self.quiet >= self.patience


stopped = GNMF(n_components=10, graph_reg=1.0, solver="bcd", tol=0, random_state=0).fit(X, callbacks=Settled())
print(f"settled after {stopped.n_iter_} iterations of at most 500, objective {stopped.objective_[-1]:.3f}")


# %%
# Several callbacks go into a list.
def tell(iteration):
    """Print every fifth objective."""
    if iteration.number % 5 == 0:
        print(f"{iteration.number:3} {iteration.objective[-1]:.2f}")


sparseness.clear()
GNMF(n_components=10, graph_reg=1.0, solver="bcd", max_iter=20, tol=0, random_state=0).fit(X, callbacks=[tell, record])
print(f"sparseness at the end {sparseness[-1]:.3f}")

# %%
# Keeping the model
# -----------------
# One safetensors file with everything that new samples need; it is read without running anything in it.
with TemporaryDirectory() as folder:
    path = Path(folder) / "digits.safetensors"
    model.save(path)
    again = manifact.load(path)
    print(
        f"{path.stat().st_size / 1e6:.2f} MB, the same clusters: {np.array_equal(again.predict(X), model.predict(X))}"
    )
    page = model.report(X, Path(folder) / "digits.html", image_shape=digits.image_shape, labels=digits.y)
    print(f"a page to explore in a browser: {page.name}, {page.stat().st_size / 1e6:.2f} MB")

plt.show()
