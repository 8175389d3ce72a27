"""Where the iteration starts for samples in blocks: from some of them, or from all where they are few."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from manifact.backends import Array, as_data, backend_of, namespace, on_host
from manifact.graphs import Graph
from manifact.graphs.some_samples import some_of
from manifact.models.cluster_starts import ADDED, seen_somewhere
from manifact.models.problem import Problem
from manifact.models.starts import unit_columns


def start_in_blocks(model: Any, problem: Problem) -> tuple[Any, Any]:
    """U and V to start from: as if all samples were in memory, where they could be; else from some of them.

    From some, the others get the V that suits them best with these parts, and the parts are then made again from all
    samples: what none of those few contained would be missing in them for ever.
    """
    if model._goes_on or not isinstance(model.init, str):
        return model._start(problem)
    if model.init == "random" or (model.init == "auto" and not model._starts_from_clusters):
        drawn = random_in_blocks(problem)
        return drawn if model.init == "random" else model._after_short_run(problem, *drawn)
    n = problem.X.shape[0]
    some = some_of(problem.X)
    U, V = model._start(of_some(problem, some))
    return (U, V) if len(some) == n else _from_parts(model, problem, U)


def random_in_blocks(problem: Problem) -> tuple[Array, Any]:
    """The random start of `start`, drawn a column of V at a time."""
    (n, m), k, X = problem.X.shape, problem.k, problem.X
    U = np.ascontiguousarray(problem.rng.random_sample((k, m)).T, dtype=X.dtype)
    # One sample, which only takes over the scale.
    U, norms = unit_columns(U, np.ones((1, k), dtype=X.dtype))
    blocks: Any = backend_of(X)
    V = blocks.empty_rows(X, k)
    for column in range(k):
        V[:, column] = problem.rng.random_sample(n).astype(X.dtype) * norms[0, column]
    return U, problem.rows_beside_data(V)


def samples_and_graph(X: Any, graph: Graph) -> tuple[Any, Graph]:
    """Some of the samples in memory, or all, and their graph."""
    some = some_of(X)
    return X.rows(some), graph.of_samples(some)


def of_some(problem: Problem, some: Array) -> Problem:
    """The problem of some of the samples, in memory."""
    X = problem.X.rows(some)
    weight = None if problem.weight is None else problem.weight[some]
    y = None if problem.y is None else np.asarray(problem.y)[some]
    graph = None if problem.graph is None else problem.graph.of_samples(some)
    return replace(problem, X=X, y=y, weight=weight, data=as_data(X, weight), graph=graph)


def _from_parts(model: Any, problem: Problem, U: Array) -> tuple[Array, Any]:
    """V of all samples that suits parts best, raised a little, and the parts that suit it."""
    X, k = problem.X, problem.k
    placed = problem.basis(U)
    V = as_data(X).project_least_squares(placed, placed.T @ placed, None, 0.0, 0.0)
    xp, backend = namespace(V), backend_of(V)
    total = float(on_host(backend.column_sums(V)).sum())
    V = backend.kept(V + ADDED * total / max(1, X.shape[0] * k))
    data = as_data(X)
    products, gram = data.times_transposed(V), data.cross(V, V)
    G, B = np.asarray(on_host(gram)), np.asarray(on_host(products), dtype=np.float64)
    U = np.asarray(backend_of(B).nonnegative_least_squares(G, B))
    U = seen_somewhere(U) if model._loss.needs_positive_V else U
    return U.astype(X.dtype), xp.astype(V, X.dtype, copy=False)
