"""NumPy and Numba: operations on factors, sparse matrices and graphs, each over rows that threads share out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends.matrix import Matrix, Pieces
from manifact.backends.numpy.kernels import conjugate_gradients, coordinate_steps, sample_projection
from manifact.backends.numpy.kernels import sparse_products as csr
from manifact.backends.numpy.kernels.lanes import VECTOR_BYTES, padded_length, rows_abreast
from manifact.backends.protocol import Array
from manifact.backends.threads import over_rows

#: Rows of a tall factor that are gathered from at a time: at 400,000 rows three times faster than all at once.
CACHE_BYTES = 1 << 22
#: Rows that one thread adds up: sums must not depend on the number of threads.
ROWS_PER_SUM = 1024
#: OpenBLAS multiplies matrices with one thread up to so many multiply-adds; so few rows are not worth a call of their
#: own; and so many blocks of rows are multiplied before their products are added.
ONE_THREAD_PRODUCT, FEW_ROWS, BLOCKS_AT_ONCE = 1 << 18, 16, 8
#: The same for the edges at these rows.
ROWS_PER_ENERGY = 256
#: Conjugate gradients: steps at the most, fewer where a few digits will do, and few where not even one is asked for;
#: and how often they start again from the true residual.
MOST_STEPS = 20_000
FEW_STEPS = 300
ROUGH, ROUGH_STEPS = 0.1, 15
REFINEMENTS = 4
#: Sweeps of least squares before rows that rest are left out.
SWEEPS_PER_TURN = 10
PROJECTION_SWEEPS = {"least_squares": 200, "divergence": 1000}
PROJECTION_TOL = {"least_squares": 1e-10, "divergence": 1e-9}


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
    """AᵀB in float64, a block of rows at a time: long sums of float32 factors keep their digits.

    BLAS keeps to one thread where a product is small, and ours share out the blocks. Its own threads gain little here,
    and wait for each other on a machine that has other work to do: up to a hundred times as long as the product takes.
    """
    n, size = A.shape[0], A.shape[1] * B.shape[1]
    rows = min(ROWS_PER_SUM, ONE_THREAD_PRODUCT // max(size, 1))
    if rows < FEW_ROWS and A.dtype == np.float64:
        return A.T @ B
    rows = max(rows, FEW_ROWS)
    chunks = -(-n // (rows * BLOCKS_AT_ONCE))
    out = np.zeros((chunks, A.shape[1], B.shape[1]))
    over_rows(_cross_blocks, chunks, n * size, A, B, rows, out)
    return out.sum(axis=0)


def _cross_blocks(A: Array, B: Array, rows: int, out: Array, start: int, stop: int) -> None:
    """out_c = AᵀB over the rows of chunk c, the last block of which may be short."""
    for chunk in range(start, stop):
        some = slice(chunk * rows * BLOCKS_AT_ONCE, (chunk + 1) * rows * BLOCKS_AT_ONCE)
        left, right = A[some], B[some]
        whole = len(left) // rows * rows
        left_blocks, right_blocks = (P[:whole].reshape(-1, rows, P.shape[1]) for P in (left, right))
        products = np.matmul(left_blocks.transpose(0, 2, 1), right_blocks)
        out[chunk] = products.sum(axis=0, dtype=np.float64)
        if whole < len(left):
            out[chunk] += left[whole:].T @ right[whole:]


def column_sums(P: Array) -> Array:
    """Σ_j p_j, in float64."""
    blocks = -(-P.shape[0] // ROWS_PER_SUM)
    out = np.zeros((blocks, P.shape[1]))
    over_rows(coordinate_steps.column_sums, blocks, P.size, np.ascontiguousarray(P), ROWS_PER_SUM, out)
    return out.sum(axis=0)


def times(W: Matrix, V: Array) -> Array:
    """W V."""
    return sparse_times(W.typed(V.dtype), V)


def column_products(A: Array, B: Array) -> Array:
    """Σ_j a_jk b_jk of every column k, in float64."""
    return np.einsum("ij,ij->j", A, B, dtype=np.float64)


def inner(A: Array, B: Array) -> float:
    """Σ a_ij b_ij, summed in float64."""
    return float(np.einsum("ij,ij->", A, B, dtype=np.float64))


def rescale(P: Array, negative: Array, positive: Array) -> Array:
    """P ∘ negative / positive, with a floor under the denominators."""
    # Far below the scale of the data: entries that have become tiny must be able to grow again, zeros must not
    # divide by zero.
    tiny = float(np.finfo(P.dtype).tiny)
    floor = max(tiny, np.sqrt(tiny) * (float(np.mean(positive, dtype=np.float64)) or 1.0))
    positive = np.asarray(positive, dtype=P.dtype)
    if positive.shape not in (P.shape, (1, P.shape[1])):
        positive = np.broadcast_to(positive, P.shape)
    out = np.empty_like(P)
    arrays = (np.ascontiguousarray(part) for part in (P, np.broadcast_to(negative, P.shape), positive))
    over_rows(coordinate_steps.rescale, P.shape[0], P.size, *arrays, P.dtype.type(floor), out)
    return out


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


def solve_columns(
    pieces: Pieces, A: Array, lam: float, B: Array, start: Array | None, tol: float, reduction: float
) -> tuple[Array, float]:
    """Column k is (diag(A_k) + λL)⁻¹ b_k, and the largest relative residual that is left.

    A column is solved until its residual is below ``tol`` relative to b, or ``reduction`` times that of ``start``.
    """
    n, k = B.shape
    A = np.ascontiguousarray(np.broadcast_to(A, (np.shape(A)[0] if np.ndim(A) == 2 else 1, k)), dtype=B.dtype)
    loops = np.zeros(n) if pieces.loops is None else pieces.loops
    if start is None:
        diagonal = A + lam * pieces.degrees[:, None]
        start = B / np.where(diagonal > 0, diagonal, 1)
    Z = np.array(start, dtype=B.dtype, order="C")
    residual = np.zeros(k)
    width = VECTOR_BYTES // B.itemsize
    most = MOST_STEPS if reduction == 0 else FEW_STEPS if reduction < ROUGH else ROUGH_STEPS
    steps = min(10 * n + 100, most)
    refinements = REFINEMENTS if reduction == 0 else 1
    entries = sum(0 if M is None else M.csr.nnz for M in (pieces.edges, pieces.tall, pieces.flat))
    p = 0 if pieces.flat is None else pieces.flat.shape[0]
    over_rows(
        conjugate_gradients.solve_columns, -(-k // width), 20 * entries * k, *_arrays(pieces.edges, n),
        *_arrays(pieces.tall, n), *_arrays(pieces.flat, p), lam, pieces.degrees + loops, loops, A,
        np.ascontiguousarray(B), tol, reduction, refinements, steps, width, Z, residual,
    )  # fmt: skip
    return Z, float(residual.max(initial=0.0))


def _arrays(M: Matrix | None, rows: int) -> tuple[Array, Array, Array]:
    """What a kernel reads of a matrix; one without entries where there is none."""
    if M is None:
        return np.zeros(rows + 1, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0)
    return M.csr.indptr, M.csr.indices, M.csr.data


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
    V = np.array(V, order="C")
    G, B = np.ascontiguousarray(G, dtype=V.dtype), np.ascontiguousarray(B, dtype=V.dtype)
    # Copies: the kernel is compiled once, not again for every kind of array that numbers are spread over.
    scale, shift = (np.array(np.broadcast_to(part, (n,)), dtype=V.dtype) for part in (scale, shift))
    width = rows_abreast(V.itemsize)
    if edges is None:
        rounds, inner, groups = 1, sweeps, [np.arange(n)]
    else:
        rounds, inner = sweeps, 1
        groups = edge_classes(edges) if groups is None else groups
    for _ in range(rounds):
        for order in groups:
            blocks = -(-len(order) // width)
            work = len(order) * k * k * inner
            arrays = (G, B, scale, shift, *_arrays(edges, n), lam, order, inner, width, V)
            over_rows(coordinate_steps.sweep_rows, blocks, work, *arrays)
    return V


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
