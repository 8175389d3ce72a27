"""Samples of the host on a device, or, where they do not fit, ready to be brought there block by block."""

from __future__ import annotations

from typing import Any

import torch
from scipy import sparse

from manifact.backends.torch.host_samples import HostSamples
from manifact.backends.torch.tensors import as_tensor

#: The share of a device's free memory that X may take; the rest is for factors and what is made of them.
SHARE = 0.6
#: Blocks that are streamed: this share of the free memory, and at the most so many bytes: more makes nothing faster.
BLOCK_SHARE, MOST_BYTES = 1 / 16, 1 << 30


def placed(X: Any, device: Any, free: int | None = None) -> Any:
    """An array or sparse matrix of the host as a tensor there; `HostSamples` where it would not fit.

    ``free`` is the memory that may be used, in bytes; None: what the device says. A device without a say holds all.
    """
    available = _free(device) if free is None else free
    if available is None or needed(X) <= SHARE * available:
        return as_tensor(X, device)
    return HostSamples(X, device, max(1, int(min(MOST_BYTES, BLOCK_SHARE * available))))


def needed(X: Any) -> int:
    """Bytes of X on a device: sparse X has a copy by columns, and one in the making."""
    if not sparse.issparse(X):
        return int(X.shape[0] * X.shape[1] * X.dtype.itemsize)
    width = 4 if max(X.nnz, *X.shape) < 2**31 else 8
    return int(3 * X.nnz * (X.dtype.itemsize + width))


def _free(device: Any) -> int | None:
    """Bytes that are free on a GPU."""
    device = torch.device(device)
    if device.type != "cuda":
        return None
    free, _ = torch.cuda.mem_get_info(device)
    return int(free)


def out_of_memory(trouble: BaseException, shape: tuple[int, int], k: int, itemsize: int) -> str | None:
    """What to do where a device had too little memory for a fit; None for other troubles."""
    if not isinstance(trouble, torch.OutOfMemoryError):
        return None
    # A fit holds about so many copies of V at a time: two iterates, their products, and what is made of them.
    factor = 12 * shape[0] * itemsize
    free = torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved()
    fits = max(1, int(free // (2 * factor)))
    return (
        f"the GPU has too little memory for {shape[0]} samples and n_components={k}: about n_components={fits} would "
        "fit beside X, or use device='cpu'"
    )
