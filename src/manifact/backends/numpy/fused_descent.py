"""A whole iteration of block descent on ‖X − V Uᵀ‖² in two passes: X is read once if it is dense, twice if sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.dense_products import (
    MOST_PARTS,
    NARROW_BYTES,
    product,
    rows_per_part,
)
from manifact.backends.numpy.kernels import factor_passes, half_iterations
from manifact.backends.numpy.kernels.lanes import padded_length, rows_abreast
from manifact.backends.numpy.numpy_factors import cross
from manifact.backends.numpy.padded_rows import padded, vectors
from manifact.backends.protocol import Array, Descent
from manifact.backends.threads import PER_NUMBER, over_rows


def dense_descent(
    X: Array, U: Array, V: Array, before: tuple[Array, Array], rate: float, XtV: Array, sweeps: int
) -> Descent | None:
    """Both factors after coordinate steps with momentum; None where there are so many columns that BLAS is better."""
    (n, m), k = X.shape, U.shape[1]
    if k * U.itemsize > NARROW_BYTES or n == 0:
        return None
    start, G = _ahead(U, before[0], rate)
    width = rows_abreast(U.itemsize)
    rows = _whole(rows_per_part(n, k), width)
    count = -(-n // rows)
    parts = vectors(count * m, start.shape[1], U.dtype).reshape(count, m, -1)
    new, grams = np.empty_like(V), np.empty((count, 2, k, k))
    over_rows(
        half_iterations.dense_samples, count, 2 * X.size * k, X, start, G, V, before[1], U.dtype.type(rate), sweeps,
        width, rows, new, parts, grams,
    )  # fmt: skip
    gram, further = grams.sum(axis=0)
    source, work = (parts.reshape(count, -1),), PER_NUMBER * parts.size + 2 * m * k * k
    basis = _lowered(half_iterations.added_features, source, work, further, U, before[0], rate, sweeps, XtV)
    return _descent(new, gram, *basis)


def sketched_descent(
    rows: Array, directions: Array, U: Array, V: Array, before: tuple[Array, Array], rate: float, along: Array,
    drawn: Array | None, sweeps: int,
) -> tuple[Descent, Array, Array] | None:  # fmt: skip
    """The same for X ~ ``rows`` ``directions``ᵀ, both read once; the directions are orthonormal.

    Steps of V go towards rows (directionsᵀU), and those of U towards directions (rowsᵀV): samples and features are
    alike, and each leaves the few inner products that the other begins with. ``along`` are those of the point ahead of
    U, and ``drawn`` those of the last V; theirs of the new factors come beside the answer.
    """
    if U.shape[1] * U.itemsize > NARROW_BYTES or not len(rows):
        return None
    G = _ahead(U, before[0], rate)[1]
    new, pull, grams = _sketched_half(rows, padded(along), G, V, before[1], rate, sweeps)
    point = pull if drawn is None else pull + U.dtype.type(rate) * (pull - drawn)
    basis, along, own = _sketched_half(directions, padded(point), grams[1].astype(U.dtype), U, before[0], rate, sweeps)
    overlap = float(np.einsum("ij,ij->", pull, along, dtype=np.float64))
    return _descent(new, grams[0], basis, product(directions, pull), own, overlap), along, pull


def _sketched_half(
    X: Array, U: Array, G: Array, P: Array, before: Array, rate: float, sweeps: int
) -> tuple[Array, Array, Array]:
    """P after steps towards X U, XᵀP, and its Gram matrices, for X of few columns."""
    (n, r), k = X.shape, P.shape[1]
    width = rows_abreast(P.itemsize)
    size = _whole(rows_per_part(n, k), width)
    count = -(-n // size)
    parts = vectors(count * r, U.shape[1], P.dtype).reshape(count, r, -1)
    new, grams = np.empty_like(P), np.empty((count, 2, k, k))
    over_rows(
        half_iterations.dense_samples, count, 2 * X.size * k, X, U, G, P, before, P.dtype.type(rate), sweeps, width,
        size, new, parts, grams,
    )  # fmt: skip
    return new, np.ascontiguousarray(parts.sum(axis=0)[:, :k]), grams.sum(axis=0)


def sparse_descent(
    X: Any, XT: Any, U: Array, V: Array, before: tuple[Array, Array], rate: float, XtV: Array, sweeps: int
) -> Descent:
    """Both factors after coordinate steps with momentum."""
    work = X.nnz * U.shape[1]
    start, G = _ahead(U, before[0], rate)
    source = X.indptr, X.indices, X.data, start
    new, _, grams, _ = _lowered(half_iterations.sparse_rows, source, work, G, V, before[1], rate, sweeps)
    source = XT.indptr, XT.indices, XT.data, padded(new)
    basis = _lowered(half_iterations.sparse_rows, source, work, grams[1], U, before[0], rate, sweeps, XtV)
    return _descent(new, grams[0], *basis)


def _lowered(
    kernel: Any, source: tuple[Array, ...], work: int, G: Array, P: Array, before: Array, rate: float, sweeps: int,
    products: Array | None = None,
) -> tuple[Array, Array, Array, float]:  # fmt: skip
    """P after its steps, the products with X that drew it, its Gram matrices, and <products, P>.

    ``products`` are those of the iterate before: then they, too, are moved on. Without them a second Gram matrix is
    that of the point ahead.
    """
    n, k = P.shape
    width = rows_abreast(P.itemsize)
    rows = _whole(-(-n // MOST_PARTS), width)
    count = -(-n // rows)
    last = np.empty((0, k), dtype=P.dtype) if products is None else products
    new, sums = np.empty_like(P), np.empty_like(last)
    grams, inner = np.empty((count, 2 if products is None else 1, k, k)), np.empty(count)
    # A first array of entries that were counted: rows cost as many.
    costs = np.append(source[0][:-1:rows], source[0][-1]) if source[0].ndim == 1 else None
    over_rows(
        kernel, count, work, *source, G.astype(P.dtype, copy=False), P, before, P.dtype.type(rate), last, sweeps, width,
        rows, new, sums, grams, inner, costs=costs,
    )  # fmt: skip
    return new, sums, grams.sum(axis=0), float(inner.sum())


def _descent(V: Array, VtV: Array, U: Array, XtV: Array, grams: Array, overlap: float) -> Descent:
    return Descent(U, V, XtV, grams[0], VtV, overlap)


def _ahead(U: Array, before: Array, rate: float) -> tuple[Array, Array]:
    """U moved on, padded, and its inner products."""
    m, k = U.shape
    out = vectors(m, padded_length(k, U.itemsize), U.dtype)
    over_rows(factor_passes.ahead, m, PER_NUMBER * out.size, U, before, U.dtype.type(rate), out)
    return out, cross(out, out)[:k, :k].astype(U.dtype, order="C")


def _whole(rows: int, width: int) -> int:
    """Rows rounded up to whole blocks, at least one."""
    return max(1, -(-rows // width)) * width
