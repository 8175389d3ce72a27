"""Passes of conjugate gradients on (diag(a_k) + λL) z_k = b_k, for many columns and by all threads together.

L = D − W with W = edges + tall · flat (its diagonal counted in D): neighbours, cliques and landmarks alike.

Columns stand in blocks of a vector's width: row ``block`` · n + j of an array has sample j of a block, as one vector. A
task is some rows of one block; sums are kept task by task, so that they do not depend on who adds them up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel
from manifact.backends.numpy.kernels.lanes import add_product, add_scaled, conjugate_step, set_product

#: Rows of a task, whose sums are added up in their own type.
TASK_ROWS = 128


@called_by_kernels
def _rows(blocks: Any, task: int, n: int) -> tuple[int, int, int]:
    """The block of a task, and its first and last sample; it is one of the ``blocks`` in use."""
    tasks = -(-n // TASK_ROWS)
    first = task % tasks * TASK_ROWS
    return blocks[task // tasks], first, min(n, first + TASK_ROWS)


@kernel
def lay_out(
    A: Any, B: Any, Z: Any, lam: float, degrees: Any, loops: Any, D: Any, inverse: Any, b: Any, z: Any, start: int,
    stop: int,
) -> None:  # fmt: skip
    """For samples ``start`` to ``stop``: B and Z in blocks, D = A + λ degrees, and 1 / the diagonal of the matrix.

    A is n x k or one row; columns beyond the last are those of b = 0.
    """
    n, k = B.shape
    width = b.shape[1]
    number = b.dtype.type
    for block in range(b.shape[0] // n):
        for j in range(start, stop):
            own = j if A.shape[0] > 1 else 0
            for c in range(width):
                column, row = block * width + c, block * n + j
                inside = column < k
                b[row, c] = B[j, column] if inside else 0
                z[row, c] = Z[j, column] if inside else 0
                held = (A[own, column] if inside else number(1)) + number(lam * degrees[j])
                # A vertex without neighbours, loss or penalty has nothing to determine it: it gets 0.
                if held <= 0:
                    held = number(1)
                D[row, c] = held
                scale = held - number(lam * loops[j])
                inverse[row, c] = number(1) / (scale if scale > 0 else held)


@kernel
def between_rows(
    blocks: Any, indptr: Any, indices: Any, values: Any, P: Any, n: int, out: Any, start: int, stop: int
) -> None:
    """Out = flat · P in double precision; a task here is one row of flat and one block."""
    p, width = len(indptr) - 1, P.shape[1]
    total = np.empty(width)
    for task in range(start, stop):
        block, i = blocks[task // p], task % p
        for c in range(width):
            total[c] = 0
        for t in range(indptr[i], indptr[i + 1]):
            row = block * n + indices[t]
            for c in range(width):
                total[c] += values[t] * np.float64(P[row, c])
        for c in range(width):
            out[block * p + i, c] = total[c]


@kernel
def true_residual(
    blocks: Any, indptr: Any, indices: Any, weights: Any, tall_indptr: Any, tall_indices: Any, tall_values: Any,
    between: Any, p: int, lam: float, D: Any, b: Any, z: Any, R: Any, squares: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """R = b − D ∘ z + λ W z, summed in double precision: what is left is much smaller than its summands.

    ``squares`` gets the sums of b² and of R² of each task.
    """
    n, width = len(indptr) - 1, z.shape[1]
    total, sums = np.empty(width), np.empty((2, width))
    for task in range(start, stop):
        block, first, last = _rows(blocks, task, n)
        for c in range(width):
            sums[0, c], sums[1, c] = 0, 0
        for j in range(first, last):
            row = block * n + j
            for c in range(width):
                total[c] = np.float64(b[row, c]) - np.float64(D[row, c]) * np.float64(z[row, c])
            for t in range(indptr[j], indptr[j + 1]):
                w, s = lam * weights[t], block * n + indices[t]
                for c in range(width):
                    total[c] += w * np.float64(z[s, c])
            for t in range(tall_indptr[j], tall_indptr[j + 1]):
                w, s = lam * tall_values[t], block * p + tall_indices[t]
                for c in range(width):
                    total[c] += w * between[s, c]
            for c in range(width):
                R[row, c] = total[c]
                sums[0, c] += np.float64(b[row, c]) * np.float64(b[row, c])
                sums[1, c] += total[c] * total[c]
        for c in range(width):
            squares[0, task, c], squares[1, task, c] = sums[0, c], sums[1, c]


@kernel
def begin(
    blocks: Any, n: int, dropped: Any, b: Any, inverse: Any, z: Any, R: Any, Q: Any, P: Any, AP: Any, step: Any,
    sums: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Q = R / diagonal, nothing gone yet, and the sums of R ∘ Q; a start that is ``dropped`` is 0, what is left is b."""
    width = b.shape[1]
    total = np.empty(width)
    for task in range(start, stop):
        block, first, last = _rows(blocks, task, n)
        for c in range(width):
            total[c] = 0
        for row in range(block * n + first, block * n + last):
            for c in range(width):
                if dropped[block, c]:
                    z[row, c], R[row, c] = 0, b[row, c]
                r = R[row, c]
                q = r * inverse[row, c]
                Q[row, c], P[row, c], AP[row, c], step[row, c] = q, 0, 0, 0
                total[c] += r * q
        for c in range(width):
            sums[0, task, c] = total[c]


