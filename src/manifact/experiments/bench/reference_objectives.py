"""Objectives of anybody's factors, all computed by the same function, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manifact.backends import Array, as_data
from manifact.graphs import Graph

#: U and V -> the objective.
Objective = Callable[[Array, Array], float]


def squared_error(X: Any) -> Objective:
    """‖X − V Uᵀ‖²."""
    data = as_data(X.astype(np.float64))

    def value(U: Array, V: Array) -> float:
        U, V = U.astype(np.float64), V.astype(np.float64)
        return data.square_sum - 2 * data.inner(data.times(U), V) + data.inner(U.T @ U, V.T @ V)

    return value


def divergence(X: Any) -> Objective:
    """Σ x log(x / y) − x + y with Y = V Uᵀ."""
    data = as_data(X.astype(np.float64))

    def value(U: Array, V: Array) -> float:
        U, V = (np.ascontiguousarray(P, dtype=np.float64) for P in (U, V))
        return data.entropy_sum - data.ratio_times(U, V)[1] + float(data.sums(U) @ data.sums(V))

    return value


def entropic(X: Any, graph: Graph, lam: float) -> Objective:
    """KL(X ‖ V Uᵀ) + λ Tr(Vᵀ L log V) where every Σ_i u_ik = 1: a smaller V costs less for nothing without that."""
    error = divergence(X)

    def value(U: Array, V: Array) -> float:
        U, V = U.astype(np.float64), V.astype(np.float64)
        sums = U.sum(axis=0)
        sums[sums == 0] = 1
        V = np.maximum(V * sums, np.finfo(np.float64).tiny)
        return error(U / sums, V) + lam * graph.energy(V, np.log(V))

    return value


def constrained(X: Any, graph: Graph, lam: float) -> Objective:
    """‖X − V Uᵀ‖² + λ Tr(VᵀLV) where every ‖u_k‖ = 1: without that, moving scale into U lowers it for nothing."""
    error = squared_error(X)

    def value(U: Array, V: Array) -> float:
        U, V = U.astype(np.float64), V.astype(np.float64)
        lengths = np.linalg.norm(U, axis=0)
        lengths[lengths == 0] = 1
        U, V = U / lengths, V * lengths
        return error(U, V) + lam * graph.energy(V, V)

    return value
