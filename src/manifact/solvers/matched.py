"""Exact coordinate steps for ‖X − V Uᵀ‖² + μ ‖F Fᵀ − V Vᵀ‖²: the objective never rises."""

from __future__ import annotations

from manifact.solvers.engine import Step
from manifact.solvers.parts import Parts
from manifact.solvers.state import State
from manifact.terms import Frobenius, Matching, Term, total

#: Rounds of coordinate steps on U for every product with X.
BASIS_SWEEPS = 2


def matched(terms: list[Term]) -> Step:
    """One iteration: V entry by entry, then U."""
    parts = Parts.of(terms, Frobenius, Matching)

    def step(s: State) -> State:
        new = _step_U(parts, _step_V(parts, s))
        # Only rounding can raise it: then this is as far as the digits go.
        return new if total(terms, new) <= total(terms, s) else s

    return step


def _step_V(parts: Parts, s: State) -> State:
    l1, l2 = parts.V_penalty
    scale = 1.0 if s.data.weight is None else s.data.weight
    B = s.XU - s.V.dtype.type(l1 / 2)
    if parts.smoothness is None:
        return s.replace("V", s.data.sweep(s.V, s.UtU, B, scale, l2 / 2, 1))
    return s.replace("V", parts.smoothness.sweep(s.V, s.UtU, B, scale, l2 / 2))


def _step_U(parts: Parts, s: State) -> State:
    l1, l2 = parts.U_penalty
    return s.replace("U", s.data.sweep(s.U, s.VtV, s.XtV - s.U.dtype.type(l1 / 2), 1.0, l2 / 2, BASIS_SWEEPS))
