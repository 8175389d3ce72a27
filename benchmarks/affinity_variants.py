"""Forms of the objective that were tried and left, plainly written: all start from the clusters of F."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from manifact import AffinityNMF
from manifact.backends import as_data
from manifact.models.affinitynmf import explained as explained_by
from manifact.terms import Affinity, KullbackLeibler, OnSecond, State, total

ITERATIONS = 300
#: What indicators are raised by where steps are multiplicative: zeros could never grow.
FLOOR = 0.05
TOL = 1e-5


class Once(AffinityNMF):
    """‖X − V Uᵀ‖² + μ ‖F Fᵀ − V Vᵀ‖²: parts for V alone."""

    def _model_terms(self, problem, exact):
        return [term for term in super()._model_terms(problem, exact) if not isinstance(term, OnSecond)]


def affinity(X, W, k, seed, tau):
    """‖X − V Uᵀ‖² + μ ‖S − V Vᵀ‖², S = D^(−½) W D^(−½), μ = τ ‖X‖² / ‖S‖²."""
    degrees = np.asarray(W.sum(axis=1)).ravel()
    root = sparse.diags_array(np.divide(1, np.sqrt(degrees), out=np.zeros(len(degrees)), where=degrees > 0))
    S = sparse.csr_array(root @ W @ root)
    total_X, total_S = squares(X), squares(S)
    mu = tau * total_X / total_S
    H = _indicators(_directions(X, W, k), k, seed)
    V = (H + FLOOR) / np.sqrt(np.maximum(H.sum(axis=0), 1))
    U = _basis(X, V, None, 5)

    def objective(V, XU, UtU):
        VtV = V.T @ V
        fit = total_X - 2 * np.sum(V * XU) + np.sum(VtV * UtU)
        return fit + mu * (total_S - 2 * np.sum(V * (S @ V)) + np.sum(VtV * VtV))

    trace = []
    for _ in range(ITERATIONS):
        XU, UtU = np.asarray(X @ U), U.T @ U
        ratio = (XU + 2 * mu * (S @ V)) / np.maximum(V @ (UtU + 2 * mu * (V.T @ V)), 1e-300)
        V = _step(V, ratio, lambda V, XU=XU, UtU=UtU: objective(V, XU, UtU))
        U = _basis(X, V, U, 1)
        trace.append(objective(V, np.asarray(X @ U), U.T @ U))
        if _stalled(trace):
            break
    return U, V


def rotation(X, W, k, seed, tau):
    """‖X − V Uᵀ‖² + μ ‖V − F R‖² over rotations R as well, μ = τ ‖P X‖² / ‖F‖²."""
    F = _directions(X, W, k)
    H = _indicators(F, k, seed)
    mu = tau * explained_by(as_data(X), F) / float(np.sum(F * F))
    R = _polar(F.T @ H)
    V = np.maximum(F @ R, 0)
    U = _basis(X, V, None, 5)
    trace = []
    for _ in range(ITERATIONS):
        XU, UtU = np.asarray(X @ U), U.T @ U
        V = _coordinates(V, UtU + mu * np.eye(k), XU + mu * (F @ R), 2)
        R = _polar(F.T @ V)
        U = _basis(X, V, U, 2)
        fit = squares(X) - 2 * np.sum(V * np.asarray(X @ U)) + np.sum((V.T @ V) * (U.T @ U))
        trace.append(fit + mu * np.sum((V - F @ R) ** 2))
        if _stalled(trace):
            break
    return U, V


def divergence(X, W, k, seed, tau):
    """KL(X ‖ V Uᵀ) + μ ‖F Fᵀ − V Vᵀ‖², μ = τ (what clusters explain of the divergence) / ‖F Fᵀ‖²."""
    F = _directions(X, W, k)
    H, data, loss = _indicators(F, k, seed), as_data(X), KullbackLeibler()
    everything = np.ones((X.shape[0], 1))
    mean, means = _basis(X, everything, None, 5), _basis(X, H, None, 5)
    gain = loss.value(State(data, mean, everything)) - loss.value(State(data, means, H))
    terms = [loss, Affinity(F, tau * gain / float(np.sum((F.T @ F) ** 2)))]
    s = State(data, means + FLOOR * mean, H + FLOOR)
    trace = [total(terms, s)]
    for _ in range(ITERATIONS):
        for block in ("V", "U"):
            grads = [grad for term in terms if (grad := term.gradient(s, block)) is not None]
            ratio = sum(grad[1] for grad in grads) / np.maximum(sum(grad[0] for grad in grads), 1e-300)
            s = s.replace(block, _step(s[block], ratio, lambda P, s=s, block=block: total(terms, s.replace(block, P))))
        trace.append(total(terms, s))
        if _stalled(trace):
            break
    return s.U, s.V


VARIANTS = {"affinity": affinity, "rotation": rotation, "divergence": divergence}


def explained(X, W, k):
    """‖P X‖² of the projection onto the columns of F."""
    return explained_by(as_data(X), _directions(X, W, k))


def squares(X):
    """‖X‖²."""
    return float(X.multiply(X).sum() if sparse.issparse(X) else np.sum(X * X))


def _directions(X, W, k):
    """F of the model."""
    return AffinityNMF(k, graph=W, max_iter=0).fit(X).embedding_


def _indicators(F, k, seed):
    labels = KMeans(k, n_init=10, random_state=seed).fit_predict(F)
    return np.eye(k)[labels]


def _step(V, ratio, objective):
    """V times a power of the ratio, the largest of a few under which the objective does not rise."""
    before = objective(V)
    for power in (1, 0.5, 0.25, 0.125, 0.0625):
        new = np.maximum(V * ratio**power, 1e-16)
        if objective(new) <= before:
            return new
    return V


def _basis(X, V, U, sweeps):
    """U after exact coordinate steps; without one, from nothing."""
    G = V.T @ V
    start = np.zeros((X.shape[1], V.shape[1])) if U is None else U
    return _coordinates(start, G, np.asarray(X.T @ V), sweeps)


def _coordinates(P, G, B, sweeps):
    P = P.copy()
    for _ in range(sweeps):
        for j in range(P.shape[1]):
            P[:, j] = np.maximum(0, P[:, j] + (B[:, j] - P @ G[:, j]) / max(G[j, j], 1e-12))
    return P


def _polar(M):
    left, _, right = np.linalg.svd(M)
    return left @ right


def _stalled(trace):
    return len(trace) > 10 and abs(trace[-11] - trace[-1]) <= TOL * trace[-11]
