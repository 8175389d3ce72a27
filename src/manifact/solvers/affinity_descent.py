"""Coordinate steps for ‖X − V Uᵀ‖² + ‖X − A Uᵀ‖² + μ ‖F Fᵀ − V Vᵀ‖², and momentum: it never rises."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from manifact.backends import Array
from manifact.solvers.momentum import with_momentum
from manifact.solvers.solver import Memory, solver
from manifact.terms.affinity import Affinity
from manifact.terms.forms import RowQuadratic
from manifact.terms.losses import Loss
from manifact.terms.second_representation import OnSecond
from manifact.terms.smoothness import Smoothness
from manifact.terms.state import TwofoldState
from manifact.terms.term import gather_forms, merged

#: Rounds of steps on V, A and U for every product with X, which costs more than they do.
ROUNDS, COEFFICIENT_SWEEPS, BASIS_SWEEPS = 4, 4, 2


def _problem(terms: Sequence[Any]) -> str | None:
    """What has no exact step beside the quartic."""
    quartics = [term for term in terms if isinstance(term, Affinity)]
    if any(quartics[0].added(other) is None for other in quartics[1:]):
        return "its Affinity terms are about different samples, give them the same ones"
    if quartics and any(isinstance(term, Smoothness) for term in terms):
        return "Smoothness of V has no exact step beside Affinity, leave one of them out"
    on_second = [term for term in terms if isinstance(term, OnSecond)]
    losses = [term for term in on_second if isinstance(term.term, Loss)]
    if on_second and len(losses) != 1:
        names = ", ".join(map(str, losses)) or "none"
        return f"the second representation needs one loss, got {names}: add or leave out OnSecond(Frobenius())"
    return None


@solver(
    "affinity",
    needs="rows",
    kinds=frozenset({"two representations"}),
    one_loss=True,
    knows=(Affinity,),
    formerly=("bcd",),
    problem=_problem,
)
def affinity_descent(terms: Sequence[Any], s: TwofoldState, memory: Memory) -> tuple[TwofoldState, Memory]:
    """One iteration: V, A, then U. Without terms on A it is left alone."""
    return with_momentum(terms, partial(_iterate, terms), s, memory)


def _iterate(terms: Sequence[Any], s: TwofoldState, before: TwofoldState, rate: float) -> TwofoldState:
    point = s.ahead(before, rate)
    new = s.replace("V", _step_V(terms, point))
    moved = new.ahead(s, rate, "V")
    coefficients, gram = moved.V, moved.VtV_wide
    on_A = gather_forms([term for term in terms if isinstance(term, OnSecond)], "rows", point, "A")
    if on_A is not None:
        new = new.replace("A", on_A.lowered(point.A, COEFFICIENT_SWEEPS))
        further = new.ahead(s, rate, "A").A
        coefficients, gram = s.data.backend.added(coefficients, further), gram + s.data.gram(further)
    # Both representations share the basis, so one product with X serves both.
    basis = RowQuadratic(gram, s.data.times_transposed(coefficients))
    held = gather_forms([term for term in terms if not _is_quartic_or_loss(term)], "rows", new, "U")
    return new.replace("U", (basis if held is None else basis + held).lowered(point.U, BASIS_SWEEPS))


def _step_V(terms: Sequence[Any], s: TwofoldState) -> Array:
    form = gather_forms([term for term in terms if not isinstance(term, Affinity)], "rows", s, "V")
    quartics = merged(term for term in terms if isinstance(term, Affinity) and term.mu > 0)
    if not quartics:
        return form.lowered(s.V, ROUNDS)
    (quartic,) = quartics
    return quartic.swept(s.V, form.G, form.right(s.V), 1.0 if form.scale is None else form.scale, form.shift, ROUNDS)


def _is_quartic_or_loss(term: Any) -> bool:
    inner = term.term if isinstance(term, OnSecond) else term
    return isinstance(inner, Affinity | Loss)
