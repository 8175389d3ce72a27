"""Steps for objectives without exact ones: V shortened until the objective falls, the basis exact on the simplex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manifact.backends import Array, contiguous, identity, namespace, on_host
from manifact.solvers.line_search import backtrack
from manifact.solvers.multiplicative import feasible, ratio
from manifact.solvers.solver import Memory, solver
from manifact.terms.constraints import SimplexBasis
from manifact.terms.repulsion import Repulsion, Structure
from manifact.terms.state import State
from manifact.terms.term import gather_forms, total

#: A multiplicative step is shortened this often before V stays where it is.
MOST_HALVINGS = 30
#: Terms that leave U alone, and need no quadratic form in it.
ON_V_ALONE = (Structure, Repulsion)


def _problem(terms: Sequence[Any]) -> str | None:
    """V takes any gradient, U only quadratics, and those on the simplex."""
    for term in terms:
        if not isinstance(term, ON_V_ALONE) and (lack := term.lacks("rows")) is not None:
            return f"{term} has {lack}"
    if not any(isinstance(term, SimplexBasis) for term in terms):
        return "it keeps basis vectors on the simplex, add SimplexBasis"
    return None


@solver(
    "simplex",
    needs="gradient",
    kinds=frozenset({"factors"}),
    begin=feasible,
    one_loss=True,
    knows=(Structure,),
    imposes=(SimplexBasis,),
    formerly=("bcd",),
    problem=_problem,
)
def simplex(terms: Sequence[Any], s: State, memory: Memory) -> tuple[State, Memory]:
    """One iteration: V by a multiplicative step that is shortened until the objective falls, U column by column."""
    return simplex_basis(shortened(s, terms, "V"), terms), memory


def shortened(s: State, terms: Sequence[Any], block: str) -> State:
    """P ← P ∘ (negative / positive)^t with t = 1/2, 1/4, … until the objective does not rise."""
    parts = [getattr(term, "structural_gradient", term.gradient)(s, block) for term in terms]
    known = [part for part in parts if part is not None]
    factor = ratio(s, block, sum(part[0] for part in known), sum(part[1] for part in known))
    found = backtrack(
        lambda power: s.replace(block, s[block] * factor**power) if power else s,
        lambda new: total(terms, new),
        total(terms, s),
        0.5,
        tries=MOST_HALVINGS,
    )
    return s if found is None else found[0]


def simplex_basis(s: State, terms: Sequence[Any]) -> State:
    """Each column of U in turn to its minimiser of <H, UᵀU> − 2 <U, B> with Σ_i u_ik = 1."""
    form = gather_forms([term for term in terms if hasattr(term, "rows")], "rows", s, "U")
    xp = namespace(s.U)
    # Basis vectors in rows: a step reads all of them, and writes one.
    U, B = xp.asarray(contiguous(s.U.T), copy=True), contiguous(form.B.T)
    H = xp.astype(form.G + form.shift * identity(form.G), U.dtype, copy=False)
    for k, held in enumerate(on_host(xp.linalg.diagonal(H))):
        if held > 0:
            others = H[k, :] @ U - U[k, :] * H[k, k]
            U[k, :] = onto_simplex((B[k, :] - others) / H[k, k])
    return s.replace("U", contiguous(U.T))


def onto_simplex(v: Array) -> Array:
    """The nearest point with entries ≥ 0 that sum to 1: max(v − θ, 0), θ the largest of what is left out.

    Entries below what the others ask for are left out, and again, until none is (C. Michelot. A finite algorithm for
    finding the projection of a point onto the canonical simplex of R^n. Journal of Optimization Theory and
    Applications 50, 1986): a few passes, where sorting takes many.
    """
    # Shifting v does not move its projection; from the largest entry down the 1 is not lost beside large numbers.
    xp = namespace(v)
    shifted = xp.astype(v, xp.float64) - xp.astype(xp.max(v), xp.float64)
    # The largest is in, and asks for θ ≥ −1.
    left = shifted[shifted > -1]
    while True:
        level = (xp.sum(left) - 1) / left.shape[0]
        above = left[left > level]
        if above.shape[0] == left.shape[0] or above.shape[0] == 0:
            break
        left = above
    nearest = xp.maximum(shifted - level, 0)
    return xp.astype(nearest / xp.sum(nearest), v.dtype)
