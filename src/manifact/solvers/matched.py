"""Exact coordinate steps for ‖X − V Uᵀ‖² + ‖X − A Uᵀ‖² + μ ‖F Fᵀ − V Vᵀ‖², and momentum: it never rises."""

from __future__ import annotations

from functools import partial
from typing import Any

from manifact.backends import Array
from manifact.solvers.engine import Step
from manifact.solvers.momentum import ahead, with_momentum
from manifact.solvers.parts import Parts
from manifact.solvers.state import TwofoldState
from manifact.terms import Free, Frobenius, Matching, Term

#: Rounds of coordinate steps on U for every product with X.
BASIS_SWEEPS = 2


def matched(terms: list[Term]) -> Step:
    """One iteration: V entry by entry, A, then U. Without terms on A it is left alone."""
    twofold = any(isinstance(term, Free) for term in terms)
    parts = Parts.of([term for term in terms if not isinstance(term, Free)], Frobenius, Matching)
    return with_momentum(terms, partial(_iterate, parts, twofold), lambda s: s)


def _iterate(parts: Parts, twofold: bool, s: TwofoldState, before: TwofoldState, rate: float) -> TwofoldState:
    data = s.data
    U, XU = ahead(s.U, before.U, rate), ahead(s.XU, before.XU, rate)
    G = data.cross(U, U).astype(U.dtype, copy=False)
    V = _step_V(parts, data, ahead(s.V, before.V, rate), G, XU)
    new = s.replace("V", V)
    coefficients = ahead(V, s.V, rate)
    gram = data.gram(coefficients)
    if twofold:
        A = _step_A(parts, data, ahead(s.A, before.A, rate), G, XU)
        new = new.replace("A", A)
        further = ahead(A, s.A, rate)
        coefficients, gram = coefficients + further, gram + data.gram(further)
    l1, l2 = parts.U_penalty
    # Both representations share the basis, so one product with X serves both.
    B = data.times_transposed(coefficients) - U.dtype.type(l1 / 2)
    return new.replace("U", data.sweep(U, gram, B, 1.0, l2 / 2, BASIS_SWEEPS))


def _step_V(parts: Parts, data: Any, V: Array, G: Array, XU: Array) -> Array:
    if parts.smoothness is None:
        return _step_A(parts, data, V, G, XU)
    l1, l2 = parts.V_penalty
    return parts.smoothness.sweep(V, G, XU - XU.dtype.type(l1 / 2), _weights(data), l2 / 2)


def _step_A(parts: Parts, data: Any, A: Array, G: Array, XU: Array) -> Array:
    """A has V's penalties: what `transform` minimises."""
    l1, l2 = parts.V_penalty
    return data.sweep(A, G, XU - XU.dtype.type(l1 / 2), _weights(data), l2 / 2, 1)


def _weights(data: Any) -> Any:
    return 1.0 if data.weight is None else data.weight
