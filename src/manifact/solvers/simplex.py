"""Block steps for objectives without exact ones: shortened until the objective falls, the basis on the simplex."""

from __future__ import annotations

import numpy as np

from manifact.backends import Array
from manifact.solvers.engine import Step
from manifact.terms import Term, gather, total
from manifact.terms.state import State

#: A multiplicative step is shortened this often before V stays where it is.
MOST_HALVINGS = 30


def safeguarded(terms: list[Term], coupling: Array) -> Step:
    """V by a multiplicative step that is shortened until the objective falls; U exactly on the simplex."""

    def step(s: State) -> State:
        return simplex_basis(shortened(s, terms, "V"), coupling)

    return step


def shortened(s: State, terms: list[Term], block: str) -> State:
    """P ← P ∘ (negative / positive)^t with t = 1/2, 1/4, … until the objective does not rise."""
    positive, negative = gather(terms, s, block)
    ratio = s.data.rescale(np.ones_like(s[block]), negative, positive)
    before, power = total(terms, s), 0.5
    for _ in range(MOST_HALVINGS):
        trial = s.replace(block, s[block] * ratio**power)
        if total(terms, trial) <= before:
            return trial
        power /= 2
    return s


def simplex_basis(s: State, coupling: Array) -> State:
    """Each column of U in turn to its minimiser of <H, UᵀU> − 2 <U, XᵀV> with Σ_i u_ik = 1, H = VᵀV + coupling."""
    H = s.VtV + coupling.astype(s.U.dtype)
    U = s.U.copy()
    for k in range(U.shape[1]):
        if H[k, k] > 0:
            others = U @ H[:, k] - U[:, k] * H[k, k]
            U[:, k] = onto_simplex((s.XtV[:, k] - others) / H[k, k])
    return s.replace("U", U)


def onto_simplex(v: Array) -> Array:
    """The nearest point with entries ≥ 0 that sum to 1 (Duchi et al. 2008)."""
    # Shifting v does not move its projection; from the largest entry down the 1 is not lost beside large numbers.
    shifted = v.astype(np.float64) - float(v.max())
    sorted_down = np.sort(shifted)[::-1]
    excess = (np.cumsum(sorted_down) - 1) / np.arange(1, len(v) + 1)
    last = np.flatnonzero(sorted_down > excess)[-1]
    nearest = np.maximum(shifted - excess[last], 0)
    return (nearest / nearest.sum()).astype(v.dtype)
