"""NumPy and Numba: dense X through BLAS, sparse X through kernels over its non-zeros."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array, Data
from manifact.backends.kernels import affinity as matching
from manifact.backends.kernels import divergence, factors, linear, projection
from manifact.backends.kernels import sparse as csr
from manifact.backends.kernels.lanes import VECTOR_BYTES, padded_length, rows_abreast
from manifact.backends.threads import over_rows

#: Y is at least this fraction of X: the divergence of a sample from nothing stays finite, at any scale.
FLOOR = 1e-10
#: Rows of a tall factor that are gathered from at a time: at 400,000 rows three times faster than all at once.
CACHE_BYTES = 1 << 22
#: Rows that one thread adds up: sums must not depend on the number of threads.
ROWS_PER_SUM = 1024
#: Entries of sparse X that are copied at a time.
ENTRIES_PER_BLOCK = 1 << 20
#: Dense blocks of Y are about this large, so that they stay in cache.
BLOCK_BYTES = 1 << 23
#: Conjugate gradients: steps at the most, fewer where a few digits will do, and how often they start again from the
#: true residual.
MOST_STEPS = 20_000
FEW_STEPS = 300
REFINEMENTS = 4
PROJECTION_SWEEPS = {"least_squares": 200, "divergence": 1000}
PROJECTION_TOL = {"least_squares": 1e-10, "divergence": 1e-9}


def wrap(X: Any, weight: Array | None) -> Data:
    """Γ X as `SparseData` or `DenseData`."""
    return SparseData(X, weight) if sparse.issparse(X) else DenseData(X, weight)


def sorted_csr(X: Any) -> Any:
    """X as CSR with sorted, unique, narrow indices; the user's own matrix is never changed."""
    csr_form = sparse.csr_array(X)
    if not csr_form.has_canonical_format:
        csr_form = csr_form.copy()
        csr_form.sum_duplicates()
    wide = np.iinfo(np.int32).max
    if csr_form.indices.dtype != np.int32 and max(csr_form.nnz, *csr_form.shape) < wide:
        parts = (csr_form.data, csr_form.indices.astype(np.int32), csr_form.indptr.astype(np.int32))
        csr_form = sparse.csr_array(parts, shape=csr_form.shape)
    return csr_form


