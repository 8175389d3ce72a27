"""What a term is, and sums of terms."""

from __future__ import annotations

from typing import Any, Protocol

from manifact.backends import Array
from manifact.terms.state import State

#: Positive and negative part of a gradient, broadcastable to the block; None where the term does not depend on it.
Parts = tuple[Any, Any] | None


#: Gradient of a term that is quadratic in the block P: A⁺P, A⁻P (both ≥ 0) and b, for (A⁺ − A⁻)P + b.
Quadratic = tuple[Any, Any, Any]


class Term(Protocol):
    """One summand of an objective; positive − negative is exactly the gradient of ``value``."""

    def value(self, s: State) -> float:
        """This summand at state s."""

    def grad_U(self, s: State) -> Parts:
        """Gradient parts with respect to the basis."""

    def grad_V(self, s: State) -> Parts:
        """Gradient parts with respect to the representation."""


class ImplicitTerm(Term, Protocol):
    """A term whose multiplicative V step is a linear solve in place of the division."""

    def solve_V(self, s: State, positive: Any, negative: Any) -> Array:
        """The new V, from the gradient parts of all other terms."""


class QuadraticTerm(Term, Protocol):
    """A term that is quadratic in each block, with matrices of any sign: what signed data need."""

    def quadratic_U(self, s: State) -> Quadratic | None:
        """Gradient with respect to the basis."""

    def quadratic_V(self, s: State) -> Quadratic | None:
        """Gradient with respect to the representation."""


def total(terms: list[Term], s: State) -> float:
    """The objective, computed once for a state."""
    value: float = s.keep(tuple(terms), s.blocks, lambda: sum(term.value(s) for term in terms))
    return value


def gather(terms: list[Term], s: State, block: str) -> tuple[Any, Any]:
    """Positive and negative gradient parts of all terms, added up."""
    positive, negative = _sums([getattr(term, f"grad_{block}")(s) for term in terms])
    return positive, negative


def gather_quadratic(terms: list[Term], s: State, block: str) -> Quadratic:
    """A⁺P, A⁻P and b of all terms, added up."""
    positive, negative, linear = _sums([getattr(term, f"quadratic_{block}")(s) for term in terms])
    return positive, negative, linear


def _sums(parts: list[Any]) -> list[Any]:
    columns = zip(*(part for part in parts if part is not None), strict=True)
    return [sum(column[1:], start=column[0]) for column in columns]
