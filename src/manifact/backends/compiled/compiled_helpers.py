"""Threads that run kernels without the interpreter: handing its lock from one to the next takes longer than their work.

Each sits in one compiled loop for life. It waits at a semaphore, first by looking again and again for a moment, since
the next kernel of an iteration is not far; then it takes ranges of rows by counting up a number that all of them share.
A helper that comes late finds its place taken by the caller and goes back to wait.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import lru_cache
from threading import Lock, Thread
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from manifact.backends.compiled import intrinsic
from manifact.backends.compiled.compiled_calls import entry, packed, takes_arguments_as_packed
from manifact.backends.compiled.flush_to_zero import flush
from manifact.backends.compiled.kernel_cache import cached_njit

#: Looks at a semaphore before sleeping there: some tens of microseconds.
LOOKS = 4000
#: Helpers and ranges at the most.
MOST_HELPERS, MOST_RANGES = 255, 1024
#: Where things stand in the words that all threads share, each alone in its line of the cache.
_ENTRY, _ARGUMENTS, _COUNT, _TICKET, _FAILED, _WORDS = 0, 1, 2, 8, 16, 24
#: The same for semaphores (32 bytes), the caller's after the helpers', and for places, in words.
_SEMAPHORE, _PLACE = 64, 8
#: Who has a helper's place: nobody yet, the helper, or the caller, who then need not wait for it.
_FREE, _JOINED, _TAKEN = 0, 1, 2

_sem_post: Any = types.ExternalFunction("sem_post", types.int32(types.int64))
_sem_wait: Any = types.ExternalFunction("sem_wait", types.int32(types.int64))
_sem_trywait: Any = types.ExternalFunction("sem_trywait", types.int32(types.int64))


@intrinsic
def _count_up(typingctx: Any, address: Any) -> Any:
    """The number at an address, which is one more afterwards; no two threads see the same."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("add", place, ir.IntType(64)(1), "seq_cst")

    return types.int64(types.int64), generate


@intrinsic
def _put(typingctx: Any, address: Any, value: Any) -> Any:
    """Store a number; what was stored before is seen by whoever sees it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("xchg", place, args[1], "seq_cst")

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _take_place(typingctx: Any, address: Any, name: Any) -> Any:
    """Write a name where nobody's is, and whether that was so."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        pair = builder.cmpxchg(place, ir.IntType(64)(_FREE), args[1], "seq_cst", "seq_cst")
        return builder.extract_value(pair, 1)

    return types.boolean(types.int64, types.int64), generate


