"""The models whose iterations are measured, by the rule that their paper published unless the name says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manifact.experiments.bench.benchmark_samples import Samples, random_start
from manifact.graphs import KNNGraph
from manifact.models import GNMF, LPNMF, NMF, AffinityNMF

LAMBDA = 100.0
NEIGHBORS = 5
#: From the number of parts, a graph and what all have in common to a model.
MODELS: dict[str, Callable[..., Any]] = {
    "NMF": lambda k, graph, **common: NMF(k, solver="mu", **common),
    "NMF, bcd": lambda k, graph, **common: NMF(k, solver="bcd", **common),
    "NMF, divergence": lambda k, graph, **common: NMF(k, solver="mu", loss="kullback-leibler", **common),
    "GNMF": lambda k, graph, **common: GNMF(k, solver="mu", graph=graph, graph_reg=LAMBDA, **common),
    "GNMF, bcd": lambda k, graph, **common: GNMF(k, solver="bcd", graph=graph, graph_reg=LAMBDA, **common),
    "LPNMF": lambda k, graph, **common: LPNMF(k, solver="mu", graph=graph, graph_reg=LAMBDA, **common),
    "AffinityNMF": lambda k, graph, **common: AffinityNMF(k, graph=graph, **(common | {"init": "random"})),
}


ON_GRAPHS = ("GNMF", "GNMF, bcd", "LPNMF", "AffinityNMF")
#: Graphs that were built, by the name and the size of their samples.
_GRAPHS: dict[Any, Any] = {}


def graph_of(samples: Samples) -> Any:
    """The graph of these samples, built once."""
    key = samples.name, samples.X.shape
    if key not in _GRAPHS:
        _GRAPHS[key] = KNNGraph(NEIGHBORS, metric=samples.metric).build(samples.X)
    return _GRAPHS[key]


def model_of(name: str, samples: Samples, k: int, iterations: int) -> Any:
    """A model that runs so many iterations from a random start, its graph built already."""
    # A tolerance of 0 would ask for linear systems solved to the last digits, which is not what users run.
    start = random_start(samples.X, k, seed=0)
    graph = graph_of(samples) if name in ON_GRAPHS else None
    return MODELS[name](k, graph, init=start, max_iter=iterations, tol=1e-12, random_state=0)
