"""Terms for the second representation of a `TwofoldState`, which only they hold."""

from __future__ import annotations

from manifact.terms.state import State, TwofoldState
from manifact.terms.term import Parts, Term


class Free:
    """A term with A in the place of V."""

    def __init__(self, term: Term) -> None:
        self.term = term

    def value(self, s: State) -> float:
        """The term at X ~ A Uᵀ."""
        return self.term.value(_free(s))

    def grad_U(self, s: State) -> Parts:
        """The term's own."""
        return self.term.grad_U(_free(s))

    def grad_A(self, s: State) -> Parts:
        """The term's own with respect to V."""
        return self.term.grad_V(_free(s))

    def grad_V(self, s: State) -> None:
        """V does not enter."""
        return None


def _free(s: State) -> State:
    assert isinstance(s, TwofoldState)
    return s.free
