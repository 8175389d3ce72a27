"""(diag(a_k) + λL) z_k = b_k for many columns: conjugate gradients on a vector's width of columns at a time.

L = D − W with W = edges + tall · flat (its diagonal counted in D): neighbours, cliques and landmarks alike.

A row of such a block is one vector, the edges are read once for all its columns, and threads never wait for each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel
from manifact.backends.numpy.kernels.lanes import add_scaled


@kernel
def _apply(indptr: Any, indices: Any, weights: Any, lam: Any, D: Any, P: Any, out: Any) -> None:
    """Out = D ∘ P − λ · edges · P."""
    n, width = P.shape
    number = P.dtype.type
    for j in range(n):
        row = out[j]
        for c in range(width):
            row[c] = D[j, c] * P[j, c]
        t, last = indptr[j], indptr[j + 1]
        while t + 4 <= last:
            scales = (
                number(-lam * weights[t]), number(-lam * weights[t + 1]),
                number(-lam * weights[t + 2]), number(-lam * weights[t + 3]),
            )  # fmt: skip
            add_scaled(row, scales, P, (indices[t], indices[t + 1], indices[t + 2], indices[t + 3]))
            t += 4
        while t < last:
            add_scaled(row, (number(-lam * weights[t]),), P, (indices[t],))
            t += 1


@kernel
def _add_times(indptr: Any, indices: Any, values: Any, factor: Any, P: Any, out: Any) -> None:
    """Out += factor · M P, M with a few entries in each row."""
    number = P.dtype.type
    for j in range(len(indptr) - 1):
        for t in range(indptr[j], indptr[j + 1]):
            add_scaled(out[j], (number(factor * values[t]),), P, (indices[t],))


@kernel
def _residual(
    indptr: Any, indices: Any, weights: Any, tall_indptr: Any, tall_indices: Any, tall_values: Any, flat_indptr: Any,
    flat_indices: Any, flat_values: Any, lam: float, D: Any, B: Any, Z: Any, R: Any,
) -> None:  # fmt: skip
    """R = B − D ∘ Z + λ W Z, summed in double precision: what is left is much smaller than its summands."""
    n, width = Z.shape
    total = np.empty(width)
    between = np.zeros((len(flat_indptr) - 1, width))
    for i in range(len(between)):
        for t in range(flat_indptr[i], flat_indptr[i + 1]):
            for c in range(width):
                between[i, c] += flat_values[t] * np.float64(Z[flat_indices[t], c])
    for j in range(n):
        for c in range(width):
            total[c] = np.float64(B[j, c]) - np.float64(D[j, c]) * np.float64(Z[j, c])
        for t in range(indptr[j], indptr[j + 1]):
            w = lam * weights[t]
            s = indices[t]
            for c in range(width):
                total[c] += w * np.float64(Z[s, c])
        for t in range(tall_indptr[j], tall_indptr[j + 1]):
            w = lam * tall_values[t]
            s = tall_indices[t]
            for c in range(width):
                total[c] += w * between[s, c]
        for c in range(width):
            R[j, c] = total[c]


@kernel
def _square_sums(A: Any, out: Any) -> None:
    out[:] = 0
    for j in range(A.shape[0]):
        for c in range(A.shape[1]):
            out[c] += np.float64(A[j, c]) * np.float64(A[j, c])


@kernel
def _block(M: Any, first: int, fill: float, out: Any) -> None:
    """Columns of M from ``first`` on; one row stands for all; columns beyond the last are filled."""
    n, width = out.shape
    last = min(M.shape[1], first + width)
    shared = M.shape[0] == 1
    for j in range(n):
        row = 0 if shared else j
        for c in range(first, first + width):
            out[j, c - first] = M[row, c] if c < last else fill


@kernel
def solve_columns(
    indptr: Any, indices: Any, weights: Any, tall_indptr: Any, tall_indices: Any, tall_values: Any, flat_indptr: Any,
    flat_indices: Any, flat_values: Any, lam: float, degrees: Any, loops: Any, A: Any, B: Any, tol: float,
    reduction: float, refinements: int, max_iter: int, width: int, Z: Any, residual: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """Z, which holds a start, becomes the solution; residual_k = ‖b − A z‖ / ‖b‖.

    A column ends when its residual is below ``tol`` ‖b‖, or ``reduction`` times that of the start. A is n x k or one
    row; ``degrees`` are the row sums of edges + tall · flat, ``loops`` what tall · flat has on its diagonal.

    One function, long as it is: arrays that come in as arguments may overlap as far as the compiler knows, and in
    float32 its loops would be half as fast.
    """
    n, k = B.shape
    number = B.dtype.type
    shape = (n, width)
    D, b, z = np.empty(shape, B.dtype), np.empty(shape, B.dtype), np.empty(shape, B.dtype)
    # The diagonal of the whole matrix, by which residuals are scaled.
    M = np.empty(shape, B.dtype)
    R, P, AP = np.empty(shape, B.dtype), np.empty(shape, B.dtype), np.empty(shape, B.dtype)
    step, between = np.empty(shape, B.dtype), np.empty((len(flat_indptr) - 1, width), B.dtype)
    size, left, goal = np.empty(width), np.empty(width), np.empty(width)
    rho, rho_new, curvature = np.empty(width), np.empty(width), np.empty(width)
    alpha, beta = np.empty(width, B.dtype), np.empty(width, B.dtype)
    for block in range(start, stop):
        first = block * width
        last = min(k, first + width)
        _block(A, first, 1.0, D)
        _block(B, first, 0.0, b)
        _block(Z, first, 0.0, z)
        for j in range(n):
            for c in range(width):
                D[j, c] += number(lam * degrees[j])
                # A vertex without neighbours, loss or penalty has nothing to determine it: it gets 0.
                if D[j, c] <= 0:
                    D[j, c] = 1
                M[j, c] = D[j, c] - number(lam * loops[j])
                if M[j, c] <= 0:
                    M[j, c] = D[j, c]
        _square_sums(b, size)
        for refinement in range(refinements + 1):
            _residual(
                indptr, indices, weights, tall_indptr, tall_indices, tall_values, flat_indptr, flat_indices,
                flat_values, lam, D, b, z, R,
            )  # fmt: skip
            _square_sums(R, left)
            if refinement == 0:
                for c in range(width):
                    # A start that is worse than none is dropped.
                    if left[c] >= size[c]:
                        for j in range(n):
                            z[j, c], R[j, c] = 0, b[j, c]
                        left[c] = size[c]
                    goal[c] = max(tol * tol * size[c], reduction * reduction * left[c])
            done = True
            for c in range(width):
                # The residual that the iteration carries along drifts from the true one.
                done = done and left[c] <= 4 * goal[c]
            if done or refinement == refinements:
                break
            rho[:] = 0
            for j in range(n):
                for c in range(width):
                    P[j, c] = R[j, c] / M[j, c]
                    step[j, c] = 0
                    rho[c] += R[j, c] * P[j, c]
            for _ in range(max_iter):
                _apply(indptr, indices, weights, lam, D, P, AP)
                if len(between):
                    between[:] = 0
                    _add_times(flat_indptr, flat_indices, flat_values, 1.0, P, between)
                    _add_times(tall_indptr, tall_indices, tall_values, -lam, between, AP)
                curvature[:] = 0
                for j in range(n):
                    for c in range(width):
                        curvature[c] += P[j, c] * AP[j, c]
                moving = False
                for c in range(width):
                    active = left[c] > goal[c] and curvature[c] > 0
                    alpha[c] = number(rho[c] / curvature[c] if active else 0.0)
                    moving = moving or active
                if not moving:
                    break
                rho_new[:] = 0
                left_new = curvature
                left_new[:] = 0
                for j in range(n):
                    for c in range(width):
                        step[j, c] += alpha[c] * P[j, c]
                        r = R[j, c] - alpha[c] * AP[j, c]
                        R[j, c] = r
                        left_new[c] += r * r
                        rho_new[c] += r * r / M[j, c]
                for c in range(width):
                    active = alpha[c] != 0 and rho[c] > 0
                    beta[c] = number(rho_new[c] / rho[c] if active else 0.0)
                    left[c], rho[c] = left_new[c], rho_new[c]
                for j in range(n):
                    for c in range(width):
                        P[j, c] = R[j, c] / M[j, c] + beta[c] * P[j, c]
            for j in range(n):
                for c in range(width):
                    z[j, c] += step[j, c]
        for c in range(first, last):
            residual[c] = np.sqrt(left[c - first] / size[c - first]) if size[c - first] > 0 else 0.0
            for j in range(n):
                Z[j, c] = z[j, c - first]
