"""One file per paper: its objective, its equations, its parameters; and one that goes beyond them."""

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manifact.models.affinitynmf import AffinityNMF
    from manifact.models.alpnmf import ALPNMF
    from manifact.models.cf import CF
    from manifact.models.gnmf import GNMF
    from manifact.models.lccf import LCCF
    from manifact.models.lcf import LCF
    from manifact.models.lpnmf import LPNMF
    from manifact.models.nmf import NMF
    from manifact.models.spnmf import SPNMF

__all__ = ["ALPNMF", "CF", "GNMF", "LCCF", "LCF", "LPNMF", "NMF", "SPNMF", "AffinityNMF"]


def __getattr__(name: str) -> Any:
    return model_of(__name__, name)


def model_of(module: str, name: str) -> Any:
    """The model that a module offers under a name that the class has or had."""
    from manifact.models.registry import find

    # Names of classes begin with a capital; others are files of this room, which Python finds by itself.
    entry = find(name) if name[:1].isupper() else None
    if entry is None or not entry.name:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    if name in entry.formerly:
        warnings.warn(
            f"{name} is now called {entry.cls.__name__}: the old name goes with version 1.0",
            DeprecationWarning,
            stacklevel=3,
        )
    return entry.cls


def __dir__() -> list[str]:
    return sorted(__all__)
