"""Triton kernels, one idea to a file: tensors in, tensors out, no floating-point atomics, so the same bits every time.

They are imported where a tensor lives on a GPU and Triton is there (`serve`); everything else goes through PyTorch's
own operations, to which each kernel is tested equal. Rows of factors are read in tiles of a power of two columns.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

#: Bytes of a tile of gathered rows that two warps hold in registers without spilling.
TILE_BYTES = 8192


@cache
def _compiler_is_there() -> bool:
    return find_spec("triton") is not None


def serve(P: Any) -> bool:
    """Whether these kernels work with a tensor."""
    return bool(P.is_cuda) and P.dtype.itemsize in (4, 8) and _compiler_is_there()


def padded(k: int) -> int:
    """The columns of a tile that holds k: the next power of two."""
    return max(1, 1 << (k - 1).bit_length())


def tile_rows(k: int, itemsize: int, most: int, mean: float) -> int:
    """Rows of k numbers in a tile: no more than usually come together, and than registers hold."""
    held = max(1, TILE_BYTES // (padded(k) * itemsize))
    return int(min(most, held, max(4, padded(round(mean)))))
