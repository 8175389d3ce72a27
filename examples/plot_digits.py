"""
Handwritten digits: what a graph adds to NMF
============================================

NMF writes every image as a sum of parts. GNMF does the same, and keeps the images that are neighbours close in the
parts they use. Here are both on the same digits, with their parts and with how well their clusters agree with the
classes.
"""

# %%
# Images have unit length, so that a thick stroke counts no more than a thin one. The graph joins every image with its
# 5 nearest ones. Nothing is given but the number of parts. No fit sees the labels, but the defaults of GNMF were chosen
# with a look at scores on these digits, among others, so take this as a picture of what a graph does and not as a
# measurement.
import matplotlib.pyplot as plt
from sklearn.cluster import KMeans

from manifact import GNMF, NMF, plot
from manifact.datasets import load_digits, unit_length
from manifact.metrics import accuracy, nmi

digits = load_digits()
X = unit_length(digits.X)
nmf = NMF(n_components=10, random_state=0).fit(X)
gnmf = GNMF(n_components=10, random_state=0).fit(X)
kmeans = KMeans(n_clusters=10, n_init=20, random_state=0).fit(X)

for name, labels in (("k-means", kmeans.labels_), ("NMF", nmf.labels_), ("GNMF", gnmf.labels_)):
    print(f"{name:8} accuracy {accuracy(digits.y, labels):.3f}   NMI {nmi(digits.y, labels):.3f}")

# %%
# White is zero, and each image has its own darkest value. NMF finds strokes that many digits share. With the graph some
# parts grow towards a whole digit, such as the ring of the 0: neighbours must use a part alike.
figure, axes = plt.subplots(2, 1, figsize=(6, 5), layout="constrained")
for ax, model in zip(axes, (nmf, gnmf), strict=True):
    plot.basis(model, digits.image_shape, ax=ax).set_title(type(model).__name__)

# %%
# Where do they err? Clusters stand in the order of the classes that suit them best, so the diagonal is what agrees.
figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
for ax, model in zip(axes, (nmf, gnmf), strict=True):
    plot.confusion(digits.y, model.labels_, ax=ax)
    ax.set_title(f"{type(model).__name__}: {ax.get_title()}")

# %%
# The two directions in which V varies most, coloured by the true class.
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, model in zip(axes, (nmf, gnmf), strict=True):
    plot.embedding(model, digits.y, method="pca", ax=ax).set_title(type(model).__name__)

plt.show()
