"""Graphs of some of the samples: a fixed number, so that the answer does not depend on how many there are."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import backend_of
from manifact.graphs import AffinityGraph, Graph, KNNGraph

#: So many samples are looked at. What can be told apart grows with their number and has no end (news can be told apart
#: down to the single story): a number of clusters means something for a number of samples only.
SAMPLES = 3000
#: Neighbours in the graph of some vertices of a larger one, and the longest walks that look for them.
NEIGHBORS, STEPS = 5, 6
#: Entries of the walks' distributions that are kept in memory at the most.
MOST_ENTRIES = 50_000_000


def sampled(X: Any, graph: Graph, rng: np.random.RandomState) -> Any:
    """W of a graph of the rows of X, or of at most `SAMPLES` of them.

    Where edges are not listed (landmarks, sums), those of the nearest neighbours stand for them.
    """
    n = X.shape[0]
    some = np.arange(n) if n <= SAMPLES else np.sort(rng.choice(n, SAMPLES, replace=False))
    if not isinstance(graph, AffinityGraph):
        near = KNNGraph().build(X if n <= SAMPLES else backend_of(X).rows.taken(X, some))
        assert isinstance(near, AffinityGraph)
        return near.W
    return graph.W if n <= SAMPLES else among(graph.W, some)


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
