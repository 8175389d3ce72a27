"""The forms of terms that exact solvers know, as their docstrings write them."""

import numpy as np


def row_quadratic(form, P):
    """Σ_j scale_j p_jᵀGp_j − 2 b_jᵀp_j + 2 l1 Σ_k p_jk + shift_j p_jᵀp_j + λ Tr(PᵀLP), row by row."""
    n, k = P.shape
    G = np.zeros((k, k)) if form.G is None else form.G
    B = np.broadcast_to(0.0 if form.B is None else form.B, (n, k)) - form.l1
    scale = np.broadcast_to(1.0 if form.scale is None else form.scale, (n,))
    shift = np.broadcast_to(form.shift, (n,))
    own = sum(scale[j] * P[j] @ G @ P[j] - 2 * B[j] @ P[j] + shift[j] * P[j] @ P[j] for j in range(n))
    return own + (0.0 if form.graph is None else form.lam * np.trace(P.T @ laplacian(form.graph) @ P))


def log_bound(bound, P):
    """Σ a_jk p_jk − c_jk log p_jk + l2_j/2 p_jk² + λ Tr(PᵀL log P)."""
    own = np.sum(bound.a * P - bound.c * np.log(P) + bound.l2 / 2 * P * P)
    return own + (0.0 if bound.graph is None else bound.lam * np.trace(P.T @ laplacian(bound.graph) @ np.log(P)))


def laplacian(graph):
    """L, dense."""
    W = graph.adjacency(np.eye(graph.n_samples))
    return np.diag(graph.degrees) - W
