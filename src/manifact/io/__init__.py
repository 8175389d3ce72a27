"""Files in and out: what people have is read and prepared, what a model makes of it is written.

Names load on first use, so ``import manifact.io`` costs nothing until a file is read.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manifact.io.out_of_core import open_blocks
    from manifact.io.preparation import SCALES, Preparation, learn, learn_and_apply
    from manifact.io.readers import Samples, check, known, read, read_graph, read_matrix, read_words
    from manifact.io.writers import write_labels, write_matrix, write_table

#: Public names, by the module that has them.
_HOMES = {
    "readers": ("Samples", "check", "known", "read", "read_graph", "read_matrix", "read_words"),
    "out_of_core": ("open_blocks",),
    "preparation": ("SCALES", "Preparation", "learn", "learn_and_apply"),
    "writers": ("write_labels", "write_matrix", "write_table"),
}

__all__ = [
    "SCALES",
    "Preparation",
    "Samples",
    "check",
    "known",
    "learn",
    "learn_and_apply",
    "open_blocks",
    "read",
    "read_graph",
    "read_matrix",
    "read_words",
    "write_labels",
    "write_matrix",
    "write_table",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"manifact.io.{home}"), name)
    raise AttributeError(f"module 'manifact.io' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
