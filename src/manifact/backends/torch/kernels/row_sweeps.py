"""Exact coordinate steps on scale_j vᵀGv − 2 b_jᵀv + shift_j vᵀv, v ≥ 0, for many rows at once."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from manifact.backends.torch.kernels import TILE_BYTES, padded

#: Warps that share a tile of rows, and its rows at the most.
WARPS, MOST_ROWS = 4, 64


@triton.jit
def _sweep(  # type: ignore[no-untyped-def]
    V, G, B, scale, shift, order, pulls, lam_at, n, sweeps,
    k: tl.constexpr, K: tl.constexpr, R: tl.constexpr, TIED: tl.constexpr,
):  # fmt: skip
    """Rows b R to (b + 1) R in place; with TIED these are rows of ``order``, and λ times their pulls is added to b."""
    places = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    live = places < n
    columns = tl.arange(0, K)
    there = live[:, None] & (columns < k)[None, :]
    rows = places
    if TIED:
        rows = tl.load(order + places, mask=live, other=0).to(tl.int64)
    held = tl.load(shift + rows, mask=live, other=0.0)
    gain = tl.load(scale + rows, mask=live, other=0.0)
    at = rows[:, None] * k + columns[None, :]
    v = tl.load(V + at, mask=there, other=0.0)
    b = tl.load(B + at, mask=there, other=0.0)
    if TIED:
        b += tl.load(lam_at) * tl.load(pulls + places[:, None] * k + columns[None, :], mask=there, other=0.0)
    for _ in range(0, sweeps):
        for c in range(0, k):
            g = tl.load(G + c * k + columns, mask=columns < k, other=0.0)
            bend = gain * tl.load(G + c * k + c) + held
            mine = (columns == c)[None, :]
            part = gain[:, None] * (v * g[None, :]) + tl.where(mine, held[:, None] * v - b, 0.0)
            step = tl.sum(part, axis=1) / tl.where(bend > 0, bend, 1.0)
            # Where nothing bends the row there is nothing to determine it: it gets 0.
            new = tl.maximum(v - step[:, None], 0.0) * tl.where(bend > 0, 1.0, 0.0)[:, None]
            v = tl.where(mine, new, v)
    tl.store(V + at, v, mask=there)


def rows_at_once(k: int, itemsize: int) -> int:
    """Rows of one program."""
    return min(MOST_ROWS, max(1, TILE_BYTES // (padded(k) * itemsize)))


def sweep_all(V: Any, G: Any, B: Any, scale: Any, shift: Any, sweeps: int) -> None:
    """Every row of V in place, ``sweeps`` times."""
    n, k = V.shape
    R = rows_at_once(k, V.dtype.itemsize)
    if n:
        grid = (-(-n // R),)
        _sweep[grid](V, G, B, scale, shift, V, V, V, n, sweeps, k, padded(k), R, False, num_warps=WARPS)


def sweep_group(V: Any, G: Any, B: Any, scale: Any, shift: Any, order: Any, pulls: Any, lam: Any) -> None:
    """The rows of ``order`` once, in place, drawn by λ times their rows of ``pulls``; λ is a number of the device."""
    k = V.shape[1]
    R = rows_at_once(k, V.dtype.itemsize)
    if len(order):
        grid = (-(-len(order) // R),)
        _sweep[grid](
            V, G, B, scale, shift, order, pulls, lam, len(order), 1, k, padded(k), R, True, num_warps=WARPS
        )  # fmt: skip


@triton.jit
def _sweep_quartic(  # type: ignore[no-untyped-def]
    V, G, A, B, scale, shift, tied, out, n, k: tl.constexpr, K: tl.constexpr, R: tl.constexpr
):
    """A round on scale_j vᵀGv − 2 b_jᵀv + shift_j vᵀv + tied_j vᵀAv, A = VᵀV as it was before."""
    rows = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    live = rows < n
    columns = tl.arange(0, K)
    there = live[:, None] & (columns < k)[None, :]
    held = tl.load(shift + rows, mask=live, other=0.0)
    gain = tl.load(scale + rows, mask=live, other=0.0)
    tie = tl.load(tied + rows, mask=live, other=0.0)
    at = rows[:, None] * k + columns[None, :]
    v = tl.load(V + at, mask=there, other=0.0)
    pull = tl.load(B + at, mask=there, other=0.0)
    for c in range(0, k):
        g = tl.load(G + c * k + columns, mask=columns < k, other=0.0)
        a = tl.load(A + c * k + columns, mask=columns < k, other=0.0)
        bend = gain * tl.load(G + c * k + c) + tie * tl.load(A + c * k + c) + held
        mine = (columns == c)[None, :]
        row = gain[:, None] * g[None, :] + tie[:, None] * a[None, :]
        rise = tl.sum(v * row + tl.where(mine, held[:, None] * v - pull, 0.0), axis=1)
        step = rise / tl.where(bend > 0, bend, 1.0)
        new = tl.maximum(v - step[:, None], 0.0) * tl.where(bend > 0, 1.0, 0.0)[:, None]
        v = tl.where(mine, new, v)
    tl.store(out + at, v, mask=there)


def sweep_quartic(V: Any, G: Any, A: Any, B: Any, scale: Any, shift: Any, tied: Any) -> Any:
    """Every row of V after one round, the others held still."""
    n, k = V.shape
    R, out = rows_at_once(k, V.dtype.itemsize), torch.empty_like(V)
    if n:
        _sweep_quartic[(-(-n // R),)](V, G, A, B, scale, shift, tied, out, n, k, padded(k), R, num_warps=WARPS)
    return out
