"""Refuse what would not fit, with an estimate, before the work starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from manifact.utils import system_memory
from manifact.utils.errors import Sentence, TooLargeError
from manifact.utils.sizes import shown_size, size_in_bytes

#: Says how much memory the process may take, as `memory_limit` does, where no block says otherwise.
VARIABLE = "MANIFACT_MEMORY_LIMIT"

_limit: ContextVar[int | None] = ContextVar("memory_limit", default=None)


@contextmanager
def memory_limit(size: int | str | None) -> Iterator[None]:
    """Inside the block this process is to take no more than ``size`` of memory, all that it holds already included.

    What would need more is refused before the work starts, with the numbers; samples in blocks are cut accordingly. A
    number of bytes, or a text such as "4G"; None means what the system leaves, and nothing ever goes beyond that: what
    the machine has free, control groups (containers, batch systems) and ``ulimit`` together. The environment variable
    ``MANIFACT_MEMORY_LIMIT`` does the same for a whole process.

    Examples
    --------
    >>> import manifact, numpy as np
    >>> with manifact.memory_limit("1M"):
    ...     manifact.NMF(n_components=2).fit(np.ones((4, 3)))
    Traceback (most recent call last):
    manifact.utils.errors.TooLargeError: ... would need about ... and 0 B are free: ...
    """
    before = _limit.set(None if size is None else size_in_bytes("size", size))
    try:
        yield
    finally:
        _limit.reset(before)


def available() -> int | None:
    """Bytes of memory that may still be taken, or None where neither system nor user says.

    The least of what the machine has free, control groups and process limits leave, and the user allows.
    """
    found = (
        system_memory.free_on_machine(),
        system_memory.free_in_control_groups(),
        system_memory.free_by_process_limits(),
        _allowed_by_user(),
    )
    return min((left for left in found if left is not None), default=None)


def _allowed_by_user() -> int | None:
    limit, asked = _limit.get(), os.environ.get(VARIABLE, "").strip()
    if limit is None and asked:
        limit = size_in_bytes(VARIABLE, asked)
    return None if limit is None else max(0, limit - system_memory.resident())


def held_bytes(X: Any) -> int:
    """Bytes of an array, or of a sparse matrix; 0 of what does not say."""
    if hasattr(X, "indptr"):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    return int(getattr(X, "nbytes", 0))


def fits(n_bytes: float) -> bool:
    """Whether so many bytes are available, as far as the system says."""
    free = available()
    return free is None or n_bytes <= free


def require(n_bytes: float, what: Any, remedy: str | Sentence) -> None:
    """Raise `MemoryError` if ``what`` needs more bytes than are available."""
    free = available()
    if free is not None and n_bytes > free:
        needed, left = shown_size(n_bytes), shown_size(free)
        raise TooLargeError("{} would need about {} and {} are free: {}", what, needed, left, remedy)
