"""Sets that a factor must stay in."""

from __future__ import annotations

from manifact.backends import Array, backend_of, namespace
from manifact.terms.state import State
from manifact.terms.term import Constraint


class SimplexBasis(Constraint):
    """Σ_i u_ik = 1 for every basis vector (SPNMF paper, eq 17; LNMF)."""

    block = "U"
    kinds = frozenset({"factors", "two representations"})

    def impose(self, P: Array, before: Array) -> Array:
        """Columns divided by their sums, whatever V is. A part that explains nothing stays: all are as good."""
        xp = namespace(P)
        sums = xp.astype(backend_of(P).column_sums(P), P.dtype, copy=False)
        return xp.where(sums > 0, P / xp.where(sums > 0, sums, 1.0), before)

    def start(self, s: State) -> State:
        """At first V takes over the scale. A part without entries is as far from every corner."""
        xp = namespace(s.U)
        sums = s.U_sums
        s = s.rescaled(xp.where(sums > 0, sums, 1.0))
        if bool(xp.all(sums > 0)):
            return s
        return s.replace("U", xp.where(sums > 0, s.U, xp.asarray(1 / s.U.shape[0], dtype=s.U.dtype)))

    def added(self, other: SimplexBasis) -> SimplexBasis:
        """The same set."""
        return self
