"""The published updates, as they stand in the papers. X is n x m; one call is one iteration."""

import numpy as np

FLOOR = 1e-10


def nmf_frobenius(X, U, V, gamma=None):
    """Lee and Seung; rows weighted by gamma (GNMF paper, appendix C)."""
    return gnmf_frobenius(X, U, V, np.zeros((len(X), len(X))), 0.0, gamma)


def nmf_kl(X, U, V, gamma=None):
    return gnmf_kl(X, U, V, np.zeros((len(X), len(X))), 0.0, gamma)


def gnmf_frobenius(X, U, V, W, lam, gamma=None):
    """GNMF paper, eq 15 then eq 14."""
    G = np.diag(np.ones(len(X)) if gamma is None else gamma)
    D = np.diag(W.sum(axis=1))
    V = V * (G @ X @ U + lam * W @ V) / np.maximum(G @ V @ U.T @ U + lam * D @ V, FLOOR)
    U = U * (X.T @ G @ V) / np.maximum(U @ V.T @ G @ V, FLOOR)
    return U, V


def gnmf_kl(X, U, V, W, lam, gamma=None):
    """GNMF paper, eq 21 then eq 20; with weights the matrix is a_k Γ + λL."""
    gamma = np.ones(len(X)) if gamma is None else gamma
    L = np.diag(W.sum(axis=1)) - W
    ratio = X / np.maximum(V @ U.T, FLOOR)
    C = V * (gamma[:, None] * ratio @ U)
    new = np.empty_like(V)
    for k in range(V.shape[1]):
        new[:, k] = np.linalg.solve(U[:, k].sum() * np.diag(gamma) + lam * L, C[:, k])
    ratio = X / np.maximum(new @ U.T, FLOOR)
    U = U * (ratio.T @ (gamma[:, None] * new)) / np.maximum(gamma @ new, FLOOR)
    return U, new


def objective_frobenius(X, U, V, W, lam, gamma=None):
    """GNMF paper, eq 6."""
    gamma = np.ones(len(X)) if gamma is None else gamma
    L = np.diag(W.sum(axis=1)) - W
    return np.sum(gamma[:, None] * (X - V @ U.T) ** 2) + lam * np.trace(V.T @ L @ V)


def objective_kl(X, U, V, W, lam, gamma=None):
    """GNMF paper, eq 7, every pair of samples written out."""
    gamma = np.ones(len(X)) if gamma is None else gamma
    Y = V @ U.T
    logs = np.log(np.where(X > 0, X / Y, 1))
    divergence = np.sum(gamma[:, None] * (X * logs - X + Y))
    penalty = 0.0
    for j in range(len(X)):
        for s in range(len(X)):
            penalty += W[j, s] * np.sum((V[j] - V[s]) * (np.log(V[j]) - np.log(V[s])))
    return divergence + lam / 2 * penalty
