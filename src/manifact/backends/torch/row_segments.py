"""Rows of a sparse matrix in segments of bounded length: a long row does not keep everybody waiting.

Each segment is summed on its own. Rows of one segment are then done; the sums of the others stand in slots, a row's
side by side, and are added in their order, so that the bits do not depend on who was first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Segments:
    """Where each segment begins and how many entries it has, in the order in which they are worked on."""

    row: Any
    first: Any
    size: Any
    #: Where its sum goes; −1: straight to the row.
    slot: Any
    #: Rows whose sums are put together (or that have no entries), their first slots and how many they have.
    joined_row: Any
    joined_first: Any
    joined_count: Any
    n_slots: int
    #: Entries of a segment, on average.
    mean_size: float

    def __len__(self) -> int:
        return len(self.row)


def segments(indptr: Any, indices: Any, n_columns: int, longest: int, columns_at_once: int) -> Segments:
    """Rows cut after ``longest`` entries, and where their columns pass a multiple of ``columns_at_once``.

    Segments of the same columns are worked on together: the rows of a factor that they gather from stay in cache.
    """
    n, device = len(indptr) - 1, indptr.device
    blocks = max(1, -(-n_columns // columns_at_once))
    count, start = torch.diff(indptr), indptr[:-1]
    if blocks > 1:
        rows = torch.repeat_interleave(torch.arange(n, device=device), count)
        count = torch.bincount(rows * blocks + indices // columns_at_once, minlength=n * blocks)
        start = torch.cumsum(count, 0) - count
    pieces = (count + longest - 1) // longest
    cell = torch.repeat_interleave(torch.arange(n * blocks, device=device), pieces)
    passed = (torch.arange(len(cell), device=device) - (torch.cumsum(pieces, 0) - pieces)[cell]) * longest
    first, size = start[cell] + passed, torch.clamp(count[cell] - passed, max=longest)
    per_row = pieces.view(n, blocks).sum(dim=1)
    row = cell // blocks
    alone = per_row[row] == 1
    slot = torch.where(alone, -1, torch.cumsum(~alone, 0) - 1)
    joined = torch.nonzero(per_row != 1).ravel()
    held = per_row[joined]
    order = torch.argsort(cell % blocks, stable=True) if blocks > 1 else slice(None)
    parts = (row[order], first[order], size[order], slot[order], joined, torch.cumsum(held, 0) - held, held)
    row, first, size, slot, joined, joined_first, held = (part.contiguous() for part in parts)
    narrow = (part.to(torch.int32) for part in (row, size, slot, joined, joined_first, held))
    row, size, slot, joined, joined_first, held = narrow
    mean = float(indices.numel()) / max(1, len(row))
    return Segments(row, first, size, slot, joined, joined_first, held, int(held.sum()), mean)
