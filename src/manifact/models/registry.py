"""The one list of models. A class enters it where it is declared; every other list is made of this one.

Files in the rooms of models are found without being listed; other people's packages announce theirs as entry points of
the group ``manifact.models``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any

#: Rooms whose files declare models.
ROOMS = ("manifact.models", "manifact.baselines")
ENTRY_POINTS = "manifact.models"


@dataclass(frozen=True)
class Entry:
    """A model and what it says of itself."""

    cls: type[Any]
    #: Its name on the command line; "" for baselines, which are not offered there.
    name: str = ""
    #: Who published it.
    paper: str = ""
    #: Parameters that the command line sets where the user does not.
    command_line: Mapping[str, Any] = field(default_factory=dict)
    #: Parameters that make it do what its paper did.
    published: Mapping[str, Any] = field(default_factory=dict)
    #: Names of the class in files and programs of earlier versions.
    formerly: tuple[str, ...] = ()


_entries: dict[str, Entry] = {}
_complete = False


def register(entry: Entry) -> None:
    """Enter a class under its name; a class that is declared again replaces the earlier one."""
    name = entry.cls.__name__
    known = _entries.get(name)
    if known is not None and known.cls.__module__ != entry.cls.__module__:
        raise ValueError(
            f"a model {name} is already declared in {known.cls.__module__}: give the one in "
            f"{entry.cls.__module__} another name"
        )
    for other in _entries.values():
        if entry.name and other.name == entry.name and other.cls.__name__ != name:
            raise ValueError(
                f"{other.cls.__name__} is already called {entry.name!r} on the command line: "
                f"give {name} in {entry.cls.__module__} another name there"
            )
    _entries[name] = entry


def entries() -> dict[str, Entry]:
    """Every model there is, by the name of its class, in the order of names."""
    global _complete
    if not _complete:
        for room in ROOMS:
            package = import_module(room)
            for module in iter_modules(package.__path__):
                import_module(f"{room}.{module.name}")
        for point in entry_points(group=ENTRY_POINTS):
            point.load()
        _complete = True
    return dict(sorted(_entries.items()))


def on_command_line() -> dict[str, Entry]:
    """The models that ``manifact fit`` offers, by their names there."""
    return {entry.name: entry for entry in entries().values() if entry.name}


def find(class_name: str) -> Entry | None:
    """The model whose class has this name, or had it formerly."""
    known = entries()
    if class_name in known:
        return known[class_name]
    return next((entry for entry in known.values() if class_name in entry.formerly), None)
