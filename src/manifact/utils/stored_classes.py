"""Which classes a model file may name. A class enters the list where it is declared; nothing else is ever made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypeVar

from manifact.utils.array_checks import Numbers

T = TypeVar("T")


def _nothing(facts: Mapping[str, Any]) -> None:
    return None


@dataclass(frozen=True)
class Stored:
    """A class, how its constructor is called again, and what its arguments must be."""

    cls: type[Any]
    #: Argument of the constructor -> attribute that holds it; None: it has scikit-learn's ``get_params``.
    arguments: Mapping[str, str] | None
    #: Raises where arguments of a file do not fit together: compiled code trusts them.
    check: Callable[[Mapping[str, Any]], None] = _nothing

    def takes(self, names: Iterable[str]) -> bool:
        """Whether the constructor can be called with these arguments: files of former versions may lack newer ones."""
        parameters = signature(self.cls).parameters
        needed = {name for name in self.arguments or () if parameters[name].default is Parameter.empty}
        return needed <= set(names) <= set(self.arguments or ())


_classes: dict[str, Stored] = {}


def stored(check: Callable[[Mapping[str, Any]], None] = _nothing, **arguments: str) -> Callable[[type[T]], type[T]]:
    """Let files hold objects of a class, by the arguments of its constructor and the attributes that hold them."""

    def declare(cls: type[T]) -> type[T]:
        enter(Stored(cls, arguments, check))
        return cls

    return declare


def stored_by_parameters(cls: type[T]) -> type[T]:
    """Let files hold objects of a class by the parameters that scikit-learn's ``get_params`` gives."""
    enter(Stored(cls, None))
    return cls


def enter(entry: Stored) -> None:
    """Put a class into the list; one that is declared anew takes the place of the old one."""
    known = _classes.get(entry.cls.__name__)
    if known is not None and known.cls.__module__ != entry.cls.__module__:
        raise ValueError(
            f"a class {entry.cls.__name__} of {known.cls.__module__} is stored in model files already: give the one in "
            f"{entry.cls.__module__} another name"
        )
    _classes[entry.cls.__name__] = entry


def stored_class(name: Any) -> Stored | None:
    """What is known of the class of this name."""
    return _classes.get(name) if isinstance(name, str) else None


#: Affinities: finite and not negative.
AFFINITY = Numbers(("n", "n"), least=0, sparse=True)


def has_affinity(facts: Mapping[str, Any]) -> None:
    """W is n x n, symmetric but for rounding, of affinities ≥ 0."""
    W = facts["W"]
    AFFINITY.check("W", W, {"n": len(W.indptr) - 1})
    if W.nnz and abs(W - W.T).max() > 1e-5 * W.data.max():
        raise ValueError("a graph that is not symmetric")


def is_positive(facts: Mapping[str, Any], *names: str) -> None:
    """Arguments of these names are numbers > 0."""
    for name in names:
        if not (isinstance(facts[name], int | float) and 0 < facts[name] < float("inf")):
            raise ValueError(f"{name} is {facts[name]!r}")


def are_rows_of_a_table(candidates: Any) -> None:
    """What a graph was chosen from is shown to people: rows of names and plain values, and nothing else."""
    if candidates is None:
        return
    plain = str | bool | int | float | None
    if not isinstance(candidates, list) or not all(
        isinstance(row, dict) and all(isinstance(name, str) and isinstance(value, plain) for name, value in row.items())
        for row in candidates
    ):
        raise ValueError("a graph and candidates that are no rows of a table")
