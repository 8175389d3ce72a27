"""Compiled functions kept on disk, where there is one to keep them on: nothing fails for the want of it.

Numba refuses to declare a function that it finds no writable folder for, and what it meets in a torn file, or on a
full disk, ends whatever called the function. Here such a function is compiled once more, in every process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from threading import RLock
from typing import Any

from numba import njit
from numba.core.compiler_lock import global_compiler_lock


def cached_njit(**options: Any) -> Callable[[Any], Any]:
    """``njit(cache=True, ...)`` that works without a cache as well."""

    def declare(function: Any) -> Any:
        dispatcher = njit(**options)(function)
        # There is none to enable where compiling is switched off.
        with suppress(RuntimeError, OSError, AttributeError):
            dispatcher.enable_caching()
            dispatcher._cache = _Forgiving(dispatcher._cache)
        return dispatcher

    return declare


class _Forgiving:
    """Numba's cache of a function, which has nothing where reading fails, and stays as it is where writing does."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """What was compiled before, or None."""
        try:
            return self._cache.load_overload(signature, context)
        except Exception:  # whatever torn bytes run into
            # An index that cannot be read could not be added to.
            with suppress(Exception):
                self._cache.flush()
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled, if that can be."""
        with suppress(Exception):
            self._cache.save_overload(signature, compiled)


def _free_compiler() -> None:
    """A thread that compiled while another forked never lets go of the compiler in the child."""
    if hasattr(global_compiler_lock, "_lock"):
        global_compiler_lock._lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_compiler)
