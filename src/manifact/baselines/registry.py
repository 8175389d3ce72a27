"""Every method that the experiments use, under one name each: ours and scikit-learn's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

Kind = Literal["representation", "clusterer", "classifier"]


@dataclass(frozen=True)
class Method:
    """Makes an estimator; what it is made of loads on the first call.

    >>> METHODS["PCA"](n_components=3, random_state=0)
    PCA(n_components=3, random_state=0)
    >>> METHODS["PCA"].kind
    'representation'
    """

    #: "representation" has ``fit_transform``, "clusterer" ``fit_predict``, "classifier" ``fit`` and ``predict``.
    kind: Kind
    #: "module:class".
    where: str
    #: The parameters that take n_components and random_state, None where there is no such thing.
    size: str | None = "n_components"
    seed: str | None = "random_state"
    #: Whether ``fit`` needs ``y``.
    supervised: bool = False
    #: Parameters that differ from the estimator's own defaults.
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, n_components: int = 10, random_state: Any = None, **parameters: Any) -> Any:
        """The estimator, with further parameters of its own."""
        module, name = self.where.split(":")
        given = dict(self.fixed)
        if self.size is not None:
            given[self.size] = n_components
        if self.seed is not None:
            given[self.seed] = random_state
        return getattr(import_module(module), name)(**(given | parameters))


def _ours(name: str, **facts: Any) -> Method:
    return Method("representation", f"manifact.models:{name}", **facts)


def _baseline(name: str, **facts: Any) -> Method:
    return Method("representation", f"manifact.baselines:{name}", **facts)


def _clusterer(where: str, **fixed: Any) -> Method:
    return Method("clusterer", where, size="n_clusters", fixed=fixed)


METHODS: dict[str, Method] = {
    "NMF": _ours("NMF"),
    "GNMF": _ours("GNMF"),
    "LPNMF": _ours("LPNMF"),
    "ALPNMF": _ours("ALPNMF"),
    "SPNMF": _ours("SPNMF"),
    "CF": _ours("CF"),
    "LCCF": _ours("LCCF"),
    "LCF": _ours("LCF"),
    "AffinityNMF": _ours("AffinityNMF"),
    "LNMF": _baseline("LNMF"),
    "SNMF": _baseline("SparseNMF"),
    "NPNMF": _baseline("NPNMF"),
    "CNMF": _baseline("CNMF", supervised=True),
    "LPP": _baseline("LPP", seed=None),
    "NPE": _baseline("NPE", seed=None),
    "KSDA": _baseline("KSDA", supervised=True),
    "AverageAssociation": _clusterer("manifact.baselines:AverageAssociation"),
    "NCut": _clusterer("manifact.baselines:NCut", rows="degree"),
    "NCut-NJW": _clusterer("manifact.baselines:NCut", rows="unit"),
    "k-means": _clusterer("sklearn.cluster:KMeans", n_init=20),
    "PCA": Method("representation", "sklearn.decomposition:PCA"),
    "SVD": Method("representation", "sklearn.decomposition:TruncatedSVD"),
    "KernelPCA": Method("representation", "sklearn.decomposition:KernelPCA", fixed={"kernel": "rbf"}),
    "Isomap": Method("representation", "sklearn.manifold:Isomap", seed=None),
    "LE": Method(
        "representation",
        "sklearn.manifold:SpectralEmbedding",
        fixed={"affinity": "nearest_neighbors", "n_neighbors": 5},
    ),
    "LLE": Method("representation", "sklearn.manifold:LocallyLinearEmbedding"),
    # Its dimensions are the classes less one: it refuses more, and does best with all.
    "LDA": Method(
        "representation",
        "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
        size=None,
        seed=None,
        supervised=True,
    ),
    "1-NN": Method(
        "classifier",
        "sklearn.neighbors:KNeighborsClassifier",
        size=None,
        seed=None,
        supervised=True,
        fixed={"n_neighbors": 1},
    ),
}
