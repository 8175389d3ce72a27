"""Files of several arrays: which holds the samples, and which their classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from manifact.backends import Array
from manifact.io.readers import tables
from manifact.io.readers.matlab_arrays import CLASSES, SAMPLES
from manifact.io.readers.problems import refusal


def chosen(file: Path, names: Iterable[str], variable: str | None, possible: Sequence[str]) -> str:
    """The array of samples: the one that is asked for, one with a usual name, or the only one that is possible."""
    names = sorted(names)
    found = ", ".join(names) or "no variables"
    if variable is not None:
        if variable not in names:
            raise refusal(file, f"has no variable={variable!r}, but {found}", "choose another one")
        return variable
    usual = [name for name in SAMPLES if name in names]
    if usual or len(possible) == 1:
        return usual[0] if usual else possible[0]
    raise refusal(file, f"holds {found}", "say with variable=… which holds the samples")


def classes(file: Path, arrays: Mapping[str, Any], samples: str, n: int) -> Array | None:
    """One class for each sample, from the array with a usual name that has n entries: others may name the classes."""
    for name in CLASSES:
        if name in arrays and name != samples:
            values = arrays[name]
            if getattr(values, "ndim", 0) in (1, 2) and prod(values.shape) == n:
                return tables.labels(file, values, n, name)
    return None
