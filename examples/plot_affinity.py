"""
Clusters and parts with nothing to tune
=======================================

AffinityNMF factorises the data and the geometry of their graph together. There is no λ to find and no moment to stop
at; ``tau`` says how much the graph counts beside the data, and its default is meant to stay.
"""

# %%
# The digits, each image at unit length. Nothing is said about neighbours, strength or iterations.
import matplotlib.pyplot as plt
import numpy as np

from manifact import AffinityNMF, plot
from manifact.datasets import load_digits, unit_length
from manifact.metrics import accuracy, nmi

digits = load_digits()
X = unit_length(digits.X)
model = AffinityNMF(n_components=10, random_state=0).fit(X)
print(f"converged after {model.n_iter_} iterations: {model.converged_}")
print(f"accuracy {accuracy(digits.y, model.labels_):.3f}, NMI {nmi(digits.y, model.labels_):.3f}")

# %%
# A sample belongs to the part whose samples it is most like, so a part is what a cluster looks like; added up, parts
# also rebuild samples (``transform``).
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 4), width_ratios=[1, 1.2], layout="constrained")
plot.basis(model, digits.image_shape, ax=left, columns=5)
plot.confusion(digits.y, model.labels_, ax=right)

# %%
# Samples that were held out get the place that their neighbours suggest.
held = np.arange(len(X)) % 5 == 0
rest = AffinityNMF(n_components=10, random_state=0).fit(X[~held])
print(f"NMI of the samples it was fitted on {nmi(digits.y[~held], rest.labels_):.3f}")
print(f"NMI of the samples it had not seen  {nmi(digits.y[held], rest.predict(X[held])):.3f}")

# %%
# Clusters and reconstruction pull apart: a small ``tau`` rebuilds the data more closely, a large one follows the graph.
taus = np.array([0.1, 0.3, 1, 2, 5, 20])
fits = [AffinityNMF(n_components=10, tau=tau, random_state=0).fit(X) for tau in taus]
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
plot.sensitivity(taus, [nmi(digits.y, fit.labels_) for fit in fits], parameter="τ", ax=ax)
errors = ax.twinx()
errors.plot(taus, [fit.reconstruction_err_ / np.linalg.norm(X) for fit in fits], color="0.5", linestyle="--")
errors.set_ylabel("relative error (dashed)")

plt.show()
