"""
Topics of Python's own documentation
====================================

The docstrings of the standard library are on every machine: short documents on ten subjects. LPNMF is a topic model
whose topics are shared by neighbouring documents.
"""

# %%
# Words are weighted by tf-idf, as in the paper. The number of documents depends on the Python version.
import matplotlib.pyplot as plt

from manifact import LPNMF, NMF, plot
from manifact.datasets import load_stdlib_docs, tfidf
from manifact.metrics import nmi

docs = load_stdlib_docs()
X = tfidf(docs.X)
print(f"{X.shape[0]} documents, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} of them in a document on average")

# %%
# The plain topic model is the same objective without the graph: NMF with the Kullback-Leibler divergence. Both are as
# they come. The defaults of LPNMF were chosen with a look at scores on these documents, among others, so the gap is an
# example, not a measurement.
settings = {"n_components": 10, "random_state": 0}
plain = NMF(loss="kullback-leibler", **settings).fit(X)
shared = LPNMF(**settings).fit(X)
for name, model in (("NMF", plain), ("LPNMF", shared)):
    print(f"{name:6} NMI with the subjects of the modules {nmi(docs.y, model.labels_):.3f}")

# %%
# The words that tell each topic from the others. A bar is the word's weight in a topic of length 1.
ax = plot.topics(shared, docs.feature_names)

# %%
# Which subject went into which cluster? Some clusters hold two subjects, and some subjects are spread over several:
# the words of a docstring do not always say which module it is from.
ax = plot.confusion(docs.y, shared.labels_, names=docs.target_names, normalize="true")

plt.show()
