"""Exact coordinate steps for ‖F Fᵀ − V Vᵀ‖²: a quartic in each entry of V."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.kernels import kernel


@kernel
def lowest(a: float, q: float, r: float) -> float:
    """The t ≥ 0 where a t⁴ + q t² + r t is lowest, a > 0."""
    # Stationary points: t³ + p t + s = 0. Of three the largest is the one that can be a minimum at t > 0.
    p, s = q / (2 * a), r / (4 * a)
    inner = (s / 2) ** 2 + (p / 3) ** 3
    if inner >= 0:
        root = np.sqrt(inner)
        # The cube root without cancellation; the other one follows from their product, −p / 3.
        far = np.cbrt(-s / 2 - root if s > 0 else -s / 2 + root)
        t = far - p / (3 * far) if far != 0 else 0.0
    else:
        width = 2 * np.sqrt(-p / 3)
        t = width * np.cos(np.arccos(min(1.0, max(-1.0, 3 * s / (p * width)))) / 3)
    return t if t > 0 and t * (a * t * t * t + q * t + r) < 0 else 0.0


@kernel
def sweep_matching(
    G: Any, B: Any, scale: Any, shift: Any, F: Any, inside: Any, mu: float, M: Any, A: Any, V: Any
) -> None:
    """One round over all entries of V, row after row, each to its best value with all others held still.

    Lowers Σ_j scale_j v_jᵀGv_j − 2 b_jᵀv_j + shift_j v_jᵀv_j + μ ‖F Fᵀ − V Vᵀ‖² over V ≥ 0, the last term over the rows
    that are ``inside``. M = FᵀV and A = VᵀV (of those rows) are kept up to date.
    """
    n, k = V.shape
    width = F.shape[1]
    v, old, pull = np.empty(k), np.empty(k), np.empty(k)
    for j in range(n):
        for c in range(k):
            v[c] = old[c] = V[j, c]
        own, length = 0.0, 0.0
        if inside[j]:
            for a in range(width):
                own += F[j, a] * F[j, a]
            for c in range(k):
                length += v[c] * v[c]
                pull[c] = -own * v[c]
            for a in range(width):
                f = F[j, a]
                for c in range(k):
                    pull[c] += f * M[a, c]
            for c in range(k):
                for e in range(k):
                    A[c, e] -= old[c] * old[e]
        for c in range(k):
            slope = 0.0
            for e in range(k):
                slope += G[c, e] * v[e]
            square = scale[j] * G[c, c] + shift[j]
            linear = 2 * (scale[j] * (slope - G[c, c] * v[c]) - B[j, c])
            if inside[j]:
                others = 0.0
                for e in range(k):
                    others += A[c, e] * v[e]
                rest = length - v[c] * v[c]
                square += 2 * mu * (rest - own + A[c, c])
                linear += 4 * mu * (others - A[c, c] * v[c] - pull[c])
                v[c] = lowest(mu, square, linear)
                length = rest + v[c] * v[c]
            else:
                v[c] = max(0.0, -linear / (2 * square)) if square > 0 else 0.0
        for c in range(k):
            V[j, c] = v[c]
            v[c] = V[j, c]  # as it is stored
        if inside[j]:
            for c in range(k):
                for e in range(k):
                    A[c, e] += v[c] * v[e]
            for a in range(width):
                f = F[j, a]
                for c in range(k):
                    M[a, c] += f * (v[c] - old[c])
