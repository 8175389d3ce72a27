"""Threads that wait for ranges of rows, and a piece of work that they share with whoever asked for it.

Waking one costs a lock, and nothing is waited for but ranges that somebody has begun: a helper that comes late finds
its place taken by the caller, and goes back to sleep.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

Range = tuple[int, int]


class SharedWork:
    """Ranges of rows that several threads take from, until none is left.

    Every step that two threads could both take is a single one of the interpreter, so that it needs no lock, and an
    interrupt between two steps leaves nothing half done.
    """

    def __init__(self, kernel: Callable[..., None], args: tuple[Any, ...], ranges: Iterator[Range]) -> None:
        self._kernel, self._args, self._ranges = kernel, args, ranges
        #: Who has taken the place of each helper: itself, or the caller, who then need not wait for it.
        self._places: dict[int, str] = {}
        self._finished: set[int] = set()
        self._signals: SimpleQueue[None] = SimpleQueue()
        self._errors: list[BaseException] = []

    def serve(self) -> None:
        """Work on ranges while there are any."""
        kernel, args = self._kernel, self._args
        for start, stop in self._ranges:
            kernel(*args, start, stop)

    def help(self, place: int) -> None:
        """The same, as a helper that may have come too late; what goes wrong is kept for the caller."""
        if self._places.setdefault(place, "helper") != "helper":
            return
        try:
            self.serve()
        except BaseException as error:
            self._errors.append(error)
            self.abandon()
        finally:
            self._finished.add(place)
            self._signals.put(None)

    def abandon(self) -> None:
        """Leave no range for anybody to begin."""
        for _ in self._ranges:
            pass

    def wait(self, places: int) -> None:
        """Until every helper that has begun is done."""
        for place in range(places):
            if self._places.setdefault(place, "caller") == "helper":
                while place not in self._finished:
                    self._signals.get()

    def raise_first_error(self) -> None:
        """What went wrong in a helper goes on in the caller."""
        if self._errors:
            raise self._errors[0]


class _Helper:
    """A thread that sleeps until it is given work. It computes with subnormal numbers as zeros all its life."""

    def __init__(self, place: int) -> None:
        self._place = place
        self._wake = Lock()
        self._wake.acquire()
        self._called = False
        self._work: SharedWork | None = None
        Thread(target=self._live, name=f"manifact-{place}", daemon=True).start()

    def call(self, work: SharedWork) -> None:
        """Wake it for this work. One that has not begun the last forgets it: its caller does not wait."""
        self._work = work
        if not self._called:
            self._called = True
            self._wake.release()

    def _live(self) -> None:
        from manifact.backends.compiled.flush_to_zero import flush

        flush()
        while True:
            self._wake.acquire()
            # In this order: whoever calls from here on either is seen below, or wakes it once more.
            self._called = False
            work, self._work = self._work, None
            if work is not None:
                work.help(self._place)
            # While it sleeps it must not hold on to arrays.
            del work


@lru_cache(maxsize=1)
def _helpers(process: int) -> list[_Helper]:
    # The process is part of the key: a forked child must not wait for its parent's threads.
    return []


def share(kernel: Callable[..., None], args: tuple[Any, ...], ranges: Iterator[Range], helpers: int) -> None:
    """Call ``kernel(*args, start, stop)`` for all ranges, in this thread and in so many helpers."""
    pool = _helpers(os.getpid())
    while len(pool) < helpers:
        pool.append(_Helper(len(pool)))
    work = SharedWork(kernel, args, ranges)
    for helper in pool[:helpers]:
        helper.call(work)
    try:
        work.serve()
        work.wait(helpers)
    except BaseException:
        # Nobody may go on writing into arrays that the caller takes back.
        work.abandon()
        work.wait(helpers)
        raise
    work.raise_first_error()
