"""The nearest point of a given sparseness (Hoyer 2004), exactly and without iterating."""

from __future__ import annotations

import numpy as np

from manifact.backends import Array


def norm_ratio(n: int, sparseness: float) -> float:
    """‖v‖₁ / ‖v‖₂ of a vector of n entries with Hoyer's sparseness: √n where 0, 1 where 1."""
    root = float(np.sqrt(n))
    return root - sparseness * (root - 1)


def nearest(P: Array, l1: float, l2: float) -> Array:
    """For each column of P the nearest v ≥ 0 with Σ v = l1 and ‖v‖₂ = l2, where l2 ≤ l1 ≤ √n l2.

    The answer is max(p − τ, 0), rescaled, with the one τ that gives the right l1 / l2 (Thom, Rapp, Palm 2015).
    Entries that tie for the largest make several points nearest; the one of the first entries is returned.

    >>> import numpy as np
    >>> v = nearest(np.array([[3.0], [1.0], [0.5], [0.0]]), l1=1.5, l2=1.2)
    >>> float(v.sum().round(12)), float(np.linalg.norm(v).round(12)), v.min() >= 0
    (1.5, 1.2, np.True_)
    """
    # Neither a common shift nor a common scale moves the answer; this one keeps the digits of close entries.
    Z = P.astype(np.float64)
    Z -= Z.max(axis=0)
    down = -np.sort(-Z, axis=0)
    kept = _support(down, l1 / l2)
    V = np.empty_like(Z)
    for c, size in enumerate(kept):
        V[:, c] = _on_support(Z[:, c], down[:size, c], l1 / l2)
    return (l2 * V).astype(P.dtype)


def nearest_of_sparseness(P: Array, sparseness: float) -> Array:
    """For each column of P the nearest v ≥ 0 of that sparseness, of whatever length is nearest."""
    unit = nearest(P, norm_ratio(len(P), sparseness), 1.0)
    # On the ray through a unit vector u the nearest point is <p, u> u.
    lengths = np.maximum(np.einsum("ij,ij->j", P, unit, dtype=np.float64), 0)
    return unit * lengths.astype(P.dtype)


def _support(down: Array, ratio: float) -> Array:
    """How many of the largest entries of each column stay positive.

    With τ at the (d + 1)-th entry, d are left; their ‖·‖₁ / ‖·‖₂ grows with d.
    """
    n = len(down)
    d = np.arange(1, n)[:, None]
    sums, squares, tau = np.cumsum(down, axis=0)[:-1], np.cumsum(down**2, axis=0)[:-1], down[1:]
    l1 = sums - d * tau
    l2 = np.sqrt(np.maximum(squares - 2 * tau * sums + d * tau**2, 0))
    reached = (l1 >= ratio * l2) & (l1 > 0)
    return np.where(reached.any(axis=0), reached.argmax(axis=0) + 1 if n > 1 else n, n)


def _on_support(z: Array, top: Array, ratio: float) -> Array:
    """Unit vector max(z − τ, 0) / ‖·‖ with sum ``ratio``; ``top`` holds the entries that stay positive."""
    d = len(top)
    mean = top.mean()
    spread = float(np.sum((top - mean) ** 2))
    slack = d - ratio**2
    if slack <= 1e-12 * d:
        return np.where(_first_largest(z, d), 1 / np.sqrt(d), 0.0)
    if spread == 0:
        return _among_equals(z, ratio)
    v = np.maximum(z - mean + ratio * np.sqrt(spread / (d * slack)), 0)
    return v / np.linalg.norm(v)


def _among_equals(z: Array, ratio: float) -> Array:
    """One entry raised above the others, where more entries tie for the largest than may be equal."""
    d = int(np.ceil(ratio**2 - 1e-12))
    v = np.zeros(len(z))
    places = np.flatnonzero(_first_largest(z, d))
    if d == 1:
        v[places] = 1
        return v
    gap = np.sqrt(max(1 - ratio**2 / d, 0) / (d * (d - 1)))
    v[places] = ratio / d - gap
    v[places[0]] = ratio / d + (d - 1) * gap
    return v


def _first_largest(z: Array, d: int) -> Array:
    chosen = np.zeros(len(z), dtype=bool)
    chosen[np.argsort(-z, kind="stable")[:d]] = True
    return chosen
