"""Graphs of some of the samples: a fixed number, so that the answer does not depend on how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from manifact.graphs import AffinityGraph, Graph, GraphBuilder, KNNGraph
from manifact.graphs.builder import AffinityBuilder, BuiltGraph

#: So many samples are looked at. What can be told apart grows with their number and has no end (news can be told apart
#: down to the single story): a number of clusters means something for a number of samples only.
SAMPLES = 1500
#: Neighbours in the graph of some vertices of a larger one, and the longest walks that look for them.
NEIGHBORS, STEPS = 5, 6
#: Entries of the walks' distributions that are kept in memory at the most.
MOST_ENTRIES = 50_000_000


def draws(
    X: Any, builder: GraphBuilder, count: int, rng: np.random.RandomState, built: Graph | None = None
) -> Iterator[Any]:
    """``count`` affinities, each of at most `SAMPLES` samples: of all of them, or of some, drawn anew each time.

    ``built`` is the graph of all samples, where it is known.
    """
    n = X.shape[0]
    if n <= SAMPLES:
        W = _edges(builder.build(X) if built is None else built, X)
        yield from (W for _ in range(count))
        return
    whole = builder.build(X) if isinstance(builder, AffinityBuilder | BuiltGraph) else None
    for _ in range(count):
        some = np.sort(rng.choice(n, SAMPLES, replace=False))
        if isinstance(whole, AffinityGraph):
            yield among(whole.W, some)
        else:
            yield _edges(KNNGraph().build(X[some]) if whole is not None else builder.build(X[some]), X[some])


def _edges(graph: Graph, X: Any) -> Any:
    """W; where edges are not listed (landmarks, sums), those of the nearest neighbours stand for them."""
    listed = graph if isinstance(graph, AffinityGraph) else KNNGraph().build(X)
    assert isinstance(listed, AffinityGraph)
    return listed.W


def among(W: Any, some: Any) -> Any:
    """The graph of some vertices: each is joined to those where a random walk from it and one from there meet most."""
    degrees = np.asarray(W.sum(axis=1)).ravel()
    inverse = sparse.diags_array(np.divide(1, degrees, out=np.zeros_like(degrees), where=degrees > 0))
    step = sparse.csr_array(inverse @ W)
    walk = step[some]
    for _ in range(STEPS):
        meeting = sparse.csr_array(walk @ inverse @ walk.T)
        meeting.setdiag(0)
        meeting.eliminate_zeros()
        if np.mean(np.diff(meeting.indptr) >= NEIGHBORS) > 0.9 or walk.nnz * (step.nnz / W.shape[0]) > MOST_ENTRIES:
            break
        walk = sparse.csr_array(walk @ step)
    return _largest(meeting)


def _largest(M: Any) -> Any:
    """1 where one of two rows is among the other's largest entries."""
    pairs = []
    for row, (start, stop) in enumerate(zip(M.indptr[:-1], M.indptr[1:], strict=True)):
        best = np.argsort(-M.data[start:stop], kind="stable")[:NEIGHBORS]
        pairs += [(row, column) for column in M.indices[start:stop][best]]
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    near = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=M.shape)
    return sparse.csr_array(near.maximum(near.T))
