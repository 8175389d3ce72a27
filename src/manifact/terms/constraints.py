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
        """At first V takes over the scale."""
        xp = namespace(s.U)
        return s.rescaled(xp.where(s.U_sums > 0, s.U_sums, 1.0))

    def added(self, other: SimplexBasis) -> SimplexBasis:
        """The same set."""
        return self
