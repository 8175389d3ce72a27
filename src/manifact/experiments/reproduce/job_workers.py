"""Who does groups of jobs: this process, or some processes beside it, which take the next group as soon as they can."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from threadpoolctl import threadpool_limits

from manifact.backends import threads
from manifact.utils.progress import Advance

#: What libraries beneath NumPy and scikit-learn read when they are loaded.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
#: Does a group of jobs, and tells how far it is.
Serve = Callable[[Sequence[Any], Advance], None]


class Ended(NamedTuple):
    """A group that is done: whose it was, and why it failed if it did."""

    owner: Hashable
    failure: Exception | None = None


class Workers(Protocol):
    """Does groups in the order in which they are added, one or more at a time."""

    def add(self, group: Sequence[Any], owner: Hashable) -> None:
        """A group more."""

    def next(self) -> Ended | None:
        """The next group that ends, waited for; None where there is none left."""


@contextmanager
def working(serve: Serve, count: int, advance: Advance) -> Iterator[Workers]:
    """So many workers for the block, which are ended with it, whatever they do."""
    # One thread each, here as in a process of its own: the last digits of a sum depend on how many share it.
    with threadpool_limits(1), threads.limit(1):
        if count == 1:
            yield _Here(serve, advance)
            return
        beside = _Beside(serve, count, advance)
        try:
            yield beside
        except BaseException:
            beside.stop()
            raise
        beside.end()


class _Here:
    """One group after the other, in this process."""

    def __init__(self, serve: Serve, advance: Advance) -> None:
        self._serve, self._advance = serve, advance
        self._waiting: deque[tuple[Hashable, Sequence[Any]]] = deque()

    def add(self, group: Sequence[Any], owner: Hashable) -> None:
        self._waiting.append((owner, group))

    def next(self) -> Ended | None:
        if not self._waiting:
            return None
        owner, group = self._waiting.popleft()
        try:
            self._serve(group, self._advance)
        except Exception as failure:
            return Ended(owner, failure)
        return Ended(owner)


class _Beside:
    """Processes beside this one, started with the first group."""

    def __init__(self, serve: Serve, count: int, advance: Advance) -> None:
        self._serve, self._count, self._advance = serve, count, advance
        self._pool: ProcessPoolExecutor | None = None
        self._running: dict[Future[None], tuple[Hashable, int]] = {}

    def add(self, group: Sequence[Any], owner: Hashable) -> None:
        if self._pool is None:
            # Fresh interpreters rather than forks: a fork would inherit the threads of BLAS in whatever state they are.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._count, mp_context=context, initializer=_begin)
        self._running[self._pool.submit(self._serve, group, _untold)] = (owner, len(group))

    def next(self) -> Ended | None:
        if not self._running:
            return None
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        future = done.pop()
        owner, size = self._running.pop(future)
        failure = future.exception()
        if failure is not None and not isinstance(failure, Exception):
            raise failure
        self._advance(size)
        return Ended(owner, failure)

    def end(self) -> None:
        """Once all is done."""
        if self._pool is not None:
            self._pool.shutdown()

    def stop(self) -> None:
        """End the processes now: what they have in flight is done again the next time."""
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


def _untold(amount: float) -> None:
    """In a process of its own nobody sees how far a group is."""


def _begin() -> None:
    """Make a worker: one thread, deaf to Ctrl-C (its parent decides), gone when its parent is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    # Two workers with two threads each on two cores wait for each other more than they work. Libraries that are
    # loaded already are told, those that come later read it.
    os.environ.update(dict.fromkeys(THREADS, "1"))
    threadpool_limits(1)


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
