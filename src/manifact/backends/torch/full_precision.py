"""Products of float32 in float32: a GPU may be set to round their inputs to fewer digits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def full_precision() -> Iterator[None]:
    """While inside, matrix products use all digits of float32; afterwards what the user set."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
