"""BLAS on one thread, where our own threads share out the work."""

from __future__ import annotations

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
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._limits = _controller().limit(limits=1, user_api="blas")

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limits.restore_original_limits()


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """Looks for the libraries in memory once: each time would take longer than most of what is done inside."""
    return ThreadpoolController()


ONE_BLAS_THREAD = _OneBlasThread()
