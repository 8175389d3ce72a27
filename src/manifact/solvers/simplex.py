"""Steps for objectives without exact ones: V shortened until the objective falls, the basis exact on the simplex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manifact.backends import Array, backend_of, identity, on_host
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
    # On the host: column after column there is little to do at a time.
    U = np.array(on_host(s.U))
    H = on_host(form.G + form.shift * identity(form.G)).astype(U.dtype, copy=False)
    B = on_host(form.B)
    for k in range(U.shape[1]):
        if H[k, k] > 0:
            others = U @ H[:, k] - U[:, k] * H[k, k]
            U[:, k] = onto_simplex((B[:, k] - others) / H[k, k])
    return s.replace("U", backend_of(s.U).like(U, s.U))


def onto_simplex(v: Array) -> Array:
    """The nearest point with entries ≥ 0 that sum to 1 (Duchi et al. 2008)."""
    # Shifting v does not move its projection; from the largest entry down the 1 is not lost beside large numbers.
    shifted = v.astype(np.float64) - float(v.max())
    sorted_down = np.sort(shifted)[::-1]
    excess = (np.cumsum(sorted_down) - 1) / np.arange(1, len(v) + 1)
    last = np.flatnonzero(sorted_down > excess)[-1]
    nearest = np.maximum(shifted - excess[last], 0)
    return (nearest / nearest.sum()).astype(v.dtype)
