"""The sums of a row's segments, added up in their order."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from manifact.backends.torch.kernels import padded
from manifact.backends.torch.row_segments import Segments

#: Slots that are read at a time.
SLOTS = 16


@triton.jit
def _add_slots(row_at, first_at, count_at, slots, out, k: tl.constexpr, K: tl.constexpr, S: tl.constexpr):  # type: ignore[no-untyped-def]
    joined = tl.program_id(0)
    row = tl.load(row_at + joined).to(tl.int64)
    first = tl.load(first_at + joined).to(tl.int64)
    count = tl.load(count_at + joined)
    columns = tl.arange(0, K)
    total = tl.zeros((S, K), dtype=out.dtype.element_ty)
    for begin in range(0, count, S):
        steps = begin + tl.arange(0, S)
        there = (steps < count)[:, None] & (columns < k)[None, :]
        total += tl.load(slots + (first + steps)[:, None] * k + columns[None, :], mask=there, other=0.0)
    tl.store(out + row * k + columns, tl.sum(total, axis=0), mask=columns < k)


def slots_for(cut: Segments, k: int, like: Any) -> Any:
    """Room for the sums that wait."""
    return torch.empty((max(1, cut.n_slots), k), dtype=like.dtype, device=like.device)


def add_slots(cut: Segments, slots: Any, out: Any) -> None:
    """Rows of ``out`` that have several segments, or none, from their slots."""
    if len(cut.joined_row):
        k = out.shape[1]
        places = (cut.joined_row, cut.joined_first, cut.joined_count)
        _add_slots[(len(cut.joined_row),)](*places, slots, out, k, padded(k), SLOTS, num_warps=2)
