"""Rows shared out among threads.

Kernels release the interpreter lock and own the rows they are given, so plain threads run them in
parallel and the result does not depend on how many there are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

#: Below this many multiply-adds the threads cost more than they save.
SMALL_WORK = 200_000
CHUNKS_PER_THREAD = 4

_limit: int | None = None


def count() -> int:
    """Threads in use: the machine's cores, ``NUMBA_NUM_THREADS``, or an enclosing `limit`."""
    if _limit is not None:
        return _limit
    asked = os.environ.get("NUMBA_NUM_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def limit(threads: int) -> Iterator[None]:
    """Use at most this many threads inside the block."""
    global _limit
    before, _limit = _limit, threads
    try:
        yield
    finally:
        _limit = before


def each(work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """work(item) of each, in order, an item to a thread: for work of many small steps, which are not worth sharing out.

    BLAS and `over_rows` keep to the thread that calls them: with more they would wait for each other.
    """
    threads = count()
    with threadpool_limits(1, user_api="blas"), limit(1), ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, items)


@lru_cache(maxsize=4)
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    # The process is part of the key: a forked child must not wait on its parent's threads.
    return ThreadPoolExecutor(threads, thread_name_prefix="manifact")


def over_rows(kernel: Callable[..., None], n_rows: int, work: float, *args: Any, costs: Any = None) -> None:
    """Call ``kernel(*args, start, stop)`` on ranges that cover all rows.

    ``work`` is the number of multiply-adds in all; ``costs`` (a CSR ``indptr``) makes ranges that cost the
    same where rows do not.
    """
    threads = count()
    if threads == 1 or work < SMALL_WORK or n_rows < 2:
        kernel(*args, 0, n_rows)
        return
    chunks = min(n_rows, threads if costs is None else threads * CHUNKS_PER_THREAD)
    if costs is None:
        bounds = np.linspace(0, n_rows, chunks + 1).astype(np.int64)
    else:
        bounds = np.searchsorted(costs, np.linspace(0, costs[-1], chunks + 1))
        bounds[0], bounds[-1] = 0, n_rows
    ranges = iter([(int(start), int(stop)) for start, stop in pairwise(bounds) if stop > start])

    def serve() -> None:
        # Whoever is free takes the next range; taking one is a single step of the interpreter.
        for start, stop in ranges:
            kernel(*args, start, stop)

    pool = _pool(threads - 1, os.getpid())
    helpers = [pool.submit(serve) for _ in range(threads - 1)]
    try:
        serve()
        for helper in helpers:
            # One that has not begun has nothing left to do.
            if not helper.cancel():
                helper.result()
    except BaseException:
        # Nobody may go on writing into arrays that the caller takes back.
        for _ in ranges:
            pass
        for helper in helpers:
            helper.cancel()
        wait(helpers)
        raise
