"""Exact coordinate steps for ‖F Fᵀ − V Vᵀ‖²: a quartic in each entry of V."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel


@kernel
def lowest(a: float, q: float, r: float) -> float:
    """The t ≥ 0 where a t⁴ + q t² + r t is lowest, a > 0."""
    if q >= 0 and r >= 0:
        return 0.0
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
def sweep_affinity(
    G: Any, B: Any, scale: Any, shift: Any, F: Any, inside: Any, mu: float, M: Any, A: Any, V: Any
) -> None:
    """One round over all entries of V, row after row, each to its best value with all others held still.

    Lowers Σ_j scale_j v_jᵀGv_j − 2 b_jᵀv_j + shift_j v_jᵀv_j + μ ‖F Fᵀ − V Vᵀ‖² over V ≥ 0, the last term over the rows
    that are ``inside``. M = VᵀF and A = VᵀV (of those rows) are kept up to date. Most entries of a row are 0 and stay
    so: only M f, k² operations, is computed in full.
    """
    n, k = V.shape
    width = F.shape[1]
    # Of one row: its entries, where it was not 0, and H v with H = scale G + 2 μ A, A without this row.
    v, old, slopes = np.empty(k), np.empty(k), np.empty(k)
    used = np.empty(k, dtype=np.int64)
    for j in range(n):
        weight = 2 * mu if inside[j] else 0.0
        count, own, length = 0, 0.0, 0.0
        for c in range(k):
            v[c] = old[c] = V[j, c]
            if v[c] != 0:
                used[count] = c
                count += 1
        if inside[j]:
            for a in range(width):
                own += F[j, a] * F[j, a]
            for one in range(count):
                length += v[used[one]] * v[used[one]]
            _add_square(-1.0, v, used[:count], A)
        slopes[:] = 0.0
        for one in range(count):
            _add(scale[j] * v[used[one]], G[used[one]], slopes)
            if inside[j]:
                _add(weight * v[used[one]], A[used[one]], slopes)
        for c in range(k):
            bend, pull = scale[j] * G[c, c], B[j, c]
            if inside[j]:
                drawn = -own * old[c]
                for a in range(width):
                    drawn += F[j, a] * M[c, a]
                bend, pull = bend + weight * A[c, c], pull + weight * drawn
            slope = slopes[c] - bend * v[c] - pull
            square = bend + shift[j]
            if inside[j]:
                rest = length - v[c] * v[c]
                new = lowest(mu, square + weight * (rest - own), 2 * slope)
                length = rest + new * new
            else:
                new = max(0.0, -slope / square) if square > 0 else 0.0
            if new != v[c]:
                _add(scale[j] * (new - v[c]), G[c], slopes)
                if inside[j]:
                    _add(weight * (new - v[c]), A[c], slopes)
                v[c] = new
        count = 0
        for c in range(k):
            V[j, c] = v[c]
            v[c] = V[j, c]  # as it is stored
            if v[c] != 0:
                used[count] = c
                count += 1
            if inside[j] and v[c] != old[c]:
                _add(v[c] - old[c], F[j], M[c])
        if inside[j]:
            _add_square(1.0, v, used[:count], A)


@kernel
def _add_square(sign: float, v: Any, used: Any, A: Any) -> None:
    """A += sign · v vᵀ, where v is not 0."""
    for c in used:
        for e in used:
            A[c, e] += sign * v[c] * v[e]


@kernel
def _add(factor: float, row: Any, out: Any) -> None:
    """``out`` += factor · row."""
    for e in range(len(out)):
        out[e] += factor * row[e]
