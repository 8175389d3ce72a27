"""Exact coordinate steps for ‖X − V Uᵀ‖² + ‖X − A Uᵀ‖² + μ ‖F Fᵀ − V Vᵀ‖², and momentum: it never rises."""

from __future__ import annotations

from functools import partial
from typing import Any

from manifact.backends import Array
from manifact.solvers.engine import Step
from manifact.solvers.momentum import ahead, with_momentum
from manifact.solvers.parts import Parts
from manifact.terms import Free, Frobenius, Matching, Term
from manifact.terms.state import TwofoldState

#: Rounds of coordinate steps on U for every product with X.
BASIS_SWEEPS = 2


def matched(terms: list[Term]) -> Step:
    """One iteration: V entry by entry, A, then U. Without terms on A it is left alone."""
    held = Parts.of([term for term in terms if not isinstance(term, Free)], Frobenius, Matching)
    on_A = [term.term for term in terms if isinstance(term, Free)]
    free = Parts.of(on_A, Frobenius, Matching) if on_A else None
    if free is not None and (free.smoothness is not None or free.U_penalty != (0.0, 0.0)):
        raise TypeError("there is no exact step for a second representation with a graph or a penalty on the basis")
    return with_momentum(terms, partial(_iterate, held, free), lambda s: s)


def _iterate(held: Parts, free: Parts | None, s: TwofoldState, before: TwofoldState, rate: float) -> TwofoldState:
    data = s.data
    U, XU = ahead(s.U, before.U, rate), ahead(s.XU, before.XU, rate)
    G = data.cross(U, U).astype(U.dtype, copy=False)
    V = _step_rows(held, data, ahead(s.V, before.V, rate), G, XU)
    new = s.replace("V", V)
    coefficients = ahead(V, s.V, rate)
    gram = data.gram(coefficients)
    if free is not None:
        A = _step_rows(free, data, ahead(s.A, before.A, rate), G, XU)
        new = new.replace("A", A)
        further = ahead(A, s.A, rate)
        coefficients, gram = coefficients + further, gram + data.gram(further)
    l1, l2 = held.U_penalty
    # Both representations share the basis, so one product with X serves both.
    B = data.times_transposed(coefficients) - U.dtype.type(l1 / 2)
    return new.replace("U", data.sweep(U, gram, B, 1.0, l2 / 2, BASIS_SWEEPS))


def _step_rows(parts: Parts, data: Any, V: Array, G: Array, XU: Array) -> Array:
    """V, or A, after a round of exact coordinate steps."""
    l1, l2 = parts.V_penalty
    B = XU - XU.dtype.type(l1 / 2)
    weight = 1.0 if data.weight is None else data.weight
    if parts.smoothness is None:
        return data.sweep(V, G, B, weight, l2 / 2, 1)
    return parts.smoothness.sweep(V, G, B, weight, l2 / 2)
