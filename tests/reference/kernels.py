"""Plain twins of the kernels."""

import numpy as np


def ratio_times(X, U, V):
    Y = V @ U.T
    return (X / Y) @ U, np.sum(X * np.log(Y), axis=1)


def ratio_times_transposed(X, U, V):
    return (X / (V @ U.T)).T @ V


def edge_energy(W, A, B):
    return np.trace(A.T @ (np.diag(W.sum(axis=1)) - W) @ B)


def nearest(X, k, queries=None, farthest=False):
    """Sort all squared distances; ties by index."""
    X = np.asarray(X, dtype=float)
    own = queries is None
    Q = X if own else np.asarray(queries, dtype=float)
    sign = -1 if farthest else 1
    keys = sign * ((Q[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    if own:
        np.fill_diagonal(keys, np.inf)
    order = np.argsort(keys, axis=1, kind="stable")[:, : min(k, len(X) - own)]
    return order, sign * np.take_along_axis(keys, order, axis=1)


def best_of(X, candidates, k):
    """The k nearest of each row's candidates, ties by index."""
    X = np.asarray(X, dtype=float)
    candidates = np.sort(candidates, axis=1)
    keys = ((X[:, None, :] - X[candidates]) ** 2).sum(axis=2)
    order = np.argsort(keys, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(candidates, order, axis=1), np.take_along_axis(keys, order, axis=1)


def sweep_rows(V, G, B, scale, shift, sweeps):
    """One coordinate after the other, one row after the other."""
    V = np.array(V, dtype=float)
    for j in range(len(V)):
        for _ in range(sweeps):
            for c in range(V.shape[1]):
                bend = scale[j] * G[c, c] + shift[j]
                slope = scale[j] * G[c] @ V[j] - B[j, c] + shift[j] * V[j, c]
                V[j, c] = max(0.0, V[j, c] - slope / bend) if bend > 0 else 0.0
    return V


def sweep_affinity(V, G, B, scale, shift, F, inside, mu, rounds):
    """One row after the other, all seeing V as it was; then the lowest of the points on the way there, by a fit."""
    V, F = np.maximum(np.array(V, dtype=float), 0), np.array(F, dtype=float)
    rows = np.flatnonzero(inside)
    for _ in range(rounds):
        M, A = V[rows].T @ F[rows], V[rows].T @ V[rows]
        W = V.copy()
        for j in range(len(V)):
            tied = 2 * mu if inside[j] else 0.0
            H = scale[j] * G + tied * A + shift * np.eye(len(G))
            b = B[j] + tied * M @ F[j]
            for c in range(len(G)):
                W[j, c] = max(0.0, W[j, c] - (H[c] @ W[j] - b[c]) / H[c, c]) if H[c, c] > 0 else 0.0
        # The sum is a quartic in the share of the way: five values say which.
        shares = np.linspace(0, 1, 5)
        values = [affinity_sum(V + t * (W - V), G, B, scale, shift, F, inside, mu) for t in shares]
        quartic = np.polynomial.Polynomial.fit(shares, values, 4).convert()
        stationary = [root.real for root in quartic.deriv().roots() if abs(root.imag) < 1e-7 and 0 < root.real < 1]
        V = V + min([0.0, 1.0, *stationary], key=quartic) * (W - V)
    return V


def affinity_sum(V, G, B, scale, shift, F, inside, mu):
    """Σ_j scale_j vᵀGv − 2 b_jᵀv + shift vᵀv + μ ‖F Fᵀ − V Vᵀ‖², the last over the rows inside."""
    rows = np.flatnonzero(inside)
    error = F[rows] @ F[rows].T - V[rows] @ V[rows].T
    quadratic = sum(scale[j] * V[j] @ G @ V[j] - 2 * B[j] @ V[j] + shift * V[j] @ V[j] for j in range(len(V)))
    return quadratic + mu * np.sum(error**2)
