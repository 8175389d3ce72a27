"""Numba kernels: arrays in, arrays out, for the rows ``start`` to ``stop``.

Each has a plain twin in ``tests/reference/kernels.py`` and is tested equal to it.
"""

from __future__ import annotations

from typing import Any

from numba import njit

#: Sums may be reordered, so that inner products are vectorised. NaN and infinity keep their meaning.
_FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


def kernel(function: Any) -> Any:
    """Compile on first call, keep on disk, run without the interpreter lock."""
    return njit(nogil=True, cache=True, fastmath=_FASTMATH, error_model="numpy", no_cfunc_wrapper=True)(function)


def called_by_kernels(function: Any) -> Any:
    """Compile into the kernels that call it, and into nothing else: what Python would need to call it takes as long."""
    return njit(
        nogil=True, fastmath=_FASTMATH, error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True
    )(function)
