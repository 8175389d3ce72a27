"""Every method that the experiments compare, under one name each: our models and baselines, and scikit-learn's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from manifact.models import registry
from manifact.utils import checks

Kind = Literal["representation", "clusterer", "classifier"]


@dataclass(frozen=True)
class Method:
    """Makes an estimator; one that is named by its place loads on the first call.

    >>> method("PCA")(n_components=3, random_state=0)
    PCA(n_components=3, random_state=0)
    >>> method("PCA").kind
    'representation'
    """

    #: "representation" has ``fit_transform``, "clusterer" ``fit_predict``, "classifier" ``fit`` and ``predict``.
    kind: Kind
    #: The class, or "module:class".
    estimator: type[Any] | str
    #: The parameters that take n_components and random_state, None where there is no such thing.
    size: str | None = "n_components"
    seed: str | None = "random_state"
    #: Parameters that differ from the estimator's own defaults.
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, n_components: int = 10, random_state: Any = None, **parameters: Any) -> Any:
        """The estimator, with further parameters of its own."""
        given = dict(self.fixed)
        if self.size is not None:
            given[self.size] = n_components
        if self.seed is not None:
            given[self.seed] = random_state
        return self._class(**(given | parameters))

    @property
    def supervised(self) -> bool:
        """Whether ``fit`` needs ``y``."""
        from sklearn.utils import get_tags

        return bool(get_tags(self()).target_tags.required)

    @property
    def _class(self) -> type[Any]:
        if not isinstance(self.estimator, str):
            return self.estimator
        module, name = self.estimator.split(":")
        found: type[Any] = getattr(import_module(module), name)
        return found


def _clusterer(where: str, **fixed: Any) -> Method:
    return Method("clusterer", where, size="n_clusters", fixed=fixed)


#: What is no factorisation, and so not in the registry of models.
OTHERS: dict[str, Method] = {
    "LPP": Method("representation", "manifact.baselines:LPP", seed=None),
    "NPE": Method("representation", "manifact.baselines:NPE", seed=None),
    "KSDA": Method("representation", "manifact.baselines:KSDA"),
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
    "LDA": Method("representation", "sklearn.discriminant_analysis:LinearDiscriminantAnalysis", size=None, seed=None),
    "1-NN": Method(
        "classifier", "sklearn.neighbors:KNeighborsClassifier", size=None, seed=None, fixed={"n_neighbors": 1}
    ),
}


def methods() -> dict[str, Method]:
    """Every method by its name; that of a factorisation is the name of its class."""
    ours = {name: Method("representation", entry.cls) for name, entry in registry.entries().items()}
    return ours | OTHERS


def method(name: str) -> Method:
    """The method of that name; a model may also be called what it was called formerly."""
    known = methods()
    if name not in known and (entry := registry.find(name)) is not None:
        name = entry.cls.__name__
    checks.option("method", name, known)
    return known[name]
