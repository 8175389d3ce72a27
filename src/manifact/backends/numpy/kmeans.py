"""Argmin Σ_j ‖x_j − c_l(j)‖² over clusters: the best of several runs of Lloyd's iterations, one run to a thread.

Starts are drawn as scikit-learn's ``KMeans`` draws them, from the same numbers (D. Arthur, S. Vassilvitskii. k-means++:
the advantages of careful seeding. SODA, 2007), so that results are its own but for rounding. What a run needs of random
numbers does not depend on the data: all are drawn before, and runs need not wait for each other. A run looks only at
centres that have moved since.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from manifact.backends.numpy.kernels.sparse_products import add_rows
from manifact.backends.numpy.numpy_operations import sparse_times
from manifact.backends.numpy.sample_rows import extent, over
from manifact.backends.protocol import Array
from manifact.backends.threads import each
from manifact.utils.cached_properties import cached_property
from manifact.utils.sparse_matrices import sorted_csr

#: Iterations of a run at the most, and the share of the samples' variance that centres may move by at its end.
ITERATIONS, TOL = 300, 1e-4
#: Entries are safe between this power of the smallest number and the inverse of that.
SAFE = 1 / 4


class Clusters(NamedTuple):
    """Where a run ends."""

    inertia: float
    labels: Array
    centres: Array


def kmeans(X: Any, k: int, starts: int, rng: np.random.RandomState) -> tuple[Array, Array]:
    """The cluster of each row of X and the k centres, k x m, of the run with the smallest sum of squares."""
    X, scale = _scaled(X)
    samples = _SparseRows(sorted_csr(X)) if sparse.issparse(X) else _DenseRows(X)
    draws = [_Draws(samples.shape[0], k, rng) for _ in range(starts)]
    best: Clusters | None = None
    for found in each(lambda drawn: _run(samples, k, drawn), draws):
        if best is None or found.inertia < best.inertia:
            best = found
    assert best is not None
    return best.labels, samples.placed(best.centres) * X.dtype.type(scale)


def _scaled(X: Any) -> tuple[Any, float]:
    """Samples on a scale on which squares neither overflow nor vanish, and that scale."""
    largest = max(map(abs, extent(X)))
    least = float(np.finfo(X.dtype).tiny) ** SAFE
    return (X, 1.0) if largest == 0 or least < largest < 1 / least else (over(X, largest), largest)


class _Draws:
    """The random numbers of one start: its first sample, and for each other centre where candidates are looked for."""

    def __init__(self, n: int, k: int, rng: np.random.RandomState) -> None:
        self.first = int(rng.choice(n, p=np.full(n, 1 / n)))
        self.shares = [rng.uniform(size=2 + int(np.log(k))) for _ in range(1, k)]


class _DenseRows:
    """Samples as an array, about their mean: distances lose fewer digits there."""

    def __init__(self, X: Array) -> None:
        self.mean = X.mean(axis=0)
        self.X = np.ascontiguousarray(X - self.mean)
        self.shape = X.shape
        self.squares = np.einsum("ij,ij->i", self.X, self.X)
        self.tol = TOL * float(self.X.var(axis=0).mean())

    def rows(self, index: Any) -> Array:
        """Some samples, dense."""
        return self.X[index]

    def distances(self, index: Array) -> Array:
        """Squared distances of all samples from some of them."""
        return _squares(self.squares[:, None] + self.squares[index], self.X @ self.X[index].T)

    def products(self, centres: Array) -> Array:
        """<x_j, c_i>."""
        return self.X @ centres.T

    def move(self, sums: Array, rows: Array, before: Array | None, after: Array) -> None:
        """Samples go from their clusters' sums, if they were in any, to others."""
        members = _members(len(sums), after, before)
        sums += members @ self.X[rows]

    def placed(self, centres: Array) -> Array:
        """Centres among the samples as they were given."""
        return centres + self.mean


