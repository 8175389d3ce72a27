"""Warnings of a run, which are kept beside its result."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from manifact.models.collapse import CollapseWarning

#: How a result names its warnings.
KEY = "warnings"


@contextmanager
def recorded() -> Iterator[list[Warning]]:
    """The warnings of the block, which are in the list when it is left, and are not shown."""
    found: list[Warning] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # What will go in a later version of a library says nothing about a result.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        # The papers' λ does that to V, and their k-means sees through it: the scores beside it say how well.
        warnings.simplefilter("ignore", CollapseWarning)
        yield found
    found.extend(each.message if isinstance(each.message, Warning) else UserWarning(each.message) for each in caught)


def issue(found: Iterable[Warning]) -> None:
    """Warn again of what was recorded earlier."""
    for each in found:
        warnings.warn(each, stacklevel=2)


def texts(found: Iterable[Warning]) -> list[str]:
    """Each of them once, in the order of the alphabet."""
    return sorted({f"{type(each).__name__}: {' '.join(str(each).split())}" for each in found})
