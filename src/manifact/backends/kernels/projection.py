"""V for new samples with U fixed: one small convex problem per sample, each stopped on its own."""

from __future__ import annotations

from typing import Any

from manifact.backends.kernels import kernel


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


@kernel
def divergence(
    indptr: Any, indices: Any, values: Any, U: Any, a: Any, P: Any, shift: Any,
    floor: float, tiny: float, max_sweeps: int, tol: float, V: Any, start: int, stop: int,
) -> None:  # fmt: skip
    """v_j ← (v_j ∘ (x_j / U v_j) U + p_j) / (a + shift_j), repeated: P and shift hold fixed neighbours."""
    k = U.shape[1]
    for j in range(start, stop):
        v = V[j]
        new = v.copy()
        for _ in range(max_sweeps):
            new[:] = 0
            for t in range(indptr[j], indptr[j + 1]):
                u = U[indices[t]]
                x = values[t]
                y = u[0] * v[0]
                for c in range(1, k):
                    y += u[c] * v[c]
                r = x / max(y, floor * x + tiny)
                for c in range(k):
                    new[c] += r * u[c]
            largest = 0.0
            moved = 0.0
            for c in range(k):
                weight = a[c] + shift[j]
                updated = (v[c] * new[c] + P[j, c]) / weight if weight > 0 else 0.0
                moved = max(moved, abs(updated - v[c]))
                largest = max(largest, updated)
                v[c] = updated
            if moved <= tol * largest:
                break
