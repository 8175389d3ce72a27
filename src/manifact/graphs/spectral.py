"""Eigenvectors of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from sklearn.preprocessing import normalize

from manifact.backends import Array
from manifact.graphs.operators import AffinityGraph, Graph

#: Below this many vertices (or three times the eigenvectors) the dense solver is quicker and never misses any.
DENSE_SAMPLES = 200
#: Of S; smaller ones are noise, or belong to samples without neighbours.
SMALLEST_EIGENVALUE = 1e-3


def leading_eigenvectors(graph: Graph, k: int, rng: np.random.RandomState) -> Array:
    """The eigenvectors of D^(−½) W D^(−½) with the k largest eigenvalues, n x k, largest first.

    Every connected piece of a graph has an eigenvalue 1, and Lanczos' method misses some of equal ones. So pieces are
    solved one by one, where the edges are listed; of more than k pieces the k with the most samples count.
    """
    if isinstance(graph, AffinityGraph):
        return _piece_by_piece(graph, k, rng)
    return _leading(graph.normalized(), k, rng)[1]


def angles(graph: Graph, k: int) -> tuple[Array, Array]:
    """The rows of the k leading eigenvectors at unit length, and what gives those of new samples from its neighbours.

    A new sample with affinities w to the samples has the direction of wᵀH, H = D^(−½) E Λ^(−1) (Nyström's extension).
    Samples without neighbours have rows of zeros. Computed once for a graph, from a start of its own: two fits on the
    same graph see the same.
    """
    known: dict[int, tuple[Array, Array]] = graph.__dict__.setdefault("_angles", {})
    if k not in known:
        E = leading_eigenvectors(graph, k, np.random.RandomState(0))
        values = np.einsum("ij,ij->j", E, graph.normalized() @ E)
        root = np.sqrt(graph.degrees)[:, None]
        # Directions with no weight in the graph say nothing about new samples.
        usable = np.divide(1, values, out=np.zeros_like(values), where=values > SMALLEST_EIGENVALUE)
        H = np.divide(E * usable, root, out=np.zeros_like(E), where=root > 0)
        known[k] = normalize(E * (graph.degrees > 0)[:, None]), H
    return known[k]


def _piece_by_piece(graph: AffinityGraph, k: int, rng: np.random.RandomState) -> Array:
    root = np.sqrt(graph.degrees)
    scale = sparse.diags_array(np.divide(1, root, out=np.zeros_like(root), where=root > 0))
    S = sparse.csr_array(scale @ graph.W.astype(np.float64) @ scale)
    pieces = _pieces(graph.W)
    found: list[tuple[float, Array, Array]] = []
    for rows in pieces[:k]:
        # Enough pieces with edges: each gives its eigenvalue 1 and nothing else can be larger.
        wanted = 1 if len(pieces) >= k and len(pieces[k - 1]) > 1 else min(k, len(rows))
        own, vectors = _leading(S[rows][:, rows], wanted, rng)
        found += [(value, rows, vector) for value, vector in zip(own, vectors.T, strict=True)]
    found = sorted(found, key=lambda one: -one[0])[:k]
    leading = np.zeros((graph.n_samples, len(found)))
    for column, (_, rows, vector) in enumerate(found):
        leading[rows, column] = vector
    return leading


def _pieces(W: Any) -> list[Array]:
    """The rows of each connected piece, most samples first."""
    count, member = connected_components(W, directed=False)
    sizes = np.bincount(member, minlength=count)
    rows = np.split(np.argsort(member, kind="stable"), np.cumsum(sizes)[:-1])
    return [rows[piece] for piece in np.argsort(-sizes, kind="stable")]


def _leading(S: Any, k: int, rng: np.random.RandomState) -> tuple[Array, Array]:
    """The k largest eigenvalues of a symmetric operator, in falling order, and their eigenvectors."""
    n = S.shape[0]
    if n <= max(3 * k, DENSE_SAMPLES):
        values, vectors = np.linalg.eigh(S @ np.eye(n))
        return values[: -k - 1 : -1], vectors[:, : -k - 1 : -1]
    values, vectors = eigsh(S, k=k, which="LA", v0=rng.uniform(0.5, 1.5, n), tol=1e-6)
    order = np.argsort(-values)
    return values[order], vectors[:, order]
