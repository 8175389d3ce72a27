"""Which classes a model file may name. A class enters the list where it is declared; nothing else is ever made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypeVar

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


def is_square(facts: Mapping[str, Any]) -> None:
    """An affinity is n x n."""
    n, width = facts["W"].shape
    if n != width:
        raise ValueError(f"a graph of {n} x {width}")


def is_positive(facts: Mapping[str, Any], *names: str) -> None:
    """Arguments of these names are numbers > 0."""
    for name in names:
        if not (isinstance(facts[name], int | float) and facts[name] > 0):
            raise ValueError(f"{name} is {facts[name]!r}")
