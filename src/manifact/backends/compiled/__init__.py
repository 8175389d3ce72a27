"""What lies under the kernels: how a thread computes, and threads that run compiled code without the interpreter."""

from __future__ import annotations

from typing import Any

from numba.extending import intrinsic as _intrinsic


def intrinsic(function: Any) -> Any:
    """Mark what emits instructions; kernels call it without the typing context that comes first here."""
    return _intrinsic(function)
