"""Terms on the second representation of a `TwofoldState`, which nothing else holds."""

from __future__ import annotations

from typing import Any

from manifact.terms.forms import RowQuadratic
from manifact.terms.state import State, TwofoldState
from manifact.terms.term import Constraint, Parts, Term


class OnSecond(Term):
    """A term with A in the place of V."""

    kinds = frozenset({"two representations"})

    def __init__(self, term: Any) -> None:
        self.term = term

    @property
    def powers(self) -> dict[str, float]:  # type: ignore[override]
        """The term's own, with A for V."""
        return {"A" if block == "V" else block: power for block, power in self.term.powers.items()}

    def value(self, s: TwofoldState) -> float:
        """The term at X ~ A Uᵀ."""
        return self.term.value(s.second)

    def gradient(self, s: TwofoldState, block: str) -> Parts:
        """The term's own, with respect to V for A."""
        return None if block == "V" else self.term.gradient(s.second, _own(block))

    def rows(self, s: TwofoldState, block: str) -> RowQuadratic | None:
        """The term's own."""
        return None if block == "V" else self.term.rows(s.second, _own(block))

    def lacks(self, need: str) -> str | None:
        """What the term lacks, or this."""
        if State.kind not in self.term.kinds:
            return f"{self.term} is not defined for X ~ A Uᵀ"
        if isinstance(self.term, Constraint):
            return "constraints hold factors by their names, and have no second one"
        return self.term.lacks(need) or super().lacks(need)

    def __str__(self) -> str:
        return f"OnSecond({self.term})"

    def check(self, data: Any) -> None:
        """As the term does."""
        self.term.check(data)

    def added(self, other: OnSecond) -> OnSecond | None:
        """One for both, where the terms can be added."""
        same = type(self.term) is type(other.term) and hasattr(self.term, "added")
        both = self.term.added(other.term) if same else None
        return None if both is None else OnSecond(both)


def _own(block: str) -> str:
    return "V" if block == "A" else block
