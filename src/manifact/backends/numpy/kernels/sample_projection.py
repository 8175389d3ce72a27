"""V for new samples with U fixed: one small convex problem per sample, each stopped on its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import called_by_kernels, kernel

INNER_STEPS = 4
INNER_TOL = 0.05
#: Keeps systems of equal columns solvable; relative to the largest diagonal entry.
RIDGE = 1e-14


@kernel
def least_squares(G: Any, B: Any, shift: Any, max_sweeps: int, tol: float, V: Any, start: int, stop: int) -> None:
    """v_j = argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 b_jᵀv by exact coordinate steps."""
    k = G.shape[0]
    for j in range(start, stop):
        v = V[j]
        for _ in range(max_sweeps):
            largest = 0.0
            moved = 0.0
            for c in range(k):
                diagonal = G[c, c] + shift[j]
                new = 0.0
                if diagonal > 0:
                    slope = -B[j, c] + shift[j] * v[c]
                    for l in range(k):  # noqa: E741
                        slope += G[c, l] * v[l]
                    new = max(0.0, v[c] - slope / diagonal)
                moved = max(moved, abs(new - v[c]))
                largest = max(largest, new)
                v[c] = new
            if moved <= tol * largest:
                break
        else:
            _active_set(G, B[j], shift[j], v)


@called_by_kernels
def _solve(M: Any, r: Any) -> None:
    """R becomes M⁻¹ r, by elimination with pivots; M is used up.

    Written out: a call of LAPACK takes the compiler five seconds, and this one is short and rarely needed.
    """
    p = len(r)
    for c in range(p):
        pivot = c
        for s in range(c + 1, p):
            if abs(M[s, c]) > abs(M[pivot, c]):
                pivot = s
        if M[pivot, c] == 0:
            continue
        for t in range(p):
            M[c, t], M[pivot, t] = M[pivot, t], M[c, t]
        r[c], r[pivot] = r[pivot], r[c]
        for s in range(c + 1, p):
            share = M[s, c] / M[c, c]
            for t in range(c, p):
                M[s, t] -= share * M[c, t]
            r[s] -= share * r[c]
    for c in range(p - 1, -1, -1):
        for t in range(c + 1, p):
            r[c] -= M[c, t] * r[t]
        r[c] = r[c] / M[c, c] if M[c, c] != 0 else 0.0


@called_by_kernels
def _active_set(G: Any, b: Any, shift: float, v: Any) -> None:
    """The same minimum by solving for the positive entries (Lawson, Hanson 1974): for nearly collinear bases."""
    k = len(v)
    ridge = 0.0
    for c in range(k):
        ridge = max(ridge, G[c, c] + shift)
    ridge *= RIDGE
    positive = np.empty(k, np.bool_)
    inside = np.empty(k, np.int64)
    whole, right = np.empty((k, k)), np.empty(k)
    for c in range(k):
        positive[c] = v[c] > 0
    for _ in range(3 * k):
        p = 0
        for c in range(k):
            if positive[c]:
                inside[p] = c
                p += 1
        M, r = whole[:p, :p], right[:p]
        for s in range(p):
            r[s] = b[inside[s]]
            for t in range(p):
                M[s, t] = G[inside[s], inside[t]]
            M[s, s] += shift + ridge
        _solve(M, r)
        z = r
        reach = 1.0
        for s in range(p):
            if z[s] <= 0:
                reach = min(reach, v[inside[s]] / (v[inside[s]] - z[s]))
        for s in range(p):
            c = inside[s]
            v[c] += reach * (z[s] - v[c])
            if reach < 1 and (v[c] <= 0 or (z[s] <= 0 and v[c] <= RIDGE * abs(z[s]))):
                v[c] = 0
                positive[c] = False
        if reach < 1:
            continue
        best, steepest = -1, 0.0
        for c in range(k):
            if not positive[c]:
                pull = b[c] - shift * v[c]
                for l in range(k):  # noqa: E741
                    pull -= G[c, l] * v[l]
                if pull > steepest and pull > 1e-9 * abs(b[c]):
                    best, steepest = c, pull
        if best < 0:
            return
        positive[best] = True


@kernel
def divergence(
    indptr: Any, indices: Any, values: Any, U: Any, a: Any, l2: float, P: Any, shift: Any,
    floor: float, tiny: float, max_sweeps: int, tol: float, V: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """v_j = argmin_{v ≥ 0} Σ_c (a_c + shift_j) v_c + l2/2 v_c² − p_jc log v_c − Σ_i x_ji log (U v)_i.

    Newton's method on one coordinate after the other (Hsieh, Dhillon 2011). Along a coordinate the derivative is
    concave, so a step to the right never passes the minimum; steps to the left keep a tenth.
    """
    k = U.shape[1]
    for j in range(start, stop):
        v = V[j]
        x = values[indptr[j] : indptr[j + 1]]
        features = indices[indptr[j] : indptr[j + 1]]
        size = len(x)
        u = np.empty((k, size), dtype=U.dtype)
        for t in range(size):
            for c in range(k):
                u[c, t] = U[features[t], c]
        y = np.empty(size, dtype=U.dtype)
        largest = 0.0
        for _ in range(max_sweeps):
            y[:] = 0
            for c in range(k):
                for t in range(size):
                    y[t] += v[c] * u[c, t]
            negligible = tol * largest
            largest = 0.0
            moved = 0.0
            for c in range(k):
                before = v[c]
                for _ in range(INNER_STEPS):
                    slope = a[c] + shift[j] + l2 * v[c]
                    bend = float(l2)
                    if P[j, c] > 0:
                        near = max(v[c], tiny)
                        slope -= P[j, c] / near
                        bend += P[j, c] / near / near
                    for t in range(size):
                        share = u[c, t] / max(y[t], floor * x[t] + tiny)
                        slope -= x[t] * share
                        bend += x[t] * share * share
                    new = v[c]
                    if bend > 0:
                        new = max(v[c] - slope / bend, 0.1 * v[c])
                    elif slope > 0:
                        new = 0.0
                    if slope > 0 and P[j, c] == 0 and new < negligible:
                        new = 0.0
                    step = new - v[c]
                    for t in range(size):
                        y[t] += step * u[c, t]
                    v[c] = new
                    if abs(step) <= INNER_TOL * new or step > 0:
                        break
                moved = max(moved, abs(v[c] - before))
                largest = max(largest, v[c])
            if moved <= tol * largest:
                break
