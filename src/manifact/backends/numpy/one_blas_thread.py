"""BLAS on one thread, where our own threads share out the work."""

from __future__ import annotations

import os
from functools import lru_cache
from threading import Lock
from typing import Any

import scipy.linalg  # noqa: F401  (its BLAS is another than NumPy's, and is loaded with it)
from threadpoolctl import ThreadpoolController


class _OneBlasThread:
    """Inside, BLAS keeps to the thread that calls it.

    Our threads share out the work, and its own would go on spinning beside them for a while after each product. It
    also makes products independent of the number of threads. Several may be inside at once, and the last one to
    leave gives BLAS its threads back.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._before: list[int] = []
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave_parents)

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._before = [library.num_threads for library in _libraries()]
                for library in _libraries():
                    library.set_num_threads(1)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                for library, threads in zip(_libraries(), self._before, strict=True):
                    library.set_num_threads(threads)

    def _leave_parents(self) -> None:
        """A forked child has none of the threads that are inside, or that hold the lock: they never leave."""
        self._lock = Lock()
        if self._inside:
            self._inside = 1
            self.__exit__()


@lru_cache(maxsize=1)
def _libraries() -> list[Any]:
    """The libraries in memory, looked for once: each time would take longer than most of what is done inside."""
    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


ONE_BLAS_THREAD = _OneBlasThread()
