"""An objective's summands, each where exact steps look for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manifact.terms import ElasticNet, Term


@dataclass(frozen=True)
class Parts:
    """The smoothness on a graph, and L1 and L2 on either factor; zeros where there is none."""

    smoothness: Any
    V_penalty: tuple[float, float]
    U_penalty: tuple[float, float]

    @property
    def holds_basis(self) -> bool:
        """Whether basis vectors must keep a size: V has a penalty that shrinks while they grow, and they have none."""
        free = self.smoothness is None and self.V_penalty == (0.0, 0.0)
        return self.U_penalty == (0.0, 0.0) and not free

    @classmethod
    def of(cls, terms: list[Term], loss: type, smoothness: type) -> Parts:
        """Sort the terms; one that has no exact step is refused."""
        smooth, penalties = None, {"V": (0.0, 0.0), "U": (0.0, 0.0)}
        for term in terms:
            if isinstance(term, smoothness):
                smooth = term
            elif isinstance(term, ElasticNet):
                penalties[term.block] = term.l1, term.l2
            elif not isinstance(term, loss):
                raise TypeError(f"there is no exact step for {type(term).__name__} beside {loss.__name__}")
        return cls(smooth, penalties["V"], penalties["U"])
