"""X in NumPy and SciPy: dense through BLAS, sparse through kernels over its non-zeros."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import numpy as numpy_backend
from manifact.backends.factor_operations import FactorOperations
from manifact.backends.numpy.dense_products import added, product, product_transposed, rows_per_part
from manifact.backends.numpy.fused_descent import dense_descent, sparse_descent
from manifact.backends.numpy.kernels import dense_divergence, divergence, sample_projection
from manifact.backends.numpy.kernels.lanes import TILE_ROWS, padded_length
from manifact.backends.numpy.numpy_operations import effort, nonnegative_least_squares, rows_in_cache, sparse_times
from manifact.backends.numpy.padded_rows import padded, vectors
from manifact.backends.protocol import Array, Backend, Descent
from manifact.backends.threads import over_rows
from manifact.utils.cached_properties import cached_property
from manifact.utils.sparse_matrices import sorted_csr, split_by_sign

#: Y is at least this fraction of X: the divergence of a sample from nothing stays finite, at any scale.
FLOOR = 1e-10
#: Entries of sparse X that are copied at a time.
ENTRIES_PER_BLOCK = 1 << 20
#: Dense blocks of Y are about this large, so that they stay in the cache of one core, and have so many rows at least.
BLOCK_BYTES, BLOCK_ROWS = 1 << 19, 32


class _NumpyData(FactorOperations):
    """What dense and sparse X share."""

    backend: Backend = numpy_backend
    #: Γ X.
    X: Any

    @cached_property
    def signed(self) -> bool:
        """Whether X has negative entries."""
        return bool(self.X.min() < 0)

    def halves(self) -> tuple[Any, Any]:
        """X⁺ and X⁻."""
        positive, negative = split_by_sign(self.X)
        return self.backend.data(positive, None), self.backend.data(negative, None)

    @cached_property
    def row_squares(self) -> Array:
        """‖x_j‖²; 0 for samples without weight, of which nothing is kept."""
        squares = self.squares if self.weight is None else _unweighted(self.squares, self.weight)
        return squares.astype(self.dtype, copy=False)

    @cached_property
    def square_sum(self) -> float:
        """Σ γ_j x_ji²."""
        return float(self.squares.sum(dtype=np.float64))

    @cached_property
    def _floors(self) -> Array:
        """What x is multiplied by for the floor under y: the data here are γx, the floor is made of x."""
        if self.weight is None:
            return np.full(self.shape[0], FLOOR, dtype=self.dtype)
        weight = np.where(self.weight > 0, self.weight, 1)
        return (FLOOR / weight).astype(self.dtype)

    def _rows(self, value: Any) -> Array:
        return np.broadcast_to(np.asarray(value, dtype=self.dtype), (self.shape[0],))

    def _own(self, j: int, row: Array) -> Array:
        """Row j without its weight."""
        return row if self.weight is None or not self.weight[j] else row / self.weight[j]

    def times(self, U: Array) -> Array:
        """Γ X U."""
        raise NotImplementedError

    @property
    def squares(self) -> Array:
        """Σ_i γ_j x_ji² of each sample."""
        raise NotImplementedError

    def project_least_squares(self, U: Array, G: Array, pull: Array | None, shift: Any, l1: float) -> Array:
        B = self.times(U) - self.dtype.type(l1 / 2)
        if pull is not None:
            B += pull
        return nonnegative_least_squares(G, B, shift)

    def project_divergence(self, U: Array, pull: Array | None, shift: Any, l1: float, l2: float) -> Array:
        X = self._as_csr()
        n, k = self.shape[0], U.shape[1]
        a = (U.sum(axis=0) + l1).astype(self.dtype)
        # Every start with no zero finds the same minimum; this one has the right total for each sample.
        totals = np.asarray(X.sum(axis=1)).reshape(-1, 1) / (float(a.sum()) or np.inf)
        V = np.array(np.broadcast_to(totals, (n, k)), dtype=self.dtype, order="C")
        if pull is None:
            pull = np.zeros((1, k), dtype=self.dtype)
        pull = np.broadcast_to(pull, (n, k))
        V += pull / np.maximum(a + self._rows(shift)[:, None], np.finfo(self.dtype).tiny)
        sweeps, tol = effort("divergence", self.dtype)
        over_rows(
            sample_projection.divergence, n, X.nnz * k * 50, X.indptr, X.indices, X.data, U, a, l2, pull,
            self._rows(shift), FLOOR, float(np.finfo(self.dtype).tiny), sweeps, tol, V, costs=X.indptr,
        )  # fmt: skip
        return V

    def _as_csr(self) -> Any:
        raise NotImplementedError


class SparseData(_NumpyData):
    """Γ X in CSR; its transpose is made once, when first needed, so that both passes gather."""

    def __init__(self, X: Any, weight: Array | None) -> None:
        X = sorted_csr(X)
        if weight is not None:
            values = X.data * np.repeat(weight.astype(X.dtype), np.diff(X.indptr))
            X = sparse.csr_array((values, X.indices, X.indptr), shape=X.shape)
        self.X = X
        self.weight = weight
        self.shape = X.shape
        self.dtype = X.dtype

    @cached_property
    def XT(self) -> Any:
        """Xᵀ in CSR."""
        return sparse.csr_array(self.X.T)

    def _as_csr(self) -> Any:
        return self.X

    def row(self, j: int) -> Array:
        """Row j of X."""
        return self._own(j, self.X[[j]].toarray()[0])

    def dense_blocks(self) -> Iterator[tuple[slice, Array]]:
        """Sparse X is never made dense."""
        raise TypeError("this loss needs a dense X: pass X.toarray() if that fits in memory, or use another loss")

    def times(self, U: Array) -> Array:
        return sparse_times(self.X, U)

    def times_transposed(self, V: Array) -> Array:
        return sparse_times(self.XT, V)

    def descended(
        self, U: Array, V: Array, before: tuple[Array, Array], rate: float, XtV: Array, sweeps: int
    ) -> Descent | None:
        whole = rows_in_cache(U) >= len(U) and rows_in_cache(V) >= len(V)
        if self.weight is not None or not whole:
            return None
        return sparse_descent(self.X, self.XT, U, V, before, rate, XtV, sweeps)

    def ratio_times(self, U: Array, V: Array) -> tuple[Array, float]:
        X, k = self.X, U.shape[1]
        out, loglik = np.empty_like(V), np.empty(X.shape[0])
        tiny = float(np.finfo(self.dtype).tiny)
        over_rows(
            divergence.ratio_times, X.shape[0], 2 * X.nnz * k, X.indptr, X.indices, X.data, padded(U), V,
            self._floors, self.dtype.type(tiny), out, loglik, costs=X.indptr,
        )  # fmt: skip
        return out, float(loglik.sum())

    def ratio_times_transposed(self, U: Array, V: Array) -> Array:
        XT, k = self.XT, U.shape[1]
        out = np.empty_like(U)
        tiny = float(np.finfo(self.dtype).tiny)
        over_rows(
            divergence.ratio_times_transposed, XT.shape[0], 2 * XT.nnz * k, XT.indptr, XT.indices, XT.data, U,
            padded(V), self._floors, int(self.weight is not None), self.dtype.type(tiny), rows_in_cache(V), out,
            costs=XT.indptr,
        )  # fmt: skip
        return out

    def _row_blocks(self) -> Iterator[tuple[slice, slice]]:
        """Rows and their entries, a few at a time: sums over all entries need no copy of X."""
        indptr = self.X.indptr
        bounds = np.unique(np.searchsorted(indptr, np.arange(0, self.X.nnz, ENTRIES_PER_BLOCK)))
        for start, stop in pairwise([*bounds.tolist(), self.shape[0]]):
            yield slice(start, stop), slice(int(indptr[start]), int(indptr[stop]))

    @cached_property
    def squares(self) -> Array:
        sums = np.zeros(self.shape[0])
        for rows, entries in self._row_blocks():
            x = self.X.data[entries].astype(np.float64)
            lengths = np.diff(self.X.indptr[rows.start : rows.stop + 1])
            sums[rows] = np.bincount(np.repeat(np.arange(len(lengths)), lengths), x * x, len(lengths))
        return sums if self.weight is None else _unweighted(sums, self.weight.astype(np.float64))

    @cached_property
    def entry_sum(self) -> float:
        return float(self.X.data.sum(dtype=np.float64))

    @cached_property
    def entropy_sum(self) -> float:
        total = 0.0
        for rows, entries in self._row_blocks():
            x = self.X.data[entries].astype(np.float64)
            inner = x
            if self.weight is not None:
                lengths = np.diff(self.X.indptr[rows.start : rows.stop + 1])
                inner = _unweighted(x, np.repeat(self.weight[rows], lengths))
            total += float(x @ np.log(np.where(inner > 0, inner, 1.0)))
        return total - self.entry_sum

    def settled(self, value: float, U: Array, V: Array) -> float:
        # Entry by entry would form Y.
        return max(value, 0.0)


class DenseData(_NumpyData):
    """Γ X as an array; Y is formed a block of rows at a time."""

    def __init__(self, X: Array, weight: Array | None) -> None:
        # Kernels read rows in one piece; turning X round for each product would take longer than the product.
        self.X = np.ascontiguousarray(X if weight is None else X * weight.astype(X.dtype)[:, None])
        self.weight = weight
        self.shape = X.shape
        self.dtype = X.dtype

    def _as_csr(self) -> Any:
        return sorted_csr(self.X)

    def row(self, j: int) -> Array:
        """Row j of X."""
        return self._own(j, self.X[j])

    def dense_blocks(self) -> Iterator[tuple[slice, Array]]:
        """X a block of rows at a time."""
        for rows in self._blocks():
            yield rows, self.X[rows] if self.weight is None else _unweighted(self.X[rows], self.weight[rows, None])

    def times(self, U: Array) -> Array:
        return product(self.X, U)

    def times_transposed(self, V: Array) -> Array:
        return product_transposed(self.X, V)

    def descended(
        self, U: Array, V: Array, before: tuple[Array, Array], rate: float, XtV: Array, sweeps: int
    ) -> Descent | None:
        return None if self.weight is not None else dense_descent(self.X, U, V, before, rate, XtV, sweeps)

    def _blocks(self) -> Iterator[slice]:
        """A few rows at a time, so that what is made of them stays in the cache of one core."""
        rows = max(BLOCK_ROWS, BLOCK_BYTES // max(1, self.shape[1] * self.dtype.itemsize))
        return (slice(start, start + rows) for start in range(0, self.shape[0], rows))

    def _tiny(self) -> Any:
        return self.dtype.type(np.finfo(self.dtype).tiny)

    def ratio_times(self, U: Array, V: Array) -> tuple[Array, float]:
        (n, m), k = self.shape, U.shape[1]
        out, loglik = np.empty_like(V, order="C"), np.empty(n)
        X, V = self.X, np.ascontiguousarray(V)
        whole = np.empty(0, dtype=f"i{self.dtype.itemsize}")
        over_rows(
            dense_divergence.ratio_times, -(-n // TILE_ROWS), 3 * n * m * k, X, padded(U), padded(U.T), V, self._floors,
            self._tiny(), whole, out, loglik,
        )  # fmt: skip
        return out, float(loglik.sum())

    def ratio_times_transposed(self, U: Array, V: Array) -> Array:
        (n, m), k = self.shape, U.shape[1]
        rows, length = rows_per_part(n, k), padded_length(k, self.dtype.itemsize)
        parts = vectors(-(-n // rows) * m, length, self.dtype).reshape(-1, m, length)
        X, V = self.X, np.ascontiguousarray(V)
        over_rows(
            dense_divergence.ratio_times_transposed, len(parts), 3 * n * m * k, X, padded(U.T), V, self._floors,
            self._tiny(), rows, parts,
        )  # fmt: skip
        return added(parts, k)

    @cached_property
    def square_sum(self) -> float:
        X = self.X if self.weight is None else _unweighted(self.X, self.weight[:, None])
        return self.inner(self.X, X)

    @cached_property
    def squares(self) -> Array:
        sums = np.einsum("ij,ij->i", self.X, self.X)
        return sums if self.weight is None else _unweighted(sums, self.weight)

    @cached_property
    def entry_sum(self) -> float:
        return float(self.X.sum(dtype=np.float64))

    @cached_property
    def entropy_sum(self) -> float:
        total = 0.0
        for rows, X in self.dense_blocks():
            total += self.inner(self.X[rows], np.log(np.where(X > 0, X, 1)))
        return total - self.entry_sum

    def settled(self, value: float, U: Array, V: Array) -> float:
        return self.residual(U, V)

    def residual(self, U: Array, V: Array) -> float:
        """Σ γ_j (x_ji − y_ji)², entry by entry."""
        total = 0.0
        for rows, X in self.dense_blocks():
            R = X - V[rows] @ U.T
            total += self.inner(R if self.weight is None else R * self.weight[rows, None], R)
        return total


def _unweighted(x: Array, weight: Array) -> Array:
    return np.divide(x, weight, out=np.zeros_like(x), where=weight > 0)
