"""Σ_j a_jk b_jk of every column, in float64: each program adds up a block of rows, and no array is converted."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from manifact.backends.torch.kernels import padded

#: Rows that a program adds up, and numbers of a tile.
ROWS, TILE = 2048, 4096


@triton.jit
def _block_products(  # type: ignore[no-untyped-def]
    A, B, sums, n, k: tl.constexpr, K: tl.constexpr, R: tl.constexpr, ROWS_HERE: tl.constexpr, TWO: tl.constexpr
):
    block = tl.program_id(0)
    columns = tl.arange(0, K)
    total = tl.zeros((R, K), dtype=tl.float64)
    for begin in range(0, ROWS_HERE, R):
        rows = block.to(tl.int64) * ROWS_HERE + begin + tl.arange(0, R)
        there = (rows < n)[:, None] & (columns < k)[None, :]
        a = tl.load(A + rows[:, None] * k + columns[None, :], mask=there, other=0.0).to(tl.float64)
        if TWO:
            total += a * tl.load(B + rows[:, None] * k + columns[None, :], mask=there, other=0.0).to(tl.float64)
        else:
            total += a
    tl.store(sums + block.to(tl.int64) * k + columns, tl.sum(total, axis=0), mask=columns < k)


def block_products(A: Any, B: Any | None) -> Any:
    """Σ_j a_jk b_jk (without B: Σ_j a_jk) of every column, in float64."""
    n, k = A.shape
    blocks = -(-n // ROWS)
    sums = torch.empty((blocks, k), dtype=torch.float64, device=A.device)
    K = padded(k)
    if blocks:
        two = B is not None
        _block_products[(blocks,)](A, B if two else A, sums, n, k, K, min(ROWS, max(1, TILE // K)), ROWS, two)
    return torch.sum(sums, dim=0)
