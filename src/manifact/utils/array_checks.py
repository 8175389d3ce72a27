"""What arrays of a file must be before compiled code sees them: it writes wherever shapes and indices say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

#: Names of sizes, such as n and k, and what they are in a file.
Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Numbers:
    """Finite numbers of a shape whose sizes have names; ``least`` is the smallest that there may be.

    >>> Numbers(("n", "k"), least=0).check("V", np.ones((3, 2)), {"n": 3, "k": 2})
    >>> Numbers(("n", "k"), least=0).check("V", -np.ones((3, 2)), {"n": 3, "k": 2})
    Traceback (most recent call last):
    ValueError: V has a value of -1, and none may be below 0
    """

    shape: tuple[str, ...]
    least: float | None = None
    #: Whether ``least`` itself is too small.
    above: bool = False
    #: Whether they are whole numbers.
    whole: bool = False
    #: Whether a sparse matrix will do.
    sparse: bool = False
    #: Whether infinity is a number, too.
    infinite: bool = False

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Raise a sentence for the first thing that is wrong; sizes that have no number yet may be any."""
        held = self.sparse and sparse.issparse(value)
        if not held and not isinstance(value, np.ndarray):
            raise ValueError(f"{name} is {type(value).__name__}, not an array")
        wanted = [sizes.get(size, size) for size in self.shape]
        if value.ndim != len(wanted) or any(
            isinstance(size, int) and size != own for size, own in zip(wanted, value.shape, strict=True)
        ):
            raise ValueError(f"{name} is {value.shape}, not {' x '.join(map(str, wanted))}")
        numbers = value.data if held else value
        # Half precision is a type of files, and of no kernel.
        if numbers.dtype.kind not in ("iu" if self.whole else "f") or (not self.whole and numbers.dtype.itemsize < 4):
            raise ValueError(f"{name} holds {numbers.dtype}, not {'whole ' if self.whole else ''}numbers")
        self._check_range(name, numbers)

    def _check_range(self, name: str, numbers: Any) -> None:
        if not self.whole and not (~np.isnan(numbers) if self.infinite else np.isfinite(numbers)).all():
            raise ValueError(f"{name} has NaN{'' if self.infinite else ' or infinity'} in it")
        if self.least is None or numbers.size == 0:
            return
        smallest = numbers.min()
        if smallest < self.least or (self.above and smallest == self.least):
            told = "all must be above" if self.above else "none may be below"
            raise ValueError(f"{name} has a value of {smallest:g}, and {told} {self.least:g}")


#: By name, what an object of a class holds.
Schema = Mapping[str, Numbers]


def check_arrays(schema: Schema, facts: Mapping[str, Any], sizes: Sizes) -> None:
    """Check what is there of a schema; what is None is not."""
    for name, numbers in schema.items():
        if facts.get(name) is not None:
            numbers.check(name, facts[name], sizes)


def check_generator(kind: Any, key: Any, position: Any, has_gauss: Any, gauss: Any) -> None:
    """Raise where this is no state of a `numpy.random.RandomState`, which reads wherever its position says."""
    if kind != "MT19937" or not isinstance(key, np.ndarray) or key.shape != (624,) or key.dtype.kind not in "iu":
        raise ValueError("a random generator of another kind")
    if type(position) is not int or not 0 <= position <= 624:
        raise ValueError(f"a random generator at {position!r}")
    if has_gauss not in (0, 1) or not isinstance(gauss, int | float):
        raise ValueError("a random generator that has drawn no number")
