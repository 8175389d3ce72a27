"""Plain twins of the kernels."""

import numpy as np


def ratio_times(X, U, V):
    Y = V @ U.T
    return (X / Y) @ U, np.sum(X * np.log(Y), axis=1)


def ratio_times_transposed(X, U, V):
    return (X / (V @ U.T)).T @ V


def edge_energy(W, A, B):
    return np.trace(A.T @ (np.diag(W.sum(axis=1)) - W) @ B)


def nearest(X, k, metric="euclidean", queries=None, farthest=False):
    """Sort all keys; ties by index."""
    X = np.asarray(X, dtype=float)
    own = queries is None
    Q = X if own else np.asarray(queries, dtype=float)
    if metric == "cosine":
        norm = lambda A: A / np.where(np.linalg.norm(A, axis=1) > 0, np.linalg.norm(A, axis=1), 1)[:, None]  # noqa: E731
        keys = -2 * norm(Q) @ norm(X).T
    else:
        keys = ((Q[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    if farthest:
        keys = -keys
    if own:
        np.fill_diagonal(keys, np.inf)
    order = np.argsort(np.round(keys, 10), axis=1, kind="stable")[:, : min(k, len(X) - own)]
    return order, np.take_along_axis(keys, order, axis=1) * (-1 if farthest else 1)