@kernel
def apply(
    blocks: Any, indptr: Any, indices: Any, weights: Any, tall_indptr: Any, tall_indices: Any, tall_values: Any,
    between: Any, p: int, lam: float, D: Any, Q: Any, AQ: Any, sums: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """AQ = D ∘ Q − λ W Q, and the sums of Q ∘ AQ of each task."""
    n, width = len(indptr) - 1, Q.shape[1]
    number = Q.dtype.type
    total = np.empty((1, width), Q.dtype)
    for task in range(start, stop):
        block, first, last = _rows(blocks, task, n)
        corner = block * n
        for c in range(width):
            total[0, c] = 0
        for j in range(first, last):
            row = AQ[corner + j]
            set_product(AQ, D, Q, corner + j)
            t, end = indptr[j], indptr[j + 1]
            while t + 4 <= end:
                scales = (
                    number(-lam * weights[t]), number(-lam * weights[t + 1]),
                    number(-lam * weights[t + 2]), number(-lam * weights[t + 3]),
                )  # fmt: skip
                places = (corner + indices[t], corner + indices[t + 1], corner + indices[t + 2], corner + indices[t + 3])
                add_scaled(row, scales, Q, places)
                t += 4
            while t < end:
                add_scaled(row, (number(-lam * weights[t]),), Q, (corner + indices[t],))
                t += 1
            for t in range(tall_indptr[j], tall_indptr[j + 1]):
                w, s = lam * tall_values[t], block * p + tall_indices[t]
                for c in range(width):
                    row[c] -= number(w * between[s, c])
            add_product(total, Q, AQ, corner + j)
        for c in range(width):
            sums[0, task, c] = total[0, c]


@kernel
def advance(
    blocks: Any, n: int, alpha: Any, beta: Any, inverse: Any, Q: Any, AQ: Any, P: Any, AP: Any, step: Any, R: Any,
    sums: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """P = Q + β P, AP = AQ + β AP, step += α P, R −= α AP, Q = R / diagonal; the sums of R ∘ Q and of R²."""
    width = Q.shape[1]
    total = np.empty((2, width), Q.dtype)
    for task in range(start, stop):
        block, first, last = _rows(blocks, task, n)
        for c in range(width):
            total[0, c], total[1, c] = 0, 0
        for row in range(block * n + first, block * n + last):
            conjugate_step((Q, AQ, P, AP, step, R), inverse, alpha, beta, block, total, row)
        for c in range(width):
            sums[0, task, c], sums[1, task, c] = total[0, c], total[1, c]


@kernel
def lengths(
    blocks: Any, tasks: int, sums: Any, left: Any, goal: Any, rho: Any, rho_before: Any, alpha: Any, beta: Any
) -> int:
    """β = ρ / ρ_before and α = ρ / (qᵀAq − β ρ / α_before) of each column; how many still move.

    With q the scaled residual and the direction p = q + β p_before this is the length of conjugate gradients, without
    a pass for pᵀAp (A. Chronopoulos, C. Gear. s-step iterative methods for symmetric linear systems. Journal of
    Computational and Applied Mathematics 25, 1989). A column that has arrived keeps α = 0.
    """
    moving = 0
    for place in range(len(blocks)):
        block = blocks[place]
        for c in range(rho.shape[1]):
            curvature = 0.0
            for task in range(place * tasks, (place + 1) * tasks):
                curvature += sums[0, task, c]
            before = np.float64(alpha[block, c])
            share = rho[block, c] / rho_before[block, c] if before > 0 and rho_before[block, c] > 0 else 0.0
            if share > 0:
                curvature -= share * rho[block, c] / before
            active = left[block, c] > goal[block, c] and curvature > 0
            alpha[block, c] = rho[block, c] / curvature if active else 0.0
            beta[block, c] = share if active else 0.0
            moving += active
    return moving


@kernel
def remains(blocks: Any, tasks: int, sums: Any, goal: Any, rho: Any, rho_before: Any, left: Any) -> int:
    """ρ and the squares that are left of each column, from the sums of tasks; how many columns have not arrived."""
    more = 0
    for place in range(len(blocks)):
        block = blocks[place]
        for c in range(rho.shape[1]):
            scaled, square = 0.0, 0.0
            for task in range(place * tasks, (place + 1) * tasks):
                scaled += sums[0, task, c]
                square += sums[1, task, c]
            rho_before[block, c], rho[block, c], left[block, c] = rho[block, c], scaled, square
            more += square > goal[block, c]
    return more


@kernel
def collect(z: Any, Z: Any, start: int, stop: int) -> None:
    """Z = z, whose columns stand in blocks."""
    (n, k), width = Z.shape, z.shape[1]
    for j in range(start, stop):
        for column in range(k):
            Z[j, column] = z[column // width * n + j, column % width]
