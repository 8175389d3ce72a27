"""A graph that chooses its own features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from manifact.backends import comes_in_blocks, native
from manifact.graphs.builder import GraphBuilder, as_samples
from manifact.graphs.feature_halves import SAMPLES
from manifact.graphs.graph_choice import NEIGHBORS, GraphChoice, choose_graph
from manifact.graphs.landmark import LandmarkGraph
from manifact.graphs.operators import Graph
from manifact.graphs.search_memory import distance_bytes, search_bytes, view_bytes
from manifact.graphs.some_samples import some_of
from manifact.graphs.views import row_lengths
from manifact.utils import checks
from manifact.utils.errors import BadValueError
from manifact.utils.progress import showing
from manifact.utils.stored_classes import stored_by_parameters

#: Numbers of clusters that are tried where none is given: the largest, and how much larger each is than the one before.
MOST_COMPONENTS, RATIO = 100, 1.2
#: Samples per cluster at the least.
SMALLEST = 3
#: Lengths of samples that were brought to 1 differ from it by less.
UNIT = 1e-4


@stored_by_parameters
class AutoGraph(GraphBuilder):
    """The `KNNGraph` whose clusters two halves of the features say most alike: chosen without labels.

    Neighbours are looked for among all features, their square roots, and 50 or 100 leading directions of the samples,
    balanced to several degrees; 5 or 30 of them, with ``weight="local"``. Each is tried on six random pairs of disjoint
    halves of the features (1,500 samples, drawn anew): both halves are clustered, and the bits that they say alike
    beyond chance speak for the way of looking, since noise differs from feature to feature and what samples are does
    not. All are compared at the same number of clusters. Plain features stay unless others are better by a standard
    error, and 5 neighbours unless they say less than 19 twentieths of what 30 say.

    Parameters
    ----------
    n_components : int or None, default=None
        The number of clusters at which graphs are compared; in a model, None is the model's own. Elsewhere, and where
        the model's is "auto", 5 neighbours are taken if halves of the plain features say their clusters alike to a
        share of at least 0.6; then the graphs that differ most (plain features, roots, balanced directions) are asked
        for how many clusters they speak, and all are compared at those numbers. See `manifact.select`.
    n_neighbors : "auto", int or several, default="auto"
        What to choose from; "auto" means 5 and 30.
    random_state : int, RandomState or None, default=0
        Which samples and features are looked at together.
    verbose : bool, default=False
        Show the progress; a model with ``verbose=True`` shows it as well.

    Attributes
    ----------
    The graph that it builds has ``candidates_``: a row for each graph that was looked at.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact.graphs import AutoGraph
    >>> graph = AutoGraph(n_components=10).build(load_digits().data[:300])
    >>> sorted({row["n_neighbors"] for row in graph.candidates_})
    [5, 30]
    """

    def __init__(
        self,
        n_components: int | None = None,
        n_neighbors: Any = "auto",
        random_state: Any = 0,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.verbose = verbose

    def for_components(self, k: int) -> AutoGraph:
        """The one that compares graphs at k clusters, unless another number was given."""
        return self if self.n_components is not None else clone(self).set_params(n_components=k)

    def build(self, X: Any, y: Any = None) -> Graph:
        """The chosen graph of the rows of X; of more samples in blocks than fit into memory, one through landmarks."""
        X = native(X)
        if comes_in_blocks(X):
            some = some_of(X)
            if len(some) < X.shape[0]:
                return LandmarkGraph().build(X)
            X = X.rows(some)
        return self.choose_and_build(X)[1]

    def memory_needed(self, X: Any) -> float:
        """Of the widest view that may be chosen: roots of all features, at unit length; few samples are compared."""
        if comes_in_blocks(X):
            return LandmarkGraph().memory_needed(X)
        return search_bytes(X, max(self._counts())) + view_bytes(X, None) + distance_bytes(X, SAMPLES)

    def choose_and_build(self, X: Any, n_components: Any = None) -> tuple[GraphChoice, Graph]:
        """What was chosen, and the graph; ``n_components`` may be several to choose from."""
        counts = self._counts()
        if self.n_components is not None:
            checks.integer("n_components", self.n_components, at_least=1)
            n_components = self.n_components
        X = as_samples(X)
        if n_components is None:
            sizes = possible_sizes(X.shape[0])
        else:
            sizes = [n_components] if np.ndim(n_components) == 0 else list(n_components)
        with showing(bool(self.verbose)):
            choice = choose_graph(X, sizes, check_random_state(self.random_state), counts)
            graph: Any = choice.builder(metric=nearness(X)).build(X)
        graph.candidates_ = choice.candidates()
        return choice, graph

    def _counts(self) -> list[int]:
        if isinstance(self.n_neighbors, str):
            checks.option("n_neighbors", self.n_neighbors, ("auto",))
            return list(NEIGHBORS)
        several = [self.n_neighbors] if np.ndim(self.n_neighbors) == 0 else list(self.n_neighbors)
        if not several:
            raise BadValueError("{n_neighbors} is empty: give 'auto', a number or several to choose from")
        for count in several:
            checks.integer("n_neighbors", count, at_least=1)
        return sorted({int(count) for count in several})


def nearness(X: Any) -> str:
    """The metric of a `KNNGraph` of the rows of X.

    Of unit length both find the same neighbours; but an empty sample, which is no farther from any other than these are
    from each other, would be everybody's neighbour, and by the cosine it is nobody's.
    """
    lengths = row_lengths(X)
    return "cosine" if np.allclose(lengths[lengths > 0], 1.0, rtol=0, atol=UNIT) else "euclidean"


def possible_sizes(n: int) -> list[int]:
    """Numbers of clusters of n samples that are tried unasked, each about a fifth larger than the one before."""
    sizes = [2] if n >= 2 * SMALLEST else [1]
    while (following := max(sizes[-1] + 1, round(sizes[-1] * RATIO))) <= min(n // SMALLEST, MOST_COMPONENTS):
        sizes.append(following)
    return sizes