class _SparseRows:
    """Samples as a sparse matrix, which no mean is taken off."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.shape = X.shape
        self.squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        means = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
        self.tol = TOL * float((self.squares.sum(dtype=np.float64) / X.shape[0] - means @ means) / X.shape[1])

    @cached_property
    def XT(self) -> Any:
        """Xᵀ in CSR."""
        return sparse.csr_array(self.X.T)

    def rows(self, index: Any) -> Array:
        """Some samples, dense."""
        return np.asarray(self.X[np.atleast_1d(index)].toarray())

    def distances(self, index: Array) -> Array:
        """Squared distances of all samples from some of them."""
        # By the features that those few have: most samples share none with them.
        return _squares(self.squares[:, None] + self.squares[index], (self.X[index] @ self.XT).toarray().T)

    def products(self, centres: Array) -> Array:
        """<x_j, c_i>."""
        return sparse_times(self.X, np.ascontiguousarray(centres.T))

    def move(self, sums: Array, rows: Array, before: Array | None, after: Array) -> None:
        """Samples go from their clusters' sums, if they were in any, to others."""
        X = self.X
        if before is not None:
            add_rows(X.indptr, X.indices, X.data, rows, before, -1.0, sums)
        add_rows(X.indptr, X.indices, X.data, rows, after, 1.0, sums)

    def placed(self, centres: Array) -> Array:
        """Centres among the samples as they were given."""
        return centres


def _squares(sizes: Array, products: Array) -> Array:
    products *= -2
    products += sizes
    return np.maximum(products, 0, out=products)


def _members(k: int, after: Array, before: Array | None) -> Any:
    """1 where a sample comes to a cluster and −1 where it leaves one, k x the number of samples."""
    ones, every = np.ones(len(after)), np.arange(len(after))
    members = sparse.csr_array((ones, (after, every)), shape=(k, len(after)))
    return members if before is None else members - sparse.csr_array((ones, (before, every)), shape=members.shape)


def _run(samples: Any, k: int, drawn: _Draws) -> Clusters:
    """Lloyd's iterations from a start of k-means++."""
    centres = _spread(samples, k, drawn)
    # ‖c_i‖²/2 − <x_j, c_i>: the smallest is the nearest.
    scores = _halves(centres) - samples.products(centres)
    sums = np.zeros(centres.shape)
    labels = scores.argmin(axis=1)
    rows, before = np.arange(len(labels)), None
    for _ in range(ITERATIONS):
        samples.move(sums, rows, before, labels[rows])
        sizes = np.bincount(labels, minlength=k)
        if before is None or not sizes.all():
            touched, means = np.arange(k), _means(samples, labels, sums, sizes, scores)
        else:
            touched = np.unique([before, labels[rows]])
            means = sums[touched] / sizes[touched, None]
        new = means.astype(centres.dtype)
        step = new - centres[touched]
        centres[touched] = new
        scores[:, touched] = _halves(new) - samples.products(new)
        found = scores.argmin(axis=1)
        rows = np.flatnonzero(found != labels)
        before, labels = labels[rows], found
        if not len(rows) or np.einsum("ij,ij->", step, step, dtype=np.float64) <= samples.tol:
            break
    return Clusters(float(_own_distances(samples, labels, scores).sum(dtype=np.float64)), labels, centres)


def _spread(samples: Any, k: int, drawn: _Draws) -> Array:
    """Samples far from each other: the best of a few, drawn by their squared distance from those that are chosen."""
    chosen = [drawn.first]
    closest = samples.distances(np.array(chosen))[:, 0]
    for shares in drawn.shares:
        below = np.cumsum(closest, dtype=np.float64)
        candidates = np.minimum(np.searchsorted(below, shares * below[-1]), len(closest) - 1)
        nearer = np.minimum(samples.distances(candidates).T, closest)
        best = int(nearer.sum(axis=1, dtype=np.float64).argmin())
        chosen.append(int(candidates[best]))
        closest = nearer[best]
    return samples.rows(np.array(chosen))


def _halves(centres: Array) -> Array:
    return np.einsum("ij,ij->i", centres, centres) / 2


def _own_distances(samples: Any, labels: Array, scores: Array) -> Array:
    """The squared distance of each sample from the centre of its cluster."""
    return np.maximum(samples.squares + 2 * scores[np.arange(len(labels)), labels], 0)


def _means(samples: Any, labels: Array, sums: Array, sizes: Array, scores: Array) -> Array:
    """The centres of clusters; one that lost all its samples gets the one that is farthest from its centre."""
    sums, sizes = sums.copy(), sizes.copy()
    distances = _own_distances(samples, labels, scores)
    for cluster, far in zip(np.flatnonzero(sizes == 0), np.argsort(-distances, kind="stable"), strict=False):
        if distances[far] > 0 and sizes[labels[far]] > 1:
            row = samples.rows(np.array([far]))[0]
            sums[labels[far]] -= row
            sums[cluster] = row
            sizes[labels[far]] -= 1
            sizes[cluster] = 1
    # Fewer different samples than clusters: the others stand where the largest is.
    sums[sizes == 0], sizes[sizes == 0] = sums[sizes.argmax()], sizes.max()
    return sums / sizes[:, None]
