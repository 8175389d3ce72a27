"""What builds a graph from data: small scikit-learn style objects, so that their parameters can be searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from manifact.backends import backend_of, native, whole
from manifact.graphs.affinity_matrix import check_affinity
from manifact.graphs.operators import AffinityGraph, Graph, SumOfGraphs
from manifact.utils import checks
from manifact.utils.stored_classes import stored_by_parameters


class GraphBuilder(BaseEstimator):
    """Makes a `Graph` from samples; ``a + b`` and ``2 * a`` make weighted sums."""

    #: An array on the left of + leaves the sum to us.
    __array_ufunc__ = None

    def build(self, X: Any, y: Any = None) -> Graph:
        """The graph of the rows of X (and, for graphs made of labels, y)."""
        raise NotImplementedError

    def memory_needed(self, X: Any) -> float:
        """Bytes that building the graph of X takes at the most, beside X: estimated; 0 where nobody knows."""
        return 0.0

    def for_components(self, k: int) -> GraphBuilder:
        """The builder of a graph for a model with k parts: this one, unless it chooses by their number."""
        return self

    def __add__(self, other: Any) -> SumGraph:
        return SumGraph._of(self) + other

    def __radd__(self, other: Any) -> SumGraph:
        # sum([a, b]) starts at 0.
        return SumGraph._of(self) if isinstance(other, int) and other == 0 else SumGraph._of(other) + self

    def __mul__(self, weight: float) -> SumGraph:
        return SumGraph._of(self) * weight

    __rmul__ = __mul__


@stored_by_parameters
class AffinityBuilder(GraphBuilder):
    """A user's own n x n affinity."""

    def __init__(self, affinity: Any, name: str = "graph") -> None:
        self.affinity = affinity
        self.name = name

    def build(self, X: Any, y: Any = None) -> Graph:
        """The affinity, checked."""
        W = check_affinity(self.affinity, self.name)
        if W.shape[0] != X.shape[0]:
            raise ValueError(
                f"{self.name} is a {W.shape[0]} x {W.shape[1]} affinity but X has {X.shape[0]} samples: an affinity "
                "belongs to its samples and cannot be cross-validated; pass a graph builder such as KNNGraph() instead"
            )
        return AffinityGraph(W)


@stored_by_parameters
class BuiltGraph(GraphBuilder):
    """A graph that is there already, such as another model's ``graph_``."""

    def __init__(self, graph: Graph, name: str = "graph") -> None:
        self.graph = graph
        self.name = name

    def build(self, X: Any, y: Any = None) -> Graph:
        """The graph, if it is one of these samples."""
        if self.graph.n_samples != X.shape[0]:
            raise ValueError(
                f"{self.name} has {self.graph.n_samples} vertices but X has {X.shape[0]} samples: a built graph "
                "belongs to its samples and cannot be cross-validated; pass a graph builder such as KNNGraph() instead"
            )
        return self.graph


@stored_by_parameters
class SumGraph(GraphBuilder):
    """Σ_i weights_i W_i, such as neighbours plus labels.

    Usually written ``KNNGraph(5) + 0.5 * LabelGraph()``.

    Parameters
    ----------
    graphs : list of (name, builder or n x n affinity)
        Names make parameters searchable: ``graph__knn__n_neighbors``.
    weights : list of float or None
        One weight ≥ 0 per graph; None means 1 each.

    Examples
    --------
    >>> from manifact.graphs import KNNGraph, LabelGraph
    >>> graph = KNNGraph(n_neighbors=3) + 2 * LabelGraph()
    >>> [name for name, _ in graph.graphs], graph.weights
    (['knngraph', 'labelgraph'], [1.0, 2.0])
    """

    def __init__(self, graphs: Sequence[tuple[str, Any]], weights: Sequence[float] | None = None) -> None:
        self.graphs = graphs
        self.weights = weights

    @classmethod
    def _of(cls, graph: Any) -> SumGraph:
        if isinstance(graph, SumGraph):
            return graph
        if not isinstance(graph, GraphBuilder) and not is_affinity(graph):
            raise TypeError(f"graphs are added to graphs and affinities, got {type(graph).__name__}")
        name = "affinity" if is_affinity(graph) else type(graph).__name__.lower()
        return cls([(name, graph)], [1.0])

    def _weights(self) -> list[float]:
        return [1.0] * len(self.graphs) if self.weights is None else [float(w) for w in self.weights]

    def __add__(self, other: Any) -> SumGraph:
        right = SumGraph._of(other)
        names = [name for name, _ in [*self.graphs, *right.graphs]]
        graphs = []
        for position, (name, graph) in enumerate([*self.graphs, *right.graphs]):
            earlier = names[:position].count(name)
            graphs.append((f"{name}{earlier + 1}" if earlier else name, graph))
        return SumGraph(graphs, self._weights() + right._weights())

    def __mul__(self, weight: float) -> SumGraph:
        checks.real("weight", weight, at_least=0)
        return SumGraph(list(self.graphs), [weight * w for w in self._weights()])

    __rmul__ = __mul__

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, those of the named graphs included."""
        params: dict[str, Any] = {"graphs": self.graphs, "weights": self.weights}
        if deep:
            for name, graph in self.graphs:
                params[name] = graph
                if hasattr(graph, "get_params"):
                    params |= {f"{name}__{key}": value for key, value in graph.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, of this sum or of a named graph."""
        for key in [key for key in params if key in dict(self.graphs)]:
            replacement = params.pop(key)
            self.graphs = [(name, replacement if name == key else graph) for name, graph in self.graphs]
        return super().set_params(**params)

    def for_components(self, k: int) -> SumGraph:
        """The sum of graphs for so many parts."""
        return SumGraph([(name, as_builder(graph).for_components(k)) for name, graph in self.graphs], self.weights)

    def memory_needed(self, X: Any) -> float:
        """That of the graph that needs most: they are built one after the other."""
        return max((as_builder(graph).memory_needed(X) for _, graph in self.graphs), default=0.0)

    def build(self, X: Any, y: Any = None) -> Graph:
        """Each graph built on its own, then added."""
        weights = self._weights()
        if len(weights) != len(self.graphs) or any(not np.isfinite(w) or w < 0 for w in weights):
            raise ValueError(
                f"weights={self.weights} must hold one number >= 0 for each of the {len(self.graphs)} graphs"
            )
        graphs = [as_builder(graph).build(X, y) for _, graph in self.graphs]
        return SumOfGraphs(graphs, weights)


def as_samples(X: Any) -> Any:
    """X as floats (counts of 8 bits must not overflow), sparse X as canonical CSR, where it lives.

    Searches look at all samples again and again: those that a device cannot hold are looked at by the host.
    """
    X = whole(native(X))
    return backend_of(X).rows.as_samples(X)


def is_affinity(graph: Any) -> bool:
    """Whether this is a matrix and not a builder."""
    return isinstance(graph, np.ndarray) or sparse.issparse(graph)


def as_builder(graph: Any, name: str = "graph") -> GraphBuilder:
    """A builder for whatever a ``graph`` parameter of this name may hold."""
    from manifact.graphs.auto import AutoGraph
    from manifact.graphs.knn import KNNGraph

    if isinstance(graph, str) and graph == "auto":
        return AutoGraph()
    if graph is None:
        return KNNGraph()
    if isinstance(graph, GraphBuilder):
        return graph
    if isinstance(graph, Graph):
        return BuiltGraph(graph, name)
    return AffinityBuilder(graph, name)
