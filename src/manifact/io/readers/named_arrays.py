"""Files of several arrays, each under a name: which of them holds the samples, and which their classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from manifact.backends import Array
from manifact.io.file_errors import refusal
from manifact.io.readers import table_checks
from manifact.utils.errors import Sentence

#: Names of samples and of classes: Deng Cai's, scikit-feature's, and others in use.
SAMPLES = ("fea", "X", "data")
CLASSES = ("gnd", "Y", "y", "label", "labels")


def name_of_samples(file: Path, names: Iterable[str], variable: str | None, possible: Sequence[str]) -> str:
    """The array of samples: the one that is asked for, one with a usual name, or the only one that is possible."""
    names = sorted(names)
    found = ", ".join(names) or "no variables"
    if variable is not None:
        if variable not in names:
            raise refusal(file, Sentence("has no {variable}={!r}, but {}", variable, found), "choose another one")
        return variable
    usual = [name for name in SAMPLES if name in names]
    if usual or len(possible) == 1:
        return usual[0] if usual else possible[0]
    raise refusal(file, f"holds {found}", Sentence("say with {variable}=… which holds the samples"))


def classes_beside(file: Path, arrays: Mapping[str, Any], samples: str, n: int) -> Array | None:
    """One class for each sample, from the array with a usual name that has n entries: others may name the classes."""
    for name in CLASSES:
        if name in arrays and name != samples:
            values = arrays[name]
            if getattr(values, "ndim", 0) in (1, 2) and prod(values.shape) == n:
                return table_checks.checked_labels(file, values, n, name)
    return None
