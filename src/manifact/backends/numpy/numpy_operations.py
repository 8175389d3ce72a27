"""NumPy and Numba: products with sparse matrices, graphs and exact steps, each over rows that threads share out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends.matrix import Matrix
from manifact.backends.numpy.column_systems import csr_arrays
from manifact.backends.numpy.constant_arrays import all_rows, constant
from manifact.backends.numpy.kernels import coordinate_steps, sample_projection
from manifact.backends.numpy.kernels import sparse_products as csr
from manifact.backends.numpy.kernels.lanes import rows_abreast
from manifact.backends.numpy.padded_rows import padded
from manifact.backends.protocol import Array
from manifact.backends.threads import over_rows

#: Rows of a tall factor that are gathered from at a time: at 400,000 rows three times faster than all at once. One that
#: is only so many times as large is gathered from as a whole: its popular rows stay in cache by themselves.
CACHE_BYTES, GATHERED_WHOLE = 1 << 22, 4
#: Rows whose edges one thread adds up: sums must not depend on the number of threads.
ROWS_PER_ENERGY = 256
#: Sweeps of least squares before rows that rest are left out.
SWEEPS_PER_TURN = 10
PROJECTION_SWEEPS = {"least_squares": 200, "divergence": 1000}
PROJECTION_TOL = {"least_squares": 1e-10, "divergence": 1e-9}


def rows_in_cache(V: Array) -> int:
    """How many rows of V are gathered from at a time."""
    if V.nbytes <= GATHERED_WHOLE * CACHE_BYTES:
        return max(1, V.shape[0])
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


def times(W: Matrix, V: Array) -> Array:
    """W V."""
    return sparse_times(W.typed(V.dtype), V)


def edge_energies(W: Matrix, A: Array, B: Array) -> Array:
    """a_kᵀLb_k = ½ Σ_js W_js (a_jk − a_sk)(b_jk − b_sk) of every column, in float64."""
    A, B = np.ascontiguousarray(A), np.ascontiguousarray(B)
    edges = W.csr
    blocks = -(-edges.shape[0] // ROWS_PER_ENERGY)
    out = np.zeros((blocks, A.shape[1]))
    work = edges.nnz * A.shape[1]
    arrays = (edges.indptr, edges.indices, edges.data, A, B, ROWS_PER_ENERGY, out)
    over_rows(csr.edge_energies, blocks, work, *arrays)
    return out.sum(axis=0)


def edge_classes(W: Matrix) -> list[Array]:
    """The vertices of W in groups without edges inside, hubs first."""
    edges = W.csr
    colors = np.full(edges.shape[0], -1)
    csr.color(edges.indptr, edges.indices, np.argsort(-np.diff(edges.indptr), kind="stable"), colors)
    return [np.flatnonzero(colors == c) for c in range(colors.max(initial=-1) + 1)]


def sweep_rows(
    V: Array, G: Array, B: Array, scale: Any, shift: Any, sweeps: int, edges: Matrix | None = None, lam: float = 0.0,
    groups: Sequence[Array] | None = None,
) -> Array:  # fmt: skip
    """V after exact coordinate steps on scale_j vᵀGv − 2 (b_j + λ Σ_s W_js v_s)ᵀv + shift_j vᵀv, v ≥ 0, for each row.

    Without edges the rows are independent, and are done ``sweeps`` times; with edges the ``groups`` of rows that are no
    neighbours of each other take their turns, ``sweeps`` rounds of them.
    """
    n, k = V.shape
    # Rows that see each other must find the others' new values; those that do not are read where they are.
    before = np.ascontiguousarray(V) if edges is None else np.array(V, order="C")
    V = np.empty_like(before) if edges is None else before
    G, B = np.ascontiguousarray(G, dtype=V.dtype), np.ascontiguousarray(B, dtype=V.dtype)
    scale, shift = (_spread(part, n, V.dtype) for part in (scale, shift))
    width = rows_abreast(V.itemsize)
    if edges is None:
        rounds, inner, groups = 1, sweeps, [all_rows(n)]
    else:
        rounds, inner = sweeps, 1
        groups = edge_classes(edges) if groups is None else groups
    for _ in range(rounds):
        for order in groups:
            blocks = -(-len(order) // width)
            work = len(order) * k * k * inner
            arrays = (G, B, scale, shift, *csr_arrays(edges, n), lam, order, inner, width, before, V)
            over_rows(coordinate_steps.sweep_rows, blocks, work, *arrays)
    return V


def _spread(value: Any, n: int, dtype: Any) -> Array:
    """One number for each row; never a view, for which the kernel would be compiled again."""
    if np.ndim(value) == 0:
        return constant(float(value), n, np.dtype(dtype).char)
    return np.array(np.broadcast_to(value, (n,)), dtype=dtype)


def edge_gaussians(W: Matrix, V: Array) -> Matrix:
    """W_ij exp(−‖v_i − v_j‖²) on the edges of W."""
    V, edges = np.ascontiguousarray(V), W.csr
    values = np.empty(edges.nnz, dtype=V.dtype)
    arrays = (edges.indptr, edges.indices, edges.data, V, values)
    over_rows(csr.gaussian, edges.shape[0], edges.nnz * V.shape[1], *arrays, costs=edges.indptr)
    return Matrix(sparse.csr_array((values, edges.indices, edges.indptr), shape=edges.shape))


def nonnegative_least_squares(G: Array, B: Array, shift: Any = 0.0) -> Array:
    """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 b_jᵀv, each on its own.

    Rows take steps abreast, in turns of which each leaves out those that rest; what never rests (a basis that is all
    but collinear) is solved for exactly.
    """
    n, k = B.shape
    V = np.zeros_like(B, order="C")
    shift = np.broadcast_to(np.asarray(shift, dtype=B.dtype), (n,))
    sweeps, tol = effort("least_squares", B.dtype)
    rows = np.arange(n)
    for _ in range(sweeps // SWEEPS_PER_TURN):
        before = sweep_rows(V[rows], G, B[rows], 1.0, shift[rows], SWEEPS_PER_TURN - 1)
        V[rows] = after = sweep_rows(before, G, B[rows], 1.0, shift[rows], 1)
        rows = rows[np.abs(after - before).max(axis=1, initial=0.0) > tol * after.max(axis=1, initial=0.0)]
        if not len(rows):
            return V
    G, some = np.ascontiguousarray(G, dtype=B.dtype), V[rows]
    work = len(rows) * k * k * 50
    over_rows(sample_projection.least_squares, len(rows), work, G, B[rows], shift[rows], 1, tol, some)
    V[rows] = some
    return V


def effort(problem: str, dtype: Any) -> tuple[int, float]:
    """Sweeps at the most, and the change at which a projection rests."""
    return PROJECTION_SWEEPS[problem], max(PROJECTION_TOL[problem], 4 * float(np.finfo(dtype).eps))
