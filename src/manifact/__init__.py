"""Non-negative matrix factorisation that respects the geometry of the data.

Names load on first use, so ``import manifact`` costs nothing until a model is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from manifact._version import __version__

if TYPE_CHECKING:
    from manifact.models import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, JointNMF
    from manifact.saving import load
    from manifact.selection import select

_MODELS = ("ALPNMF", "CF", "GNMF", "LCCF", "LCF", "LPNMF", "NMF", "SPNMF", "JointNMF")
_MODULES = ("baselines", "datasets", "graphs", "metrics", "models", "plot", "preparation", "reading", "report")
_FUNCTIONS = {"load": "manifact.saving", "select": "manifact.selection"}

__all__ = [
    "ALPNMF",
    "CF",
    "GNMF",
    "LCCF",
    "LCF",
    "LPNMF",
    "NMF",
    "SPNMF",
    "JointNMF",
    "__version__",
    "baselines",
    "datasets",
    "graphs",
    "load",
    "metrics",
    "models",
    "plot",
    "preparation",
    "reading",
    "report",
    "select",
]


def __getattr__(name: str) -> Any:
    if name in _MODELS:
        return getattr(import_module("manifact.models"), name)
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    if name in _MODULES:
        return import_module(f"manifact.{name}")
    raise AttributeError(f"module 'manifact' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
