"""Names that options take: looked up where they are defined, and not before somebody asks.

The models import much, so that ``manifact --help`` would take seconds if it had to know them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manifact.models.registry import Entry

#: Parameter -> what holds its names, and the module that defines it.
PLACES: Mapping[str, tuple[str, str]] = {
    "loss": ("LOSSES", "manifact.terms"),
    "init": ("INITS", "manifact.models.parameters"),
    "assign": ("ASSIGNMENTS", "manifact.models.clustering"),
    "weight": ("WEIGHTS", "manifact.graphs.knn"),
    "metric": ("METRICS", "manifact.graphs.knn"),
    "search": ("SEARCHES", "manifact.graphs.knn"),
    "device": ("NAMES", "manifact.backends.devices"),
}


def names(parameter: str) -> list[str]:
    """What the option of a parameter may be; nothing where that is not known beforehand."""
    if parameter == "model":
        return sorted(models())
    if parameter == "solver":
        return ["auto", *solvers()]
    if parameter not in PLACES:
        return []
    attribute, module = PLACES[parameter]
    return [name for name in getattr(import_module(module), attribute) if isinstance(name, str)]


def models() -> dict[str, Entry]:
    """The models by their names on the command line."""
    from manifact.models.registry import on_command_line

    return on_command_line()


def solvers() -> list[str]:
    """Who can minimise a model of the command line, with one loss or another."""
    from manifact.terms import LOSSES

    found: set[str] = set()
    for entry in models().values():
        model = entry.cls()
        losses = [{"loss": name} for name in LOSSES] if "loss" in model.get_params(deep=False) else [{}]
        found.update(name for loss in losses for name in model.set_params(**loss)._solvers)
    return sorted(found)


def former_models() -> dict[str, str]:
    """Names that models had on the command line, and those that they have now.

    >>> former_models()["joint"]
    'affinity'
    """
    found = {}
    for name, entry in models().items():
        # What the command line leaves out of the name of the class, it left out of the former one.
        ending = entry.cls.__name__.lower().removeprefix(name)
        found.update({former.lower().removesuffix(ending): name for former in entry.formerly})
    return found


def known(parameter: str, value: Any) -> Any:
    """``value``, if it is one of the names; for `manifact.cli.option_groups.given`."""
    from manifact.utils import checks

    if choices := names(parameter):
        checks.option(parameter, value, choices)
    return value


def completion(parameter: str) -> Callable[[str], list[str]]:
    """What completes a name for the shell."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names(parameter) if name.startswith(incomplete)]

    return complete
