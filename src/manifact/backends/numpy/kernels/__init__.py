"""Numba kernels: arrays in, arrays out, for the rows ``start`` to ``stop``.

Each has a plain twin in ``tests/reference/kernels.py`` and is tested equal to it.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from manifact.backends.compiled.kernel_cache import cached_njit

#: Sums may be reordered, so that inner products are vectorised. NaN and infinity keep their meaning.
_FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


#: Nobody calls kernels from C, and what that takes is compiled as long as some kernels are.
_OPTIONS: dict[str, Any] = {
    "nogil": True, "fastmath": _FASTMATH, "error_model": "numpy", "no_cfunc_wrapper": True,
}  # fmt: skip
_INSIDE: dict[str, Any] = {"no_cpython_wrapper": True}


def kernel(function: Any) -> Any:
    """Compile on first call, keep on disk if there is one, run without the interpreter lock."""
    return cached_njit(**_OPTIONS)(function)


def called_by_kernels(function: Any) -> Any:
    """Compile into the kernels that call it, and into nothing else: Python cannot call it."""
    return njit(**_OPTIONS, **_INSIDE)(function)
