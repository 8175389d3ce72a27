"""Σ_t (x_t / y_t) m_i(t) over the entries of each row, y_t = <m_i(t), v>: Y = V Uᵀ exists one entry at a time."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from manifact.backends.torch.kernels import padded
from manifact.backends.torch.kernels.slot_sums import add_slots, slots_for
from manifact.backends.torch.row_segments import Segments

#: Entries in a tile at the most, the warps that share it, and tiles that are on their way.
ENTRIES, WARPS, STAGES = 32, 2, 1
#: Whose floor is under y: everybody's, the row's own, or the gathered row's.
SHARED, OWN, GATHERED = 0, 1, 2


@triton.jit
def _segment_ratios(  # type: ignore[no-untyped-def]
    row_at, first_at, size_at, slot_at, indices, values, M, N, floors, tiny_at, out, slots, logs,
    k: tl.constexpr, K: tl.constexpr, E: tl.constexpr, WHOSE: tl.constexpr, LOGS: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """One segment: its row of N against the rows of M that its entries point at."""
    segment = tl.program_id(0)
    row = tl.load(row_at + segment).to(tl.int64)
    first = tl.load(first_at + segment).to(tl.int64)
    size = tl.load(size_at + segment)
    slot = tl.load(slot_at + segment).to(tl.int64)
    columns = tl.arange(0, K)
    v = tl.load(N + row * k + columns, mask=columns < k, other=0.0)
    total = tl.zeros((E, K), dtype=out.dtype.element_ty)
    logarithms = tl.zeros((E,), dtype=tl.float64)
    tiny = tl.load(tiny_at)
    floor = tl.load(floors + (row if WHOSE == 1 else 0))
    for begin in tl.range(0, size, E, num_stages=STAGES):
        steps = begin + tl.arange(0, E)
        there = steps < size
        index = tl.load(indices + first + steps, mask=there, other=0).to(tl.int64)
        x = tl.load(values + first + steps, mask=there, other=0.0)
        rows = tl.load(
            M + index[:, None] * k + columns[None, :], mask=there[:, None] & (columns < k)[None, :], other=0.0
        )
        least = floor * x
        if WHOSE == 2:
            least = tl.load(floors + index, mask=there, other=0.0) * x
        y = tl.maximum(tl.sum(rows * v[None, :], axis=1), least + tiny)
        total += rows * (x / y)[:, None]
        if LOGS:
            logarithms += x.to(tl.float64) * tl.log(y).to(tl.float64)
    place = tl.where(slot < 0, out + row * k, slots + slot * k)
    tl.store(place + columns, tl.sum(total, axis=0), mask=columns < k)
    if LOGS:
        tl.store(logs + segment, tl.sum(logarithms))


def ratio_rows(
    cut: Segments, indices: Any, values: Any, M: Any, N: Any, floors: Any, whose: int, logs: bool
) -> tuple[Any, Any]:
    """Rows Σ_t (x_t / y_t) m_i(t), and Σ x log y of every segment in float64 (None unless asked for)."""
    k = M.shape[1]
    out, slots = torch.empty_like(N), slots_for(cut, k, N)
    written = torch.empty(len(cut) if logs else 1, dtype=torch.float64, device=N.device)
    # Numbers among the arguments of a kernel are float32: those of float64 come as tensors.
    tiny = torch.full((1,), torch.finfo(N.dtype).tiny, dtype=N.dtype, device=N.device)
    entries = min(ENTRIES, max(8, padded(int(cut.mean_size))))
    if len(cut):
        _segment_ratios[(len(cut),)](
            cut.row, cut.first, cut.size, cut.slot, indices, values, M, N, floors, tiny, out, slots,
            written, k, padded(k), entries, whose, logs, STAGES, num_warps=WARPS,
        )  # fmt: skip
    add_slots(cut, slots, out)
    return out, (written if logs else None)
