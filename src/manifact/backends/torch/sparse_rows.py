"""A sparse matrix on a device: where rows begin, the columns and the values of their entries."""

from __future__ import annotations

from typing import Any

import torch

from manifact.backends.torch import kernels
from manifact.backends.torch.row_segments import Segments, segments
from manifact.backends.torch.tensors import sparse_csr
from manifact.utils.cached_properties import cached_property

#: Entries of a segment: enough to be worth a program, few enough that none waits for another.
LONGEST = 512
#: The share of a GPU's cache that gathered rows may fill.
CACHE_SHARE = 0.6


class SparseRows:
    """n x m by rows; entries of a row in the order of their columns."""

    def __init__(self, indptr: Any, indices: Any, values: Any, shape: tuple[int, int]) -> None:
        self.indptr = indptr
        self.indices = indices
        self.values = values
        self.shape = shape
        self._cuts: dict[int, Segments] = {}

    @classmethod
    def of(cls, X: Any) -> SparseRows:
        """A sparse CSR tensor, whose arrays are shared."""
        n, m = X.shape
        return cls(X.crow_indices(), X.col_indices(), X.values(), (n, m))

    def with_values(self, values: Any) -> SparseRows:
        """The same places with other entries."""
        other = SparseRows(self.indptr, self.indices, values, self.shape)
        other._cuts = self._cuts
        return other

    @cached_property
    def tensor(self) -> Any:
        """For PyTorch's own operations."""
        return sparse_csr(self.indptr, self.indices, self.values, self.shape, self.values.device)

    @cached_property
    def rows(self) -> Any:
        """The row of every entry."""
        counts = torch.diff(self.indptr)
        numbers = torch.arange(self.shape[0], device=counts.device, dtype=self.indices.dtype)
        return torch.repeat_interleave(numbers, counts)

    def transposed(self) -> SparseRows:
        """m x n: a second copy by columns."""
        n, m = self.shape
        columns, order = torch.sort(self.indices, stable=True)
        indptr = torch.zeros(m + 1, dtype=self.indptr.dtype, device=columns.device)
        indptr[1:] = torch.cumsum(torch.bincount(columns, minlength=m), 0)
        return SparseRows(indptr, self.rows[order], self.values[order], (m, n))

    def cut(self, row_bytes: int) -> Segments:
        """Rows in segments that gather from as much of a factor, with rows of so many bytes, as cache holds."""
        cache = torch.cuda.get_device_properties(self.values.device).L2_cache_size if self.values.is_cuda else 1 << 40
        at_once = max(1, int(CACHE_SHARE * cache / row_bytes))
        # Where rows would get segments of a few entries each, several cuts cost more than a larger cache saves.
        per_block = len(self.indices) / max(1, self.shape[0] * -(-self.shape[1] // at_once))
        at_once = at_once if per_block >= kernels.TILE_BYTES // row_bytes else max(1, self.shape[1])
        if at_once not in self._cuts:
            self._cuts[at_once] = segments(self.indptr, self.indices, self.shape[1], LONGEST, at_once)
        return self._cuts[at_once]

    def times(self, P: Any) -> Any:
        """This matrix times a factor."""
        if not kernels.serve(P):
            return self.tensor @ P
        from manifact.backends.torch.kernels.gathered_products import product_rows

        P = P.contiguous()
        cut = self.cut(P.shape[1] * P.dtype.itemsize)
        return product_rows(cut, self.shape[0], self.indices, self.values, P)

    def some_rows(self, rows: Any) -> SparseRows:
        """The rows with these numbers."""
        counts = torch.diff(self.indptr)[rows]
        indptr = torch.zeros(len(rows) + 1, dtype=self.indptr.dtype, device=rows.device)
        indptr[1:] = torch.cumsum(counts, 0)
        begin = torch.repeat_interleave(self.indptr[:-1][rows] - indptr[:-1], counts)
        entries = torch.arange(len(begin), device=rows.device) + begin
        return SparseRows(indptr, self.indices[entries], self.values[entries], (len(rows), self.shape[1]))
