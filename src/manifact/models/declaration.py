"""How a model is declared: a dataclass whose fields are its parameters, with the shared ones documented once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform, overload

from manifact.models.parameter_texts import SHARED, shared_text
from manifact.models.registry import Entry, register

T = TypeVar("T")

#: What a docstring describes in an entry of its own, alone or with others.
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : ", re.MULTILINE)
#: A default that models differ in: it stands in the class, and nowhere else.
_DEFAULT = re.compile(r"\{default of (\w+)\}")


@overload
def model(cls: type[T]) -> type[T]: ...
@overload
def model(
    *,
    name: str = "",
    paper: str = "",
    command_line: Mapping[str, Any] | None = None,
    published: Mapping[str, Any] | None = None,
    formerly: tuple[str, ...] = (),
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(kw_only_default=True, eq_default=False)
def model(cls: type[T] | None = None, **facts: Any) -> Any:
    """Turn annotated fields into constructor parameters and complete the docstring.

    With facts (``paper`` at least) the class also enters the registry: ``name`` on the command line, what the
    ``command_line`` fills in, the parameters it was ``published`` with, and what the class was ``formerly`` called.
    """
    if cls is not None:
        return _declared(cls)

    def declare(cls: type[T]) -> type[T]:
        declared = _declared(cls)
        register(Entry(declared, **{key: value for key, value in facts.items() if value is not None}))
        return declared

    return declare


def _declared(cls: type[T]) -> type[T]:
    doc = inspect.cleandoc(cls.__doc__ or "")
    declared = dataclass(eq=False, repr=False, kw_only=True)(cls)
    defaults = {parameter.name: parameter.default for parameter in fields(declared)}  # type: ignore[arg-type]
    for mark, text in SHARED.items():
        if mark in doc:
            doc = doc.replace(mark, shared_text(text, declared, said=set(_ENTRY.findall(doc))))
    declared.__doc__ = _DEFAULT.sub(lambda found: _written(defaults[found[1]]), doc)
    return declared


def _written(value: Any) -> str:
    """A default as docstrings write it."""
    return f"{value:g}" if isinstance(value, float) else f'"{value}"' if isinstance(value, str) else repr(value)
