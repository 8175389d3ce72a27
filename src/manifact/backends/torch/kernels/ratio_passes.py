"""Σ_t (x_t / y_t) m_i(t) over the entries of each row, y_t = <m_i(t), v>: Y = V Uᵀ exists one entry at a time."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from manifact.backends.torch.kernels import padded, tile_rows
from manifact.backends.torch.kernels.slot_sums import add_slots, slots_for
from manifact.backends.torch.row_segments import Segments

#: Entries in a tile at the most, and the warps that share it.
ENTRIES, WARPS = 8, 1
#: Rows of so many columns are read in two halves: fewer threads share a row, and meet less often to add it up.
HALVED_FROM = 64
#: Whose floor is under y: everybody's, the row's own, or the gathered row's.
SHARED, OWN, GATHERED = 0, 1, 2


@triton.jit
def _segment_ratios(  # type: ignore[no-untyped-def]
    row_at, first_at, size_at, slot_at, indices, values, M, N, floors, tiny_at, out, slots, logs,
    k: tl.constexpr, H: tl.constexpr, E: tl.constexpr, HALVES: tl.constexpr, WHOSE: tl.constexpr, LOGS: tl.constexpr,
):  # fmt: skip
    """One segment: its row of N against the rows of M that its entries point at."""
    segment = tl.program_id(0)
    row = tl.load(row_at + segment).to(tl.int64)
    first = tl.load(first_at + segment).to(tl.int64)
    size = tl.load(size_at + segment)
    slot = tl.load(slot_at + segment).to(tl.int64)
    left, right = tl.arange(0, H), H + tl.arange(0, H)
    v = tl.load(N + row * k + left, mask=left < k, other=0.0)
    total = tl.zeros((E, H), dtype=out.dtype.element_ty)
    if HALVES:
        w = tl.load(N + row * k + right, mask=right < k, other=0.0)
        rest = tl.zeros((E, H), dtype=out.dtype.element_ty)
    logarithms = tl.zeros((E,), dtype=out.dtype.element_ty)
    tiny = tl.load(tiny_at)
    floor = tl.load(floors + (row if WHOSE == 1 else 0))
    for begin in range(0, size, E):
        steps = begin + tl.arange(0, E)
        there = steps < size
        index = tl.load(indices + first + steps, mask=there, other=0).to(tl.int64)
        x = tl.load(values + first + steps, mask=there, other=0.0)
        at = M + index[:, None] * k
        near = tl.load(at + left[None, :], mask=there[:, None] & (left < k)[None, :], other=0.0)
        products = near * v[None, :]
        if HALVES:
            far = tl.load(at + right[None, :], mask=there[:, None] & (right < k)[None, :], other=0.0)
            products += far * w[None, :]
        least = floor * x
        if WHOSE == 2:
            least = tl.load(floors + index, mask=there, other=0.0) * x
        y = tl.maximum(tl.sum(products, axis=1), least + tiny)
        share = (x / y)[:, None]
        total += near * share
        if HALVES:
            rest += far * share
        if LOGS:
            logarithms += x * tl.log(y)
    place = tl.where(slot < 0, out + row * k, slots + slot * k)
    tl.store(place + left, tl.sum(total, axis=0), mask=left < k)
    if HALVES:
        tl.store(place + right, tl.sum(rest, axis=0), mask=right < k)
    if LOGS:
        # A thread adds up few of them: that loses less than the logarithm did. Many are added in float64.
        tl.store(logs + segment, tl.sum(logarithms.to(tl.float64)))


def ratio_rows(
    cut: Segments, indices: Any, values: Any, M: Any, N: Any, floors: Any, whose: int, logs: bool
) -> tuple[Any, Any]:
    """Rows Σ_t (x_t / y_t) m_i(t), and Σ x log y of every segment in float64 (None unless asked for)."""
    k, K = M.shape[1], padded(M.shape[1])
    out, slots = torch.empty_like(N), slots_for(cut, k, N)
    written = torch.empty(len(cut) if logs else 1, dtype=torch.float64, device=N.device)
    # Numbers among the arguments of a kernel are float32: those of float64 come as tensors.
    tiny = torch.full((1,), torch.finfo(N.dtype).tiny, dtype=N.dtype, device=N.device)
    halves = K >= HALVED_FROM
    if len(cut):
        entries = tile_rows(k, N.dtype.itemsize, ENTRIES, cut.mean_size)
        _segment_ratios[(len(cut),)](
            cut.row, cut.first, cut.size, cut.slot, indices, values, M, N, floors, tiny, out, slots, written,
            k, K // 2 if halves else K, entries, halves, whose, logs, num_warps=WARPS,
        )  # fmt: skip
    add_slots(cut, slots, out)
    return out, (written if logs else None)
