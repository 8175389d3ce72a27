"""What the graph says: who is whose neighbour, and whether neighbours end up together."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array, backend_of

#: Neighbours that the page shows of a sample.
NEIGHBOURS = 8
#: Groups whose indicator vectors are multiplied by W at a time.
GROUPS_AT_ONCE = 64


def affinity(graph: Any) -> Any:
    """W of a graph that holds it as a sparse matrix, or of a sum of such; otherwise None."""
    if hasattr(graph, "graphs"):
        parts = [affinity(part) for part in graph.graphs]
        if any(part is None for part in parts):
            return None
        return sum((w * W for w, W in zip(graph.weights[1:], parts[1:], strict=True)), graph.weights[0] * parts[0])
    return getattr(graph, "W", None)


def neighbours(graph: Any, V: Array, width: int = NEIGHBOURS) -> tuple[Array, Array, str]:
    """Indices and weights (n x width, largest weight first) of each sample's neighbours, and where they are from.

    They are the graph's where it holds its edges, and otherwise the samples whose mixtures of parts are most alike,
    weighted by the cosine. Samples with fewer neighbours have themselves in the places that are left, with weight 0.
    """
    W = affinity(graph)
    if W is not None:
        return *_from_affinity(sparse.csr_array(W), width), "graph"
    return *_from_representation(V, width), "representation"


def _from_affinity(W: Any, width: int) -> tuple[Array, Array]:
    n = W.shape[0]
    rows = np.repeat(np.arange(n), np.diff(W.indptr))
    kept = (W.data > 0) & (rows != W.indices)
    rows, columns, weights = rows[kept], W.indices[kept], W.data[kept]
    order = np.lexsort((columns, -weights, rows))
    rows, columns, weights = rows[order], columns[order], weights[order]
    place = np.arange(len(rows)) - np.searchsorted(rows, np.arange(n))[rows]
    first = place < width
    index, weight = _nobody(n, width)
    index[rows[first], place[first]] = columns[first]
    weight[rows[first], place[first]] = weights[first]
    return index, weight


def _from_representation(V: Array, width: int) -> tuple[Array, Array]:
    V = np.maximum(V, 0).astype(np.float32)
    lengths = np.linalg.norm(V, axis=1, keepdims=True)
    P = np.ascontiguousarray(V / np.where(lengths > 0, lengths, 1))
    found, squares = backend_of(P).nearest(P, width)
    index, weight = _nobody(len(V), width)
    index[:, : found.shape[1]] = found
    weight[:, : found.shape[1]] = np.clip(1 - squares / 2, 0, 1)
    return index, weight


def _nobody(n: int, width: int) -> tuple[Array, Array]:
    return np.tile(np.arange(n)[:, None], (1, width)), np.zeros((n, width))


def purity(graph: Any, groups: Array, count: int) -> tuple[float | None, list[float | None]]:
    """Share of the edge weight that stays within groups, as a whole and for the samples of each group.

    ``groups`` holds a number below ``count`` for each sample, −1 where none is known: such samples and their edges do
    not take part. None where no edge does.
    """
    known = (groups >= 0).astype(np.float64)[:, None]
    towards_known = graph.adjacency(known).ravel()
    within, touching = np.zeros(count), np.zeros(count)
    for start in range(0, count, GROUPS_AT_ONCE):
        numbers = np.arange(start, min(count, start + GROUPS_AT_ONCE))
        H = (groups[:, None] == numbers).astype(np.float64)
        within[numbers] = np.einsum("ij,ij->j", H, graph.adjacency(H))
        touching[numbers] = H.T @ towards_known
    each = [float(w / t) if t > 0 else None for w, t in zip(within, touching, strict=True)]
    return (float(within.sum() / touching.sum()) if touching.sum() > 0 else None), each