def rows_in_cache(V: Array) -> int:
    """How many rows of V are gathered from at a time."""
    return max(1, CACHE_BYTES // max(1, V.shape[1] * V.itemsize))


def sparse_times(W: Any, V: Array) -> Array:
    """W V for a CSR matrix, rows shared out among threads."""
    out = np.empty((W.shape[0], V.shape[1]), dtype=np.result_type(W.dtype, V.dtype))
    at_once = rows_in_cache(V)
    V = padded(V.astype(out.dtype, copy=False))
    # Visiting every row for every block pays only where a row has several entries in each.
    if V.shape[0] > at_once and W.nnz > 4 * W.shape[0] * (V.shape[0] / at_once) and W.has_sorted_indices:
        work = W.nnz * V.shape[1]
        arrays = (W.indptr, W.indices, W.data, V, at_once, out)
        over_rows(csr.times_in_blocks, W.shape[0], work, *arrays, costs=W.indptr)
        return out
    over_rows(csr.times, W.shape[0], W.nnz * V.shape[1], W.indptr, W.indices, W.data, V, out, costs=W.indptr)
    return out


def gather_rows(W: Any, V: Array) -> Array:
    """The sums of the rows of V that the non-zeros of each row of W point at: what reading them costs."""
    out = np.empty((W.shape[0], V.shape[1]), dtype=V.dtype)
    over_rows(csr.gather, W.shape[0], W.nnz * V.shape[1], W.indptr, W.indices, V, out, costs=W.indptr)
    return out


def padded(P: Array) -> Array:
    """P with rows of whole vectors, filled up with zeros; P itself where they are."""
    n, k = P.shape
    length = padded_length(k, P.itemsize)
    if length == k:
        return np.ascontiguousarray(P)
    out = np.empty((n, length), dtype=P.dtype)
    out[:, :k] = P
    out[:, k:] = 0
    return out


def cross(A: Array, B: Array) -> Array:
    """AᵀB in float64; of float32 factors a block of rows at a time, so that long sums keep their digits."""
    if A.dtype == np.float64:
        return A.T @ B
    whole = len(A) // ROWS_PER_SUM * ROWS_PER_SUM
    A_blocks, B_blocks = (P[:whole].reshape(-1, ROWS_PER_SUM, P.shape[1]) for P in (A, B))
    products = np.matmul(A_blocks.transpose(0, 2, 1), B_blocks)
    return products.sum(axis=0, dtype=np.float64) + (A[whole:].T @ B[whole:])


def column_sums(P: Array) -> Array:
    """Σ_j p_j, in float64."""
    blocks = -(-P.shape[0] // ROWS_PER_SUM)
    out = np.zeros((blocks, P.shape[1]))
    over_rows(factors.column_sums, blocks, P.size, np.ascontiguousarray(P), ROWS_PER_SUM, out)
    return out.sum(axis=0)


def edge_energies(W: Any, A: Array, B: Array) -> Array:
    """Tr of each column: a_kᵀLb_k = 1/2 Σ_js W_js (a_jk − a_sk)(b_jk − b_sk) for a CSR affinity W."""
    A, B = np.ascontiguousarray(A), np.ascontiguousarray(B)
    blocks = -(-W.shape[0] // 256)
    out = np.zeros((blocks, A.shape[1]))
    over_rows(csr.edge_energies, blocks, W.nnz * A.shape[1], W.indptr, W.indices, W.data, A, B, out)
    return out.sum(axis=0)


def solve_columns(
    W: Any, degrees: Array, A: Array, lam: float, B: Array, start: Array, tol: float, reduction: float = 0.0
) -> tuple[Array, float]:
    """Column k is (diag(A_k) + λL)⁻¹ b_k for a CSR affinity W, and the largest relative residual that is left.

    A column is solved until its residual is below ``tol`` relative to b, or ``reduction`` times that of ``start``.
    """
    n, k = B.shape
    Z = np.array(start, dtype=B.dtype, order="C")
    A = np.ascontiguousarray(np.broadcast_to(A, (np.shape(A)[0] if np.ndim(A) == 2 else 1, k)), dtype=B.dtype)
    residual = np.zeros(k)
    width = VECTOR_BYTES // B.itemsize
    blocks = -(-k // width)
    steps = min(10 * n + 100, MOST_STEPS if reduction == 0 else FEW_STEPS)
    refinements = REFINEMENTS if reduction == 0 else 1
    over_rows(
        linear.solve_columns, blocks, 20 * W.nnz * k, W.indptr, W.indices, W.data, lam, degrees, A,
        np.ascontiguousarray(B), tol, reduction, refinements, steps, width, Z, residual,
    )  # fmt: skip
    return Z, float(residual.max(initial=0.0))


def color_classes(W: Any) -> list[Array]:
    """Vertices of the graph W in groups without edges inside, hubs first."""
    degrees = np.diff(W.indptr)
    colors = np.full(W.shape[0], -1)
    csr.color(W.indptr, W.indices, np.argsort(-degrees, kind="stable"), colors)
    return [np.flatnonzero(colors == c) for c in range(colors.max(initial=-1) + 1)]


def sweep_rows(
    V: Array, G: Array, B: Array, scale: Any, shift: Any, sweeps: int, W: Any = None, lam: float = 0.0,
    groups: list[Array] | None = None,
) -> Array:  # fmt: skip
    """V after exact coordinate steps on scale_j vᵀGv − 2 (b_j + λ Σ_s W_js v_s)ᵀv + shift_j vᵀv, v ≥ 0, for each row.

    Without W the rows are independent, and are done ``sweeps`` times; with W the ``groups`` of rows that are no
    neighbours of each other take their turns, ``sweeps`` rounds of them.
    """
    n, k = V.shape
    V = np.array(V, order="C")
    G, B = np.ascontiguousarray(G, dtype=V.dtype), np.ascontiguousarray(B, dtype=V.dtype)
    scale = np.broadcast_to(np.asarray(scale, dtype=V.dtype), (n,))
    shift = np.broadcast_to(np.asarray(shift, dtype=V.dtype), (n,))
    width = rows_abreast(V.itemsize)
    if W is None:
        edges = np.zeros(n + 1, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0)
        rounds, inner, groups = 1, sweeps, [np.arange(n)]
    else:
        assert groups is not None
        edges, rounds, inner = (W.indptr, W.indices, W.data), sweeps, 1
    for _ in range(rounds):
        for order in groups:
            blocks = -(-len(order) // width)
            work = len(order) * k * k * inner
            over_rows(factors.sweep_rows, blocks, work, G, B, scale, shift, *edges, lam, order, inner, width, V)
    return V


def sweep_matching(
    V: Array, G: Array, B: Array, scale: Any, shift: float, F: Array, inside: Array, mu: float
) -> Array:  # fmt: skip
    """V after one round of exact coordinate steps on Σ_j scale_j vᵀGv − 2 b_jᵀv + shift vᵀv + μ ‖F Fᵀ − V Vᵀ‖², V ≥ 0.

    The last term counts the rows that are ``inside``. Rows see each other's new values, so they take their turns on
    one thread.
    """
    n = V.shape[0]
    V = np.array(V, order="C")
    rows = [np.ascontiguousarray(np.broadcast_to(np.asarray(part, dtype=np.float64), (n,))) for part in (scale, shift)]
    M, A = np.ascontiguousarray(cross(V, F)), cross(V[inside], V[inside])
    G = np.ascontiguousarray(G, dtype=np.float64)
    matching.sweep_matching(G, np.ascontiguousarray(B), *rows, np.ascontiguousarray(F), inside, mu, M, A, V)
    return V


def repulsion_weights(W: Any, V: Array) -> Any:
    """W_ij exp(−‖v_i − v_j‖²) on the edges of W."""
    V = np.ascontiguousarray(V)
    values = np.empty(W.nnz, dtype=V.dtype)
    over_rows(csr.gaussian, W.shape[0], W.nnz * V.shape[1], W.indptr, W.indices, W.data, V, values, costs=W.indptr)
    return sparse.csr_array((values, W.indices, W.indptr), shape=W.shape)


def nonnegative_least_squares(G: Array, B: Array, shift: Any = 0.0) -> Array:
    """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 b_jᵀv, each on its own."""
    n, k = B.shape
    V = np.zeros_like(B, order="C")
    shift = np.broadcast_to(np.asarray(shift, dtype=B.dtype), (n,))
    sweeps, tol = _effort("least_squares", B.dtype)
    G = np.ascontiguousarray(G, dtype=B.dtype)
    over_rows(projection.least_squares, n, n * k * k * 50, G, np.ascontiguousarray(B), shift, sweeps, tol, V)
    return V


def _effort(problem: str, dtype: Any) -> tuple[int, float]:
    return PROJECTION_SWEEPS[problem], max(PROJECTION_TOL[problem], 4 * float(np.finfo(dtype).eps))


class _NumpyData:
    """What dense and sparse X share: everything that only touches the factors."""

    shape: tuple[int, int]
    dtype: Any
    weight: Array | None

    def weighted(self, V: Array) -> Array:
        return V if self.weight is None else self.weight[:, None] * V

    def gram(self, V: Array) -> Array:
        return cross(V, self.weighted(V))

    def cross(self, A: Array, B: Array) -> Array:
        return cross(A, B)

    def column_sums(self, V: Array) -> Array:
        return column_sums(V) if self.weight is None else cross(self.weight[:, None], V)[0]

    def sums(self, U: Array) -> Array:
        return column_sums(U)

    def inner(self, A: Array, B: Array) -> float:
        return float(np.einsum("ij,ij->", A, B, dtype=np.float64))

    def rescale(self, P: Array, negative: Array, positive: Array) -> Array:
        # Far below the scale of the data: entries that have become tiny must be able to grow again, zeros must not
        # divide by zero.
        floor = np.sqrt(np.finfo(P.dtype).tiny) * (float(np.mean(positive, dtype=np.float64)) or 1.0)
        positive = np.asarray(positive, dtype=P.dtype)
        if positive.shape not in (P.shape, (1, P.shape[1])):
            positive = np.broadcast_to(positive, P.shape)
        out = np.empty_like(P)
        arrays = (np.ascontiguousarray(part) for part in (P, negative, positive))
        over_rows(factors.rescale, P.shape[0], P.size, *arrays, P.dtype.type(floor), out)
        return out

    @cached_property
    def _floors(self) -> Array:
        """What x is multiplied by for the floor under y: the data here are γx, the floor is made of x."""
        if self.weight is None:
            return np.full(self.shape[0], FLOOR, dtype=self.dtype)
        weight = np.where(self.weight > 0, self.weight, 1)
        return (FLOOR / weight).astype(self.dtype)

    def _rows(self, value: Any) -> Array:
        return np.broadcast_to(np.asarray(value, dtype=self.dtype), (self.shape[0],))

    def times(self, U: Array) -> Array:
        raise NotImplementedError

    def sweep(self, V: Array, G: Array, B: Array, scale: Any, shift: Any, sweeps: int) -> Array:
        return sweep_rows(V, G, B, scale, shift, sweeps)

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
        sweeps, tol = _effort("divergence", self.dtype)
        over_rows(
            projection.divergence, n, X.nnz * k * 50, X.indptr, X.indices, X.data, U, a, l2, pull,
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
    def diagonal(self) -> Array:
        """‖x_j‖²."""
        if self.weight is not None:
            raise NotImplementedError("row norms of weighted data are not kept")
        return np.asarray(self.X.multiply(self.X).sum(axis=1)).ravel()

    @cached_property
    def XT(self) -> Any:
        """Xᵀ in CSR."""
        return sparse.csr_array(self.X.T)

    def _as_csr(self) -> Any:
        return self.X

    def row(self, j: int) -> Array:
        return self.X[[j]].toarray()[0]

    def times(self, U: Array) -> Array:
        return sparse_times(self.X, U)

    def times_transposed(self, V: Array) -> Array:
        return sparse_times(self.XT, V)

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
    def square_sum(self) -> float:
        return float(self.squares.sum())

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
        self.X = X if weight is None else X * weight.astype(X.dtype)[:, None]
        self.weight = weight
        self.shape = X.shape
        self.dtype = X.dtype

    def _as_csr(self) -> Any:
        return sorted_csr(self.X)

    def row(self, j: int) -> Array:
        return self.X[j]

    def times(self, U: Array) -> Array:
        return self.X @ U

    def times_transposed(self, V: Array) -> Array:
        return self.X.T @ V

    @cached_property
    def diagonal(self) -> Array:
        """‖x_j‖²."""
        if self.weight is not None:
            raise NotImplementedError("row norms of weighted data are not kept")
        return np.einsum("ij,ij->i", self.X, self.X)

    def _blocks(self) -> Iterator[slice]:
        rows = max(1, BLOCK_BYTES // max(1, self.shape[1] * self.dtype.itemsize))
        return (slice(start, start + rows) for start in range(0, self.shape[0], rows))

    def _floored(self, rows: slice, U: Array, V: Array) -> Array:
        Y = V[rows] @ U.T
        return np.maximum(Y, self._floors[rows, None] * self.X[rows] + np.finfo(self.dtype).tiny, out=Y)

    def ratio_times(self, U: Array, V: Array) -> tuple[Array, float]:
        out, loglik = np.empty_like(V), 0.0
        for rows in self._blocks():
            X, Y = self.X[rows], self._floored(rows, U, V)
            np.matmul(X / Y, U, out=out[rows])
            loglik += float(np.einsum("ij,ij->", X, np.log(Y, out=Y), dtype=np.float64))
        return out, loglik

    def ratio_times_transposed(self, U: Array, V: Array) -> Array:
        out = np.zeros_like(U)
        for rows in self._blocks():
            out += (self.X[rows] / self._floored(rows, U, V)).T @ V[rows]
        return out

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
        for rows in self._blocks():
            weight = None if self.weight is None else self.weight[rows, None]
            X = self.X[rows] if weight is None else _unweighted(self.X[rows], weight)
            total += self.inner(self.X[rows], np.log(np.where(X > 0, X, 1)))
        return total - self.entry_sum

    def settled(self, value: float, U: Array, V: Array) -> float:
        return self.residual(U, V)

    def residual(self, U: Array, V: Array) -> float:
        """Σ γ_j (x_ji − y_ji)², entry by entry."""
        total = 0.0
        for rows in self._blocks():
            weight = None if self.weight is None else self.weight[rows, None]
            X = self.X[rows] if weight is None else _unweighted(self.X[rows], weight)
            R = X - V[rows] @ U.T
            total += self.inner(R if weight is None else R * weight, R)
        return total


def _unweighted(x: Array, weight: Array) -> Array:
    return np.divide(x, weight, out=np.zeros_like(x), where=weight > 0)