@intrinsic
def _call(typingctx: Any, address: Any, words: Any, start: Any, stop: Any) -> Any:
    """Status of ``entry(words, start, stop)`` at an address."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        form = ir.FunctionType(ir.IntType(32), [word.as_pointer(), word, word])
        function = builder.inttoptr(args[0], form.as_pointer())
        return builder.call(function, [builder.inttoptr(args[1], word.as_pointer()), args[2], args[3]])

    return types.int32(types.int64, types.int64, types.int64, types.int64), generate


@cached_njit()
def _wait_at(semaphore: int) -> None:
    for _ in range(LOOKS):
        if _sem_trywait(semaphore) == 0:
            return
    # An interrupt is not what it waits for.
    while _sem_wait(semaphore) != 0:
        pass


@cached_njit()
def _take_ranges(shared: Any, bounds: Any) -> None:
    address, words, count = shared[_ENTRY], shared[_ARGUMENTS], shared[_COUNT]
    ticket = shared.ctypes.data + 8 * _TICKET
    number = _count_up(ticket)
    while number < count:
        if _call(address, words, bounds[number], bounds[number + 1]) != 0:
            _put(shared.ctypes.data + 8 * _FAILED, 1)
        number = _count_up(ticket)


@cached_njit(nogil=True)
def _live(shared: Any, bounds: Any, places: Any, semaphores: int, number: int, caller: int) -> None:
    """The life of a helper."""
    place = places.ctypes.data + 8 * _PLACE * number
    while True:
        _wait_at(semaphores + _SEMAPHORE * number)
        if _take_place(place, _JOINED):
            _take_ranges(shared, bounds)
            _sem_post(caller)


@cached_njit(nogil=True)
def _share(
    shared: Any, bounds: Any, places: Any, semaphores: int, caller: int, helpers: int, address: int, words: int,
    count: int,
) -> int:  # fmt: skip
    """Call the entry at an address for ``count`` ranges, together with so many helpers; 0 if none failed."""
    shared[_ENTRY], shared[_ARGUMENTS], shared[_COUNT] = address, words, count
    shared[_TICKET], shared[_FAILED] = 0, 0
    for number in range(helpers):
        _put(places.ctypes.data + 8 * _PLACE * number, _FREE)
        _sem_post(semaphores + _SEMAPHORE * number)
    _take_ranges(shared, bounds)
    joined = 0
    for number in range(helpers):
        if not _take_place(places.ctypes.data + 8 * _PLACE * number, _TAKEN):
            joined += 1
    for _ in range(joined):
        _wait_at(caller)
    return shared[_FAILED]


class _Helpers:
    """The helpers of a process, of whom one caller at a time may ask for help."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._shared, self._bounds = np.zeros(_WORDS, dtype=np.int64), np.zeros(MOST_RANGES + 1, dtype=np.int64)
        self._places = np.full(_PLACE * MOST_HELPERS, _TAKEN, dtype=np.int64)
        self._memory = np.zeros(_SEMAPHORE * (MOST_HELPERS + 1), dtype=np.uint8)
        self._semaphores = int(self._memory.ctypes.data)
        self._caller = self._semaphores + _SEMAPHORE * MOST_HELPERS
        self._alive = 0
        for number in range(MOST_HELPERS + 1):
            ctypes.CDLL(None).sem_init(ctypes.c_void_p(self._semaphores + _SEMAPHORE * number), 0, 0)

    def share(self, kernel: Any, args: tuple[Any, ...], bounds: Any, helpers: int) -> bool:
        """Call the kernel on the ranges between bounds; False, and nothing done, while another caller is helped."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            address, words = entry(kernel, args), packed(args)
            self._bounds[: len(bounds)] = bounds
            while self._alive < helpers:
                Thread(target=self._live, args=(self._alive,), name="manifact", daemon=True).start()
                self._alive += 1
            failed = _share(
                self._shared, self._bounds, self._places, self._semaphores, self._caller, helpers, address,
                words.buffer_info()[0], len(bounds) - 1,
            )  # fmt: skip
        finally:
            self._lock.release()
        if failed:
            raise MemoryError(f"{kernel.__name__} could not finish: free some memory, or use fewer threads")
        return True

    def _live(self, number: int) -> None:
        flush()
        _live(self._shared, self._bounds, self._places, self._semaphores, number, self._caller)


@lru_cache(maxsize=1)
def _helpers(process: int) -> _Helpers:
    # The process is part of the key: a forked child has none of its parent's threads.
    return _Helpers()


@lru_cache(maxsize=1)
def _can_share() -> bool:
    """Whether there are such semaphores, and kernels take their arguments as this version of Numba lays them out."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return takes_arguments_as_packed()
    except Exception:
        # Numba promises nothing of what is asked of it here; other threads can do the work.
        return False


def shared_by_compiled(kernel: Any, args: tuple[Any, ...], bounds: Any, helpers: int) -> bool:
    """Call ``kernel(*args, start, stop)`` between bounds, here and in so many helpers; False where that cannot be."""
    if not hasattr(kernel, "overloads") or len(bounds) > MOST_RANGES or not _can_share():
        return False
    return _helpers(os.getpid()).share(kernel, args, bounds, min(helpers, MOST_HELPERS))
