"""What a term is, what it may offer, and sums of terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from manifact.backends import Array
from manifact.terms.state import KINDS, State

#: Positive and negative part of a gradient, broadcastable to the block; None where the term does not depend on it.
Parts = tuple[Any, Any] | None
#: Gradient of a term that is quadratic in the block P: A⁺P, A⁻P (both ≥ 0) and b, for (A⁺ − A⁻)P + b.
Quadratic = tuple[Any, Any, Any]

#: What a solver can ask a term for, in words for people.
OFFERS = {
    "gradient": "no gradient in two parts",
    "quadratic": "no quadratic form for matrices of any sign",
    "rows": "no quadratic form row by row",
    "bound": "no bound of the form a v − c log v",
}


class Term:
    """One summand of an objective.

    ``value(s)`` is all that a term must have. What else it has says who can minimise it, each for a state s and the
    name of one of its blocks, None where the block does not enter:

    ``gradient(s, block)``
        Positive and negative part: positive − negative is exactly the gradient of ``value``.
    ``implicit(s, block, positive, negative)``
        The new block of a multiplicative step, from the gradient parts of all other terms; None: by the division.
    ``quadratic(s, block)``
        A⁺P, A⁻P and b of the gradient (A⁺ − A⁻)P + b.
    ``rows(s, block)``
        A `RowQuadratic` that differs from the value by a constant.
    ``bound(s, block)``
        A `LogBound` that touches the value at s and is nowhere below it, but for a constant.
    ``added(other)``
        One term for the sum of two of this kind; where it is missing, or None, both are kept.
    """

    #: The kinds of states that it is right for.
    kinds: ClassVar[frozenset[str]] = KINDS
    #: The power of the ratio negative / positive that its multiplicative step takes, where that is not 1.
    powers: ClassVar[dict[str, float]] = {}
    #: Whether ``rows``, for factors of X, is sorted by sign as ``gradient`` is: G, shift, l1 and D make the positive
    #: part, B and W the negative one. Then a multiplicative step is one pass over the block.
    rows_by_sign: ClassVar[bool] = False

    def value(self, s: Any) -> float:
        """This summand at state s."""
        raise NotImplementedError

    def lacks(self, need: str) -> str | None:
        """Why a solver that needs this of a term cannot have it, or None where it can."""
        return None if hasattr(self, need) else OFFERS[need]

    def check(self, data: Any) -> None:
        """Raise, in one sentence, where the term has no meaning for these data; called before any work is done."""

    def __str__(self) -> str:
        return type(self).__name__


class Constraint(Term):
    """A set that a block must stay in: it adds nothing to the value, and steps end inside."""

    block: str
    rows_by_sign = True

    def value(self, s: State) -> float:
        """Nothing, inside."""
        return 0.0

    def impose(self, P: Array, before: Array) -> Array:
        """A block inside, made of one that may be outside; ``before`` is where the step began, inside."""
        raise NotImplementedError

    def start(self, s: Any) -> Any:
        """A state inside, made of any."""
        return s.replace(self.block, self.impose(s[self.block], s[self.block]))

    def gradient(self, s: State, block: str) -> Parts:
        """The value does not change."""
        return None

    def rows(self, s: State, block: str) -> None:
        """The value does not change."""
        return None


def total(terms: Sequence[Term], s: State) -> float:
    """The objective, computed once for a state."""
    value: float = s.keep(("total", *terms), s.blocks, lambda: sum(term.value(s) for term in terms))
    return value


def gather(terms: Iterable[Any], s: State, block: str) -> Parts:
    """Positive and negative gradient parts of all terms, added up; None where none depends on the block."""
    parts: Parts = _sums([term.gradient(s, block) for term in terms])
    return parts


def gather_quadratic(terms: Iterable[Any], s: State, block: str) -> Quadratic | None:
    """A⁺P, A⁻P and b of all terms, added up; None where none depends on the block."""
    parts: Quadratic | None = _sums([term.quadratic(s, block) for term in terms])
    return parts


def gather_forms(terms: Iterable[Any], offer: str, s: State, block: str) -> Any:
    """The forms (`RowQuadratic` or `LogBound`) of all terms, added up; None where none depends on the block."""
    forms = [form for form in (getattr(term, offer)(s, block) for term in terms) if form is not None]
    return sum(forms[1:], start=forms[0]) if forms else None


def merged(terms: Iterable[Any]) -> list[Any]:
    """The same sum with one term in place of several of a kind, as far as they can be added."""
    kept: list[Any] = []
    for term in terms:
        for place, other in enumerate(kept):
            both = other.added(term) if type(other) is type(term) and hasattr(other, "added") else None
            if both is not None:
                kept[place] = both
                break
        else:
            kept.append(term)
    return kept


def _sums(parts: list[Any]) -> Any:
    """The parts added up, place by place; those that are None left out."""
    columns = zip(*(part for part in parts if part is not None), strict=True)
    return tuple(sum(column[1:], start=column[0]) for column in columns) or None
