"""Σ_t x_t m_i(t) over the entries of each row: a sparse matrix times a factor, the same bits every time."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from manifact.backends.torch.kernels import padded, tile_rows
from manifact.backends.torch.kernels.slot_sums import add_slots, slots_for
from manifact.backends.torch.row_segments import Segments

#: Entries in a tile at the most, and the warps that share it.
ENTRIES, WARPS = 16, 1


@triton.jit
def _segment_products(  # type: ignore[no-untyped-def]
    row_at, first_at, size_at, slot_at, indices, values, M, out, slots, k: tl.constexpr, K: tl.constexpr,
    E: tl.constexpr,
):  # fmt: skip
    segment = tl.program_id(0)
    row = tl.load(row_at + segment).to(tl.int64)
    first = tl.load(first_at + segment).to(tl.int64)
    size = tl.load(size_at + segment)
    slot = tl.load(slot_at + segment).to(tl.int64)
    columns = tl.arange(0, K)
    total = tl.zeros((E, K), dtype=out.dtype.element_ty)
    for begin in range(0, size, E):
        steps = begin + tl.arange(0, E)
        there = steps < size
        index = tl.load(indices + first + steps, mask=there, other=0).to(tl.int64)
        x = tl.load(values + first + steps, mask=there, other=0.0)
        rows = tl.load(
            M + index[:, None] * k + columns[None, :], mask=there[:, None] & (columns < k)[None, :], other=0.0
        )
        total += rows * x[:, None]
    place = tl.where(slot < 0, out + row * k, slots + slot * k)
    tl.store(place + columns, tl.sum(total, axis=0), mask=columns < k)


def product_rows(cut: Segments, n: int, indices: Any, values: Any, M: Any) -> Any:
    """Row j is Σ_t x_t m_i(t) over the entries t of row j."""
    k = M.shape[1]
    out = torch.empty((n, k), dtype=M.dtype, device=M.device)
    slots = slots_for(cut, k, M)
    if len(cut):
        entries = tile_rows(k, M.dtype.itemsize, ENTRIES, cut.mean_size)
        _segment_products[(len(cut),)](
            cut.row, cut.first, cut.size, cut.slot, indices, values, M, out, slots, k, padded(k), entries,
            num_warps=WARPS,
        )  # fmt: skip
    add_slots(cut, slots, out)
    return out
