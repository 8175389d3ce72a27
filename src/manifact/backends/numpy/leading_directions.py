"""X ~ P diag(s) Qᵀ, the truncated singular value decomposition, by random projections and power iterations.

X is only ever multiplied: it is neither copied (but for the transpose of sparse X) nor centred, and beside it stand
arrays of n and of m rows, as wide as the directions asked for. Products are taken in blocks that do not depend on the
number of threads, each by BLAS on one of them, so neither does the answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from manifact.backends.blas_threads import ONE_BLAS_THREAD
from manifact.backends.numpy.numpy_operations import sparse_times
from manifact.backends.protocol import Array, ShowProgress, silent
from manifact.backends.threads import over_rows
from manifact.utils.sparse_matrices import sorted_csr

#: Directions that are carried along beyond those asked for: the last ones converge the faster for them.
SPARE = 10
#: So many in all are carried along together, which is exact and no slower.
FEW = 64
#: Rows of X in a block of X Q; rows and columns in one of XᵀP. A block's product is float32's longest sum.
ROWS, TALL_ROWS, COLUMNS = 1024, 4096, 128
#: A direction shorter than this share of the longest is rounding, in each type of data.
NEGLIGIBLE = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-5}


def leading_directions(
    X: Any, rank: int, random_state: Any = 0, scale: Array | None = None, iterations: int = 4,
    progress: ShowProgress = silent,
) -> tuple[Array, Array]:  # fmt: skip
    """The leading singular values s (falling) and right singular vectors Q (m x r) of diag(scale) X, in float64.

    r is ``rank``, or less where X has fewer directions that are not negligible. X is read 2 + 2 ``iterations`` times.
    The entry of each direction that is largest in size is positive.
    """
    n, m = X.shape
    width = carried(rank, n, m)
    X = sorted_csr(X) if sparse.issparse(X) else X
    XT = sparse.csr_array(X.T) if sparse.issparse(X) else None
    Q = check_random_state(random_state).standard_normal((m, width)).astype(X.dtype)
    with ONE_BLAS_THREAD, progress("directions", 2.0 + 2 * iterations) as advance:
        for turn in range(iterations + 1):
            P = _times(X, Q, scale)
            advance(1)
            # Twice: the first leaves what rounding of the squares makes of columns that differ much in length.
            P = _orthogonal(_orthogonal(P)) if turn == iterations else _orthogonal(P)
            Q = _times_transposed(X, XT, P, scale)
            advance(1)
            if turn < iterations:
                Q = _orthogonal(Q).astype(X.dtype, copy=False)
        basis, R = np.linalg.qr(Q.astype(np.float64, copy=False))
        left, s, _ = np.linalg.svd(R)
        kept = s[:rank] > NEGLIGIBLE[X.dtype] * s.max(initial=0.0)
        return s[:rank][kept], with_signs(basis @ left[:, :rank][:, kept])


def carried(rank: int, n: int, m: int) -> int:
    """How many directions are looked at to find ``rank`` of them."""
    return min(max(rank + SPARE, FEW), n, m)


def projected(X: Any, Q: Array) -> Array:
    """X Q in float64, whatever X is."""
    if sparse.issparse(X):
        return sparse_times(sorted_csr(X), Q.astype(np.float64, copy=False))
    with ONE_BLAS_THREAD:
        return _times(X, Q.astype(np.float64, copy=False), None)


def with_signs(Q: Array) -> Array:
    """Q with columns whose entry of the largest size is positive."""
    if not Q.size:
        return Q
    largest = Q[np.abs(Q).argmax(axis=0), np.arange(Q.shape[1])]
    return Q * np.where(largest < 0, -1.0, 1.0)


def _times(X: Any, Q: Array, scale: Array | None) -> Array:
    """diag(scale) X Q."""
    if sparse.issparse(X):
        out = sparse_times(X, Q)
    else:
        out = np.empty((X.shape[0], Q.shape[1]), dtype=np.result_type(X.dtype, Q.dtype))
        over_rows(_multiply_rows, -(-X.shape[0] // ROWS), X.size * Q.shape[1], X, Q, out)
    return out if scale is None else np.multiply(out, scale[:, None], out=out, casting="same_kind")


def _multiply_rows(X: Array, Q: Array, out: Array, start: int, stop: int) -> None:
    for block in range(start, stop):
        rows = slice(ROWS * block, ROWS * (block + 1))
        np.matmul(X[rows], Q, out=out[rows])


def _times_transposed(X: Any, XT: Any, P: Array, scale: Array | None) -> Array:
    """Xᵀ diag(scale) P."""
    P = (P if scale is None else P * scale[:, None]).astype(X.dtype, copy=False)
    if XT is not None:
        return sparse_times(XT, P)
    out = np.zeros((X.shape[1], P.shape[1]))
    over_rows(_multiply_columns, -(-X.shape[1] // COLUMNS), X.size * P.shape[1], X, P, out)
    return out


def _multiply_columns(X: Array, P: Array, out: Array, start: int, stop: int) -> None:
    for block in range(start, stop):
        columns = slice(COLUMNS * block, COLUMNS * (block + 1))
        for first in range(0, X.shape[0], TALL_ROWS):
            rows = slice(first, first + TALL_ROWS)
            out[columns] += X[rows, columns].T @ P[rows]


def _orthogonal(P: Array) -> Array:
    """Orthonormal columns, in float64, that span those of P; fewer where some depend on others.

    From the eigenvectors of PᵀP: most of the work are products, which are many times as fast as reflections.
    """
    P = P.astype(np.float64, copy=False)
    squares = np.zeros((-(-len(P) // TALL_ROWS), P.shape[1], P.shape[1]))
    over_rows(_add_squares, len(squares), P.size * P.shape[1], P, squares)
    values, vectors = np.linalg.eigh(squares.sum(axis=0))
    kept = values > P.shape[1] * np.finfo(np.float64).eps * values.max(initial=0.0)
    return _times(P, vectors[:, kept] / np.sqrt(values[kept]), None)


def _add_squares(P: Array, out: Array, start: int, stop: int) -> None:
    for block in range(start, stop):
        rows = P[TALL_ROWS * block : TALL_ROWS * (block + 1)]
        np.matmul(rows.T, rows, out=out[block])
