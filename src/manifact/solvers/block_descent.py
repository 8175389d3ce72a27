"""Block coordinate descent for the Frobenius models: exact coordinate steps, and momentum.

Where V has a penalty the problem is ‖X − V Uᵀ‖² + λ Tr(VᵀLV) with ‖u_k‖ = 1: without that constraint scale moves from V
to U, and the penalty means less at every iteration. Given V, scale may be moved freely if the penalty goes along, so
the constrained problem is the same as the free one with λ Σ_k ‖u_k‖² v_kᵀLv_k: quadratic in U, separable over its rows.
Each row of V or U is improved by exact coordinate steps, then the scale goes back into V.
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manifact.backends import Array
from manifact.solvers.engine import Step
from manifact.solvers.momentum import ahead, with_momentum
from manifact.solvers.parts import Parts
from manifact.terms import Frobenius, Smoothness, Term
from manifact.terms.state import State

#: Rounds of coordinate steps for every product with X. More of them reach poorer minima sooner; on a graph they pay.
SWEEPS = 1
GRAPH_SWEEPS = 2


def _parts(terms: list[Term]) -> Parts:
    return Parts.of(terms, Frobenius, Smoothness)


def exact_blocks(terms: list[Term]) -> Step:
    """One iteration: V with momentum, U with momentum; without it where it did not pay."""
    parts = _parts(terms)
    return with_momentum(terms, partial(_iterate, parts), partial(_sized, parts))


def feasible(terms: list[Term], s: State) -> State:
    """The state to start from: unit basis vectors, where they have to be."""
    return _settled(_parts(terms), s)


def _sized(parts: Parts, s: State) -> State:
    """V in the size that fits best: from one far too large the first coordinate steps would empty most parts."""
    l1, l2 = parts.V_penalty
    square = s.data.inner(s.UtU_wide, s.VtV_wide) + l2 / 2 * s.data.inner(s.V, s.V)
    if parts.smoothness is not None:
        square += parts.smoothness.value(s)
    slope = s.data.inner(s.XU, s.V) - l1 / 2 * float(s.V.sum(dtype=np.float64))
    return s.replace("V", s.V * s.V.dtype.type(slope / square)) if slope > 0 and square > 0 else s


def _iterate(parts: Parts, s: State, before: State, rate: float) -> State:
    """V, then U. Extrapolated products with X are sums of known ones, so momentum costs none."""
    U = ahead(s.U, before.U, rate)
    V = _step_V(parts, s, ahead(s.V, before.V, rate), U.T @ U, ahead(s.XU, before.XU, rate))
    new = s.replace("V", V)
    XtV = ahead(new.XtV, s.XtV, rate)
    gram = s.data.gram(ahead(V, s.V, rate)) + np.diag(_scale_costs(parts, new))
    l1, l2 = parts.U_penalty
    U = s.data.sweep(U, gram, XtV - V.dtype.type(l1 / 2), 1.0, l2 / 2, SWEEPS)
    return _settled(parts, new.replace("U", U))


def _step_V(parts: Parts, s: State, V: Array, gram: Array, XU: Array) -> Array:
    l1, l2 = parts.V_penalty
    scale = 1.0 if s.data.weight is None else s.data.weight
    B = XU - XU.dtype.type(l1 / 2)
    if parts.smoothness is None:
        return s.data.sweep(V, gram, B, scale, l2 / 2, SWEEPS)
    return parts.smoothness.graph.sweep(V, gram, B, scale, l2 / 2, parts.smoothness.lam, GRAPH_SWEEPS)


def _scale_costs(parts: Parts, s: State) -> Array:
    """What ‖u_k‖² costs in the penalties on V, if V takes over the scale of U.

    L1 costs ‖u_k‖ Σ_j v_jk, which lies below (‖u_k‖² + 1) / 2 times the sum and meets it at ‖u_k‖ = 1.
    """
    costs = np.zeros(s.V.shape[1])
    if not parts.holds_basis:
        return costs
    if parts.smoothness is not None:
        costs += parts.smoothness.lam * parts.smoothness.graph.energies(s.V, s.V)
    l1, l2 = parts.V_penalty
    if l1 or l2:
        costs += l2 / 2 * np.einsum("ij,ij->j", s.V, s.V) + l1 / 2 * s.V.sum(axis=0, dtype=np.float64)
    return costs


def _settled(parts: Parts, s: State) -> State:
    """Basis vectors of unit length with their scale in V, where they have to be.

    Vectors of zeros start anew, unless a penalty may make it best to be empty.
    """
    lengths = np.sqrt(np.einsum("ij,ij->j", s.U, s.U, dtype=np.float64))
    if (lengths == 0).any() and parts.U_penalty == (0.0, 0.0) and parts.V_penalty[0] == 0:
        s = _revived(s, np.flatnonzero(lengths == 0))
    lengths[lengths == 0] = 1
    return s.rescaled(lengths) if parts.holds_basis else s


def _revived(s: State, dead: Array) -> State:
    """Each dead part becomes what is left of one of the worst-fitted samples; its column of V is 0 until its turn."""
    misfit = s.data.squares - np.einsum("ij,ij->i", 2 * s.XU - s.data.weighted(s.V @ s.UtU), s.V)
    worst = np.argsort(-misfit, kind="stable")[: len(dead)]
    if s.data.square_sum > 0:
        warnings.warn(
            f"{len(dead)} of {s.U.shape[1]} parts had become empty and start anew from badly fitted samples: lower "
            "n_components or graph_reg if this goes on",
            ConvergenceWarning,
            stacklevel=2,
        )
    U, V = s.U.copy(), s.V.copy()
    V[:, dead] = 0
    for part, j in zip(dead, worst, strict=False):
        left = s.data.row(j) if s.data.weight is None or not s.data.weight[j] else s.data.row(j) / s.data.weight[j]
        left = np.maximum(left - U @ V[j], 0)
        length = np.sqrt(float(left @ left))
        U[:, part] = left / length if length > 0 else 1 / np.sqrt(len(left))
    U[:, dead[len(worst) :]] = 1 / np.sqrt(len(U))
    return s.replace("V", V).replace("U", U)
