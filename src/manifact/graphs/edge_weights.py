"""Weights of edges from the distances of their ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array, backend_of, on_host

#: The mean distance for ``sigma="auto"`` is taken over this many samples, as the GNMF authors' program does.
SIGMA_SAMPLES = 3000
#: No σ_i² is below this share of the mean squared distance: copies are at the distance 0.
LEAST_WIDTH = 1e-12


def symmetric_affinity(
    rows: Array, columns: Array, squares: Array, n: int, weight: str = "binary", sigma: float | None = None
) -> tuple[Any, Array | None]:
    """W of n samples from pairs of neighbours and their squared distances, and the own widths σ_i² of "local" weights.

    Two samples are joined where either has the other: by 1 ("binary"), exp(−d² / 2σ²) ("heat") or
    exp(−d_ij² / (σ_i σ_j)) ("local"), σ_i² the median of d_ij² over the edges at i, at least 10⁻¹² σ². Without
    ``sigma`` σ is the root mean square of the distances.

    >>> W, widths = symmetric_affinity(np.array([0, 1, 2]), np.array([1, 0, 1]), np.array([1.0, 1.0, 4.0]), 3, "local")
    >>> widths
    array([1. , 2.5, 4. ])
    >>> np.log(W[[0, 2], [1, 1]]).round(3)
    array([-0.632, -1.265])
    """
    sigma = root_mean_square(squares) if sigma is None else sigma
    rows, columns, squares = both_ways(rows, columns, squares, n)
    widths = None
    if weight == "local":
        widths = own_widths(rows, squares, n, sigma)
        values = local_weights(squares, widths[rows], widths[columns])
    else:
        values = np.ones(len(rows)) if weight == "binary" else np.exp(-squares / (2 * sigma**2))
    indptr = np.searchsorted(rows, np.arange(n + 1))
    W = sparse.csr_array((values, columns.astype(np.int32), indptr.astype(np.int32)), shape=(n, n))
    W.eliminate_zeros()
    return W, widths


def both_ways(rows: Array, columns: Array, squares: Array, n: int) -> tuple[Array, Array, Array]:
    """Each pair once in either direction, ordered by rows and columns; none of a sample with itself."""
    apart = rows != columns
    rows, columns, squares = rows[apart].astype(np.int64), columns[apart].astype(np.int64), squares[apart]
    keys = np.minimum(rows, columns) * n + np.maximum(rows, columns)
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    # The pair's own distance, whichever side found it: both sides of W must hold the same number.
    shared = np.minimum.reduceat(squares[order], first) if len(first) else squares
    low, high = np.divmod(keys[first], n)
    # The other direction comes in order by counting, without a second sort; pairs are numbered from 1, since a sum of
    # sparse matrices leaves out zeros.
    number = np.arange(1, len(low) + 1)
    upper = sparse.csr_array((number, high, np.searchsorted(low, np.arange(n + 1))), shape=(n, n))
    both = sparse.csr_array(upper + upper.T.tocsr())
    return np.repeat(np.arange(n), np.diff(both.indptr)), both.indices.astype(np.int64), shared[both.data - 1]


def own_widths(rows: Array, squares: Array, n: int, sigma: float) -> Array:
    """σ_i², the median of the squared distances at each of n samples, and at least 10⁻¹² σ²; ``rows`` rise."""
    widths, counts = np.zeros(n), np.bincount(rows, minlength=n)
    starts = np.cumsum(counts) - counts
    # Samples with as many edges are sorted together, each on its own: many times as fast as sorting all edges.
    for count in np.unique(counts[counts > 0]):
        some = np.flatnonzero(counts == count)
        own = np.sort(squares[starts[some][:, None] + np.arange(count)], axis=1)
        widths[some] = own[:, (count - 1) // 2] / 2 + own[:, count // 2] / 2
    return np.maximum(widths, max(LEAST_WIDTH * sigma**2, float(np.finfo(np.float64).tiny)))


def root_mean_square(squares: Array) -> float:
    """The root mean square of distances; 1 where all are 0."""
    return float(np.sqrt(squares.mean())) or 1.0 if len(squares) else 1.0


def local_weights(squares: Array, mine: Array, theirs: Array) -> Array:
    """exp(−d_ij² / (σ_i σ_j)) from d_ij², σ_i² and σ_j²."""
    with np.errstate(over="ignore", under="ignore"):
        return np.exp(-squares / (np.sqrt(mine) * np.sqrt(theirs)))


def mean_distance(X: Any) -> float:
    """Mean Euclidean distance between samples (evenly spaced ones if there are many)."""
    n = X.shape[0]
    some = on_host(backend_of(X).rows.taken(X, np.unique(np.linspace(0, n - 1, min(n, SIGMA_SAMPLES)).astype(int))))
    G = backend_of(some).row_products(some.astype(np.float64))
    squares = G.diagonal().copy()
    # In place: there are many pairs.
    G *= -2
    G += squares[:, None]
    G += squares
    np.fill_diagonal(G, 0)
    return float(np.sqrt(np.maximum(G, 0, out=G), out=G).mean()) or 1.0
