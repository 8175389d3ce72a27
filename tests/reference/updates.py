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


def spnmf(X, U, V, near, far, alpha, beta, gamma, orthogonal=False):
    """SPNMF paper, eq 15 (elementwise split of L), 16 and 17."""
    squares = ((V[:, None, :] - V[None, :, :]) ** 2).sum(axis=2)
    learned = far * np.exp(-squares)
    L = alpha * (np.diag(near.sum(axis=1)) - near) - beta * (np.diag(learned.sum(axis=1)) - learned)
    plus, minus = (np.abs(L) + L) / 2, (np.abs(L) - L) / 2
    V = V * (X @ U + minus @ V) / np.maximum(V @ U.T @ U + plus @ V, FLOOR)
    k = U.shape[1]
    ones = np.ones((k, k)) - (np.eye(k) if orthogonal else 0)
    U = U * (X.T @ V) / np.maximum(U @ V.T @ V + gamma * U @ ones, FLOOR)
    return U / U.sum(axis=0), V


def objective_spnmf(X, U, V, near, far, alpha, beta, gamma):
    """SPNMF paper, eq 9."""
    L = np.diag(near.sum(axis=1)) - near
    squares = ((V[:, None, :] - V[None, :, :]) ** 2).sum(axis=2)
    repulsion = beta / 2 * np.sum(far * np.exp(-squares))
    return np.sum((X - V @ U.T) ** 2) + alpha * np.trace(V.T @ L @ V) + repulsion + gamma * np.sum(U.T @ U)


def concept(K, C, V, W=None, graph_reg=0.0, locality_reg=0.0):
    """CF (both zero), LCCF (graph_reg) and LCF (locality_reg: LCF paper, eq 5 then eq 4 with its V restored)."""
    W = np.zeros_like(K) if W is None else W
    D = np.diag(W.sum(axis=1))
    lam = locality_reg
    A, B = np.diag(K)[:, None], np.diag(C.T @ K @ C)[None, :]
    V = (
        V
        * (2 * (1 + lam) * K @ C + 2 * graph_reg * W @ V)
        / (2 * V @ C.T @ K @ C + lam * (A + B) + 2 * graph_reg * D @ V)
    )
    C = C * (1 + lam) * (K @ V) / (K @ C @ (V.T @ V + lam * np.diag(V.sum(axis=0))))
    return C, V


def signed_concept(K, plus, minus, C, V, W=None, graph_reg=0.0, locality_reg=0.0):
    """The same for K = plus − minus of any sign: the rule of non-negative quadratic programming."""
    W = np.zeros_like(K) if W is None else W
    D = np.diag(W.sum(axis=1))
    lam = locality_reg

    def rule(P, positive, negative, linear):
        # −b + sqrt(b² + 4ac) loses its digits where b > 0: there it is 4ac / (b + sqrt(b² + 4ac)).
        root = np.sqrt(linear**2 + 4 * positive * negative)
        numerator = np.where(
            linear > 0, 4 * positive * negative / np.where(linear > 0, root + linear, 1), root - linear
        )
        # What is zero stays zero; the quotient is 0 / 0 there.
        return P * numerator / np.where(P > 0, 2 * positive, 1)

    G = C.T @ K @ C
    linear = lam * (np.diag(K)[:, None] + np.diag(G)[None, :]) - 2 * (1 + lam) * K @ C
    positive = 2 * V @ np.maximum(G, 0) + 2 * graph_reg * D @ V
    V = rule(V, positive, 2 * V @ np.maximum(-G, 0) + 2 * graph_reg * W @ V, linear)
    M = 2 * (V.T @ V + lam * np.diag(V.sum(axis=0)))
    return rule(C, plus @ C @ M, minus @ C @ M, -2 * (1 + lam) * K @ V), V


def objective_concept(K, C, V, W=None, graph_reg=0.0, locality_reg=0.0):
    """LCF paper, eq 2, through K alone; LCCF's penalty beside it."""
    G = C.T @ K @ C
    loss = np.trace(K) - 2 * np.sum(V * (K @ C)) + np.sum((V @ G) * V)
    squares = np.diag(K)[:, None] - 2 * K @ C + np.diag(G)[None, :]
    L = np.zeros_like(K) if W is None else np.diag(W.sum(axis=1)) - W
    return loss + graph_reg * np.trace(V.T @ L @ V) + locality_reg * np.sum(V * squares)
