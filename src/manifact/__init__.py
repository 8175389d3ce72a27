"""Non-negative matrix factorisation that respects the geometry of the data.

Names load on first use, so ``import manifact`` costs nothing until a model is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from manifact._version import __version__

if TYPE_CHECKING:
    from manifact.io.model_files import load, save
    from manifact.models import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
    from manifact.selection import select
    from manifact.utils.memory import memory_limit

_MODULES = ("anndata", "baselines", "datasets", "graphs", "io", "metrics", "models", "plot", "report")
_FUNCTIONS = {
    "load": "manifact.io.model_files",
    "memory_limit": "manifact.utils.memory",
    "save": "manifact.io.model_files",
    "select": "manifact.selection",
}

__all__ = [
    "ALPNMF",
    "CF",
    "GNMF",
    "LCCF",
    "LCF",
    "LPNMF",
    "NMF",
    "SPNMF",
    "AffinityNMF",
    "__version__",
    "anndata",
    "baselines",
    "datasets",
    "graphs",
    "io",
    "load",
    "memory_limit",
    "metrics",
    "models",
    "plot",
    "report",
    "save",
    "select",
]


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    if name in _MODULES:
        return import_module(f"manifact.{name}")
    if name[:1].isupper():
        # A model, under the name that it has or had.
        return import_module("manifact.models").model_of(__name__, name)
    raise AttributeError(f"module 'manifact' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
