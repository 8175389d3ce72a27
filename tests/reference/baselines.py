"""The baselines' updates as they are published: dense, one call is one iteration. X is n x m."""

import numpy as np

FLOOR = 1e-10


def lnmf(X, U, V):
    """Li et al. 2001: the square root for V, columns of U to sum 1."""
    V = np.sqrt(V * ((X / np.maximum(V @ U.T, FLOOR)) @ U))
    U = U * ((X / np.maximum(V @ U.T, FLOOR)).T @ V)
    return U / U.sum(axis=0), V


def lnmf_objective(X, U, V, gamma=None):
    """What the rule minimises."""
    gamma = np.ones(len(X)) if gamma is None else gamma
    return np.sum(gamma[:, None] * divergences(X, U, V)) + np.sum(gamma[:, None] * (V**2 / 2 - V))


def lnmf_stated_objective(X, U, V, alpha, beta):
    """What the paper says it minimises."""
    return np.sum(divergences(X, U, V)) + alpha * np.sum(U.T @ U) - beta * np.sum(V**2)


def divergences(X, U, V):
    Y = V @ U.T
    return X * np.log(np.where(X > 0, X / Y, 1)) - X + Y


def npnmf(X, U, V, M, lam):
    """Gu and Zhou 2009: M split by the signs of its entries."""
    plus, minus = (np.abs(M) + M) / 2, (np.abs(M) - M) / 2
    V = V * np.sqrt((X @ U + lam * minus @ V) / np.maximum(V @ U.T @ U + lam * plus @ V, FLOOR))
    U = U * (X.T @ V) / np.maximum(U @ V.T @ V, FLOOR)
    return U, V


def lle_weights(X, n_neighbors, reg):
    """Each sample's weights on its own."""
    n = len(X)
    S = np.zeros((n, n))
    for j in range(n):
        distances = np.sum((X - X[j]) ** 2, axis=1)
        distances[j] = np.inf
        near = np.argsort(np.round(distances, 10), kind="stable")[:n_neighbors]
        C = (X[near] - X[j]) @ (X[near] - X[j]).T
        w = np.linalg.solve(C + reg * np.trace(C) * np.eye(len(near)), np.ones(len(near)))
        S[j, near] = w / w.sum()
    return S


def cnmf(X, U, Z, A):
    """Liu et al. 2012, V = A Z."""
    Z = Z * (A.T @ X @ U) / np.maximum(A.T @ A @ Z @ U.T @ U, FLOOR)
    U = U * (X.T @ A @ Z) / np.maximum(U @ Z.T @ A.T @ A @ Z, FLOOR)
    return U, Z


def hoyer_projection(s, l1, l2):
    """Hoyer's own algorithm (2004, section 3.2): between the sum, the length and the orthant in turn."""
    n = len(s)
    v = s + (l1 - s.sum()) / n
    zero = np.zeros(n, dtype=bool)
    while True:
        middle = np.where(zero, 0, l1 / (n - zero.sum()))
        w = v - middle
        a, b, c = w @ w, 2 * w @ middle, middle @ middle - l2**2
        v = middle + (-b + np.sqrt(max(b**2 - 4 * a * c, 0))) / (2 * a) * w
        if (v >= 0).all():
            return v
        zero |= v < 0
        v[zero] = 0
        v = np.where(zero, 0, v - (v.sum() - l1) / (n - zero.sum()))


def snmf_projections(n, m, sparse_U, sparse_V):
    """What takes the nearest allowed columns of U and of V."""

    def ratio(size, sparseness):
        return np.sqrt(size) - sparseness * (np.sqrt(size) - 1)

    def onto_V(V):
        if sparse_V is None:
            return np.maximum(V, 0)
        return np.column_stack([hoyer_projection(v, ratio(n, sparse_V), 1.0) for v in V.T])

    def onto_U(U):
        if sparse_U is None:
            return np.maximum(U, 0)
        units = [hoyer_projection(u, ratio(m, sparse_U), 1.0) for u in U.T]
        return np.column_stack([max(u @ unit, 0) * unit for u, unit in zip(U.T, units, strict=True)])

    return onto_U, onto_V


def snmf(X, U, V, sparse_U, sparse_V, solver):
    """Hoyer 2004: down the gradient, then to the nearest columns of that sparseness; or column by column."""
    onto_U, onto_V = snmf_projections(*X.shape, sparse_U, sparse_V)
    if solver == "projected" and sparse_V is None:
        V = V * (X @ U) / np.maximum(V @ U.T @ U, FLOOR)
    else:
        V = _descend(V, U.T @ U, X @ U, onto_V, solver)
    if sparse_V is None:
        norms = np.linalg.norm(V, axis=0)
        norms[norms == 0] = 1
        U, V = U * norms, V / norms
    if solver == "projected" and sparse_U is None:
        U = U * (X.T @ V) / np.maximum(U @ V.T @ V, FLOOR)
    else:
        U = _descend(U, V.T @ V, X.T @ V, onto_U, solver)
    return U, V


def _descend(P, G, B, onto, solver):
    if solver == "projected":
        return onto(P - (P @ G - B) / np.linalg.eigvalsh(G)[-1])
    P = P.copy()
    for k in range(P.shape[1]):
        if G[k, k] > 0:
            others = sum(P[:, [l]] * G[l, k] for l in range(P.shape[1]) if l != k)  # noqa: E741
            P[:, [k]] = onto((B[:, [k]] - others) / G[k, k])
    return P
