"""Passes over the edges of a graph, a chunk of them at a time: their energies, and their Gaussian weights."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from manifact.backends.torch.kernels import padded, tile_rows

#: Edges that a program adds up, and edges of a tile.
CHUNK, TILE = 512, 32


@triton.jit
def _chunk_energies(  # type: ignore[no-untyped-def]
    heads, tails, weights, A, B, sums, edges, k: tl.constexpr, K: tl.constexpr, E: tl.constexpr,
    EDGES_HERE: tl.constexpr, SAME: tl.constexpr,
):  # fmt: skip
    """Σ w (a_j − a_s) ∘ (b_j − b_s): differences first, so that smooth factors lose no digits."""
    chunk = tl.program_id(0)
    columns = tl.arange(0, K)
    total = tl.zeros((E, K), dtype=tl.float64)
    for begin in range(0, EDGES_HERE, E):
        steps = chunk.to(tl.int64) * EDGES_HERE + begin + tl.arange(0, E)
        live = steps < edges
        there = live[:, None] & (columns < k)[None, :]
        head = tl.load(heads + steps, mask=live, other=0).to(tl.int64)[:, None] * k + columns[None, :]
        tail = tl.load(tails + steps, mask=live, other=0).to(tl.int64)[:, None] * k + columns[None, :]
        w = tl.load(weights + steps, mask=live, other=0.0).to(tl.float64)
        a = tl.load(A + head, mask=there, other=0.0).to(tl.float64) - tl.load(A + tail, mask=there, other=0.0).to(
            tl.float64
        )
        if SAME:
            total += w[:, None] * (a * a)
        else:
            b = tl.load(B + head, mask=there, other=0.0).to(tl.float64) - tl.load(B + tail, mask=there, other=0.0).to(
                tl.float64
            )
            total += w[:, None] * (a * b)
    tl.store(sums + chunk.to(tl.int64) * k + columns, tl.sum(total, axis=0), mask=columns < k)


def edge_sums(heads: Any, tails: Any, weights: Any, A: Any, B: Any) -> Any:
    """½ Σ w (a_j − a_s) ∘ (b_j − b_s) of every column, in float64."""
    edges, k = len(heads), A.shape[1]
    chunks = -(-edges // CHUNK)
    sums = torch.empty((chunks, k), dtype=torch.float64, device=A.device)
    tile = tile_rows(k, A.dtype.itemsize, TILE, TILE)
    if chunks:
        _chunk_energies[(chunks,)](heads, tails, weights, A, B, sums, edges, k, padded(k), tile, CHUNK, A is B)
    return 0.5 * torch.sum(sums, dim=0)


@triton.jit
def _chunk_gaussians(  # type: ignore[no-untyped-def]
    heads, tails, weights, V, out, edges, k: tl.constexpr, K: tl.constexpr, E: tl.constexpr
):
    steps = tl.program_id(0).to(tl.int64) * E + tl.arange(0, E)
    columns = tl.arange(0, K)
    live = steps < edges
    there = live[:, None] & (columns < k)[None, :]
    head = tl.load(heads + steps, mask=live, other=0).to(tl.int64)[:, None] * k + columns[None, :]
    tail = tl.load(tails + steps, mask=live, other=0).to(tl.int64)[:, None] * k + columns[None, :]
    away = tl.load(V + head, mask=there, other=0.0) - tl.load(V + tail, mask=there, other=0.0)
    w = tl.load(weights + steps, mask=live, other=0.0)
    tl.store(out + steps, w * tl.exp(-tl.sum(away * away, axis=1)), mask=live)


def edge_weights(heads: Any, tails: Any, weights: Any, V: Any) -> Any:
    """W exp(−‖v_j − v_s‖²) of every edge."""
    edges, k = len(heads), V.shape[1]
    out = torch.empty(edges, dtype=V.dtype, device=V.device)
    if edges:
        tile = tile_rows(k, V.dtype.itemsize, TILE, TILE)
        grid = (-(-edges // tile),)
        _chunk_gaussians[grid](heads, tails, weights, V, out, edges, k, padded(k), tile, num_warps=2)
    return out
