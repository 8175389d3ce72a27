"""Which members of a class the reference shows: ours, and not those of scikit-learn's base classes."""

from __future__ import annotations

import importlib
import inspect
from typing import Any


def own_methods(fullname: str) -> list[str]:
    """Public methods of a class that are written in this package, fitting first."""
    cls = _object(fullname)
    names = [name for name in dir(cls) if not name.startswith("_") and _is_ours(inspect.getattr_static(cls, name))]
    first = ("fit", "fit_transform", "fit_predict", "transform", "predict", "build")
    return sorted(names, key=lambda name: (first.index(name) if name in first else len(first), name))


def own_attributes(fullname: str) -> list[str]:
    """Documented properties of a class that are written in this package.

    What ``fit`` makes ends in an underscore, and stands among the attributes in the docstring of its class.
    """
    cls = _object(fullname)
    names = [name for name in dir(cls) if not name.startswith("_") and not name.endswith("_")]
    members = {name: inspect.getattr_static(cls, name) for name in names}
    return [name for name, member in members.items() if _property(member) is not None and _is_ours(_property(member))]


def _object(fullname: str) -> Any:
    module, _, name = fullname.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _property(member: Any) -> Any:
    return getattr(member, "fget", None) or (
        getattr(member, "func", None) if type(member).__name__ == "cached_property" else None
    )


def _is_ours(member: Any) -> bool:
    # Methods that only some settings have (scikit-learn's ``available_if``) keep the function in ``fn``.
    function = getattr(member, "fn", member)
    function = getattr(function, "__func__", function)
    function = inspect.unwrap(function) if callable(function) else function
    module = getattr(function, "__module__", None) or ""
    return inspect.isfunction(function) and module.startswith("manifact") and bool(function.__doc__)
