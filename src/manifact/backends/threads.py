"""Rows shared out among threads.

Kernels release the interpreter lock and own the rows they are given, so plain threads run them in
parallel and the result does not depend on how many there are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from threading import local
from time import perf_counter
from typing import Any

import numpy as np

from manifact.backends.helper_threads import share

#: A thread is worth waking for so many multiply-adds.
SMALL_WORK = 200_000
#: A number that is only read and written takes about as long as so many multiply-adds.
PER_NUMBER = 4
#: Ranges of rows that a thread takes, one after the other, at the most: whoever is free takes the next.
CHUNKS_PER_THREAD = 4


class _Limit(local):
    """Of the calling thread: fits that run beside each other do not end each other's limits."""

    threads: int | None = None


_limit = _Limit()


@dataclass
class Shares:
    """Seconds spent inside `over_rows`, and how often it was called."""

    #: In work that is worth several threads, however many there are.
    shared: float = 0.0
    #: In work that is too small for that.
    alone: float = 0.0
    calls: int = 0


_shares: Shares | None = None


def count() -> int:
    """Threads in use: the machine's cores, ``NUMBA_NUM_THREADS``, or an enclosing `limit`."""
    if _limit.threads is not None:
        return _limit.threads
    asked = os.environ.get("NUMBA_NUM_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def limit(threads: int) -> Iterator[None]:
    """Use at most this many threads inside the block, for what the calling thread asks for."""
    before, _limit.threads = _limit.threads, threads
    try:
        yield
    finally:
        _limit.threads = before


@contextmanager
def measured() -> Iterator[Shares]:
    """How much of the time inside the block goes into work over rows: the rest is one thread's, whatever there is.

    Under ``limit(1)`` this is the share that other threads could take over (Amdahl's law).
    """
    global _shares
    before, _shares = _shares, Shares()
    try:
        yield _shares
    finally:
        _shares = before


def each(work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """work(item) of each, in order, an item to a thread: for work of many small steps, which are not worth sharing out.

    BLAS and `over_rows` keep to the thread that calls them: with more they would wait for each other.
    """
    from manifact.backends.blas_threads import ONE_BLAS_THREAD

    def alone(item: Any) -> Any:
        with limit(1):
            return work(item)

    with ONE_BLAS_THREAD, ThreadPoolExecutor(count()) as pool:
        yield from pool.map(alone, items)


def over_rows(kernel: Callable[..., None], n_rows: int, work: float, *args: Any, costs: Any = None) -> None:
    """Call ``kernel(*args, start, stop)`` on ranges that cover all rows.

    ``work`` is the number of multiply-adds in all, from which the number of threads follows; ``costs`` (a CSR
    ``indptr``) makes ranges that cost the same where rows do not. Subnormal numbers are zero inside.
    """
    worth = max(1, min(n_rows, int(work / max(SMALL_WORK, 1))))
    if _shares is None:
        _over_rows(kernel, n_rows, worth, args, costs)
        return
    begun = perf_counter()
    _over_rows(kernel, n_rows, worth, args, costs)
    spent = perf_counter() - begun
    _shares.calls += 1
    if worth > 1:
        _shares.shared += spent
    else:
        _shares.alone += spent


def _over_rows(kernel: Callable[..., None], n_rows: int, worth: int, args: tuple[Any, ...], costs: Any) -> None:
    # Counting takes longer than small work does.
    threads = 1 if worth == 1 else min(count(), worth)
    flush, restore = _flushing()
    before = flush()
    try:
        if threads == 1:
            kernel(*args, 0, n_rows)
        else:
            bounds = _bounds(n_rows, min(worth, threads * CHUNKS_PER_THREAD), costs)
            if not _shared_by_compiled()(kernel, args, bounds, threads - 1):
                share(kernel, args, iter(pairwise(bounds.tolist())), threads - 1)
    finally:
        # The caller's own arithmetic keeps its small numbers.
        restore(before)


def _bounds(n_rows: int, chunks: int, costs: Any) -> Any:
    """Where ranges begin and end: rows that are alike in number, or in cost."""
    if costs is None:
        return np.arange(chunks + 1) * n_rows // chunks
    ends = np.arange(chunks + 1) * int(costs[-1]) // chunks
    bounds = costs.searchsorted(ends.astype(costs.dtype))
    bounds[0], bounds[-1] = 0, n_rows
    # Sorted as they are; this is done for every product, and sorting anew would take longer than all the rest.
    first = np.ones(len(bounds), dtype=bool)
    np.not_equal(bounds[1:], bounds[:-1], out=first[1:])
    return bounds[first]


@lru_cache(maxsize=1)
def _flushing() -> tuple[Callable[[], int], Callable[[int], None]]:
    # Not before there is work: loading the compiler takes longer than all else that is imported.
    from manifact.backends.compiled.flush_to_zero import flush, restore

    return flush, restore


@lru_cache(maxsize=1)
def _shared_by_compiled() -> Callable[..., bool]:
    from manifact.backends.compiled.compiled_helpers import shared_by_compiled

    return shared_by_compiled
