"""Samples that stay on the host because a device cannot hold them, and are brought there a block of rows at a time."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from scipy import sparse

from manifact.backends.torch.tensors import sparse_csr
from manifact.utils.sparse_matrices import sorted_csr

#: Arrays below so many bytes share pages with others, which are pinned whole, and are copied soon enough.
WORTH_PINNING = 1 << 20


class HostSamples:
    """X of the host that is worked with on a device. It has the shape and type of a tensor, and a tensor's device."""

    #: Whose arrays these count as.
    package: ClassVar[str] = "torch"
    ndim: ClassVar[int] = 2

    def __init__(self, X: Any, device: Any, block_bytes: int) -> None:
        self.host: Any = sorted_csr(X) if sparse.issparse(X) else np.ascontiguousarray(X)
        self.device = torch.device(device)
        self.block_bytes = block_bytes
        self.shape = tuple(self.host.shape)
        self.dtype = {"float32": torch.float32, "float64": torch.float64}[str(self.host.dtype)]
        self.is_sparse = sparse.issparse(self.host)
        self.ranges = list(self._cut())
        held: Any = self.host
        parts = (held.indptr, held.indices, held.data) if self.is_sparse else (held,)
        self._parts = [_pinned(part, self.device) for part in parts]

    def _cut(self) -> Iterator[tuple[int, int]]:
        """Rows of about so many bytes together."""
        n, m = self.shape
        if self.is_sparse:
            each = self.host.dtype.itemsize + self.host.indices.itemsize
            goals = np.arange(0, self.host.nnz * each, max(1, self.block_bytes)) // each
            bounds = np.unique(np.concatenate([np.searchsorted(self.host.indptr[:-1], goals), [0, n]]))
        else:
            rows = max(1, self.block_bytes // max(1, m * self.host.dtype.itemsize))
            bounds = np.append(np.arange(0, n, rows), n)
        return ((int(start), int(stop)) for start, stop in pairwise(bounds))

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Rows and their block of X as a tensor; the next one is on its way while this one is worked with."""
        if self.device.type != "cuda":
            for start, stop in self.ranges:
                yield slice(start, stop), self._block(start, stop)
            return
        copying, working = torch.cuda.Stream(self.device), torch.cuda.current_stream(self.device)
        waiting: tuple[slice, Any, Any] | None = None
        for start, stop in [*self.ranges, (0, 0)]:
            coming = None
            if stop:
                with torch.cuda.stream(copying):
                    block, arrived = self._block(start, stop), torch.cuda.Event()
                    arrived.record(copying)
                coming = slice(start, stop), block, arrived
            if waiting is not None:
                rows, block, arrived = waiting
                working.wait_event(arrived)
                yield rows, block
                # Its memory is not given to the next copy before the work on it is done.
                for part in _arrays(block):
                    part.record_stream(working)
                done = torch.cuda.Event()
                done.record(working)
                copying.wait_event(done)
            waiting = coming

    def _block(self, start: int, stop: int) -> Any:
        if not self.is_sparse:
            return self._parts[0][start:stop].to(self.device, non_blocking=True)
        indptr, indices, values = self._parts
        begin, end = int(indptr[start]), int(indptr[stop])
        here = (indptr[start : stop + 1], indices[begin:end], values[begin:end])
        counts, columns, entries = (part.to(self.device, non_blocking=True) for part in here)
        return sparse_csr(counts - begin, columns, entries, (stop - start, self.shape[1]), self.device)

    def beside(self, X: Any) -> HostSamples:
        """Other samples of the host, for the same device and in blocks of the same size."""
        return HostSamples(X, self.device, self.block_bytes)

    def row(self, j: int) -> Any:
        """Row j, dense."""
        row = self.host[[j]].toarray()[0] if self.is_sparse else self.host[j]
        return torch.as_tensor(row, device=self.device)


def _arrays(block: Any) -> tuple[Any, ...]:
    if block.layout == torch.sparse_csr:
        return block.crow_indices(), block.col_indices(), block.values()
    return (block,)


def _pinned(array: Any, device: torch.device) -> Any:
    """A tensor in the same memory, which the device may read directly where it is the process's own."""
    with warnings.catch_warnings():
        # PyTorch has no tensors that must not be written, and says so; nobody writes to this one.
        warnings.simplefilter("ignore", UserWarning)
        tensor = torch.from_numpy(array)
    if device.type == "cuda" and array.nbytes >= WORTH_PINNING and array.flags.writeable:
        runtime, address = torch.cuda.cudart(), tensor.data_ptr()
        if int(runtime.cudaHostRegister(address, array.nbytes, 0)) == 0:
            weakref.finalize(tensor, runtime.cudaHostUnregister, address)
        else:
            # Memory that is pinned already, or cannot be, is copied all the same. PyTorch reports what the device
            # refused when it next starts some work: that is here, and not the user's.
            with suppress(RuntimeError):
                torch.ones(1, device=device)
    return tensor
