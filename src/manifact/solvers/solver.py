"""What a solver is: one step, what it needs of the terms, and a name that means one algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manifact.terms.losses import Loss
from manifact.terms.state import KINDS, NAMES
from manifact.terms.term import Constraint, merged
from manifact.utils.errors import BadValueError

#: What a solver remembers between steps, beside the iterate: numbers and earlier states, as a checkpoint stores them.
Memory = Mapping[str, Any]
#: From terms, state and memory to the next state and memory.
Step = Callable[[Sequence[Any], Any, Memory], tuple[Any, Memory]]


def _as_it_is(terms: Sequence[Any], s: Any) -> Any:
    return s


def _nothing(terms: Sequence[Any]) -> None:
    return None


@dataclass(frozen=True)
class Solver:
    """An algorithm."""

    name: str
    step: Step
    #: What it asks every term for; see `Term`.
    needs: str
    #: The kinds of states it works on.
    kinds: frozenset[str] = KINDS
    #: The state that steps may start from, made of any.
    begin: Callable[[Sequence[Any], Any], Any] = _as_it_is
    #: Whether there must be one loss, and no more.
    one_loss: bool = False
    #: Losses whose models offer this solver, by name, beside those that list it themselves (`Loss.solvers`).
    losses: tuple[str, ...] = ()
    #: Terms that it handles in ways of its own.
    knows: tuple[type, ...] = ()
    #: Constraints that its steps end inside.
    imposes: tuple[type, ...] = ()
    #: Whether it is the rule that papers published, whose early stop is theirs as well.
    published: bool = False
    #: Names that it had.
    formerly: tuple[str, ...] = ()
    #: Whether it works on NumPy's arrays only.
    host_only: bool = False
    #: What else keeps it from minimising a sum, or None.
    problem: Callable[[Sequence[Any]], str | None] = _nothing

    def refuse(self, terms: Sequence[Any], kind: str, data: Any) -> None:
        """Raise, naming the term, where this sum cannot be minimised by this solver on such states and data."""
        if self.host_only and data.backend.__name__ != "manifact.backends.numpy":
            raise BadValueError(
                "{solver}={!r} works on NumPy and SciPy arrays: pass X as one of these, with {device}='cpu'", self.name
            )
        signed = kind == "concepts" and data.signed
        if kind not in self.kinds:
            raise BadValueError("{solver}={!r} does not work on {}: choose another solver", self.name, NAMES[kind])
        losses = [term for term in terms if isinstance(term, Loss)]
        if self.one_loss and len(losses) != 1:
            names = ", ".join(type(loss).__name__ for loss in losses) or "none"
            raise BadValueError("{solver}={!r} needs one loss, got {}: choose 'mu' for other sums", self.name, names)
        need = "quadratic" if signed and self.needs == "gradient" else self.needs
        for term in terms:
            if (problem := self._trouble(term, kind, need)) is not None:
                raise BadValueError("{solver}={!r} cannot minimise a sum with {}: {}", self.name, str(term), problem)
        problem = _rival_constraints(terms) or self.problem(terms)
        if problem is not None:
            raise BadValueError("{solver}={!r} cannot minimise this sum: {}", self.name, problem)
        for term in terms:
            term.check(data)

    def _trouble(self, term: Any, kind: str, need: str) -> str | None:
        if kind not in term.kinds:
            return f"it is not defined for {NAMES[kind]}"
        if isinstance(term, Constraint) and not isinstance(term, self.imposes):
            return f"steps would leave the set that {term.block} must stay in"
        return None if isinstance(term, self.knows) else term.lacks(need)


def _rival_constraints(terms: Sequence[Any]) -> str | None:
    """A step can end inside one set, not in the meeting of several."""
    blocks: dict[str, Any] = {}
    for term in merged(term for term in terms if isinstance(term, Constraint)):
        if term.block in blocks:
            return f"{blocks[term.block]} and {term} both constrain {term.block}, keep one of them"
        blocks[term.block] = term
    return None


#: Every solver that was declared, by name; `all_solvers` has those of this room.
SOLVERS: dict[str, Solver] = {}


def solver(name: str, needs: str, **facts: Any) -> Callable[[Step], Step]:
    """Declare a step as the solver of this name."""

    def declare(step: Step) -> Step:
        SOLVERS[name] = Solver(name, step, needs, **facts)
        return step

    return declare
