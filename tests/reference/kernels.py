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


def sweep_affinity(V, G, B, scale, shift, F, inside, mu):
    """Every entry in turn to the lowest of many points, with the whole objective computed each time."""
    V, F = np.array(V, dtype=float), np.array(F, dtype=float)
    rows = np.flatnonzero(inside)

    def objective():
        error = F[rows] @ F[rows].T - V[rows] @ V[rows].T
        quadratic = sum(scale[j] * V[j] @ G @ V[j] - 2 * B[j] @ V[j] + shift * V[j] @ V[j] for j in range(len(V)))
        return quadratic + mu * np.sum(error**2)

    for j in range(len(V)):
        for c in range(V.shape[1]):
            # The objective is a quartic in this entry: five values say which.
            points = np.linspace(0, 2, 5)
            values = []
            for t in points:
                V[j, c] = t
                values.append(objective())
            quartic = np.polynomial.Polynomial.fit(points, values, 4).convert()
            stationary = [root.real for root in quartic.deriv().roots() if abs(root.imag) < 1e-7 and root.real > 0]
            V[j, c] = min([0.0, *stationary], key=quartic)
    return V
