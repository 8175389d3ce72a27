"""Exact coordinate steps on scale_j vᵀGv − 2 b_jᵀv + shift_j vᵀv, v ≥ 0, for many rows at once."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from manifact.backends.torch.kernels import padded

#: Numbers of a tile of rows, and the warps that share it.
TILE, WARPS = 2048, 4


@triton.jit
def _sweep(  # type: ignore[no-untyped-def]
    V, G, B, scale, shift, order, indptr, neighbours, weights, lam_at, n, sweeps,
    k: tl.constexpr, K: tl.constexpr, R: tl.constexpr, TIED: tl.constexpr,
):  # fmt: skip
    """Rows order[b R : (b + 1) R] in place; with TIED, b_j + λ Σ_s w_js v_s for b_j, neighbours held still."""
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
    pull = tl.load(B + at, mask=there, other=0.0)
    if TIED:
        begin = tl.load(indptr + rows, mask=live, other=0)
        # Where there is no row there are no neighbours.
        count = (tl.load(indptr + rows + 1, mask=live, other=0) - begin).to(tl.int32)
        most = tl.max(count, axis=0)
        lam = tl.load(lam_at)
        for step in range(0, most):
            # Rows with fewer neighbours look again at their last one, without weight: the compiler takes no mask here.
            edge = tl.maximum(begin + tl.minimum(step, count - 1), 0)
            s = tl.load(neighbours + edge).to(tl.int64)
            w = tl.where(step < count, lam * tl.load(weights + edge), 0.0)
            tile = tl.load(V + s[:, None] * k + columns[None, :], mask=(columns < k)[None, :], other=0.0)
            pull += w[:, None] * tile
    for _ in range(0, sweeps):
        for c in range(0, k):
            g = tl.load(G + c * k + columns, mask=columns < k, other=0.0)
            bend = gain * tl.load(G + c * k + c) + held
            mine = (columns == c)[None, :]
            part = gain[:, None] * (v * g[None, :]) + tl.where(mine, held[:, None] * v - pull, 0.0)
            step_to = tl.sum(part, axis=1) / tl.where(bend > 0, bend, 1.0)
            new = tl.maximum(v - step_to[:, None], 0.0) * tl.where(bend > 0, 1.0, 0.0)[:, None]
            v = tl.where(mine, new, v)
    tl.store(V + at, v, mask=there)


def rows_at_once(k: int) -> int:
    """Rows of one program."""
    return max(1, TILE // padded(k))


def sweep_all(V: Any, G: Any, B: Any, scale: Any, shift: Any, sweeps: int) -> None:
    """Every row of V in place, ``sweeps`` times."""
    n, k = V.shape
    R = rows_at_once(k)
    if n:
        unused = V
        _sweep[(-(-n // R),)](
            V, G, B, scale, shift, unused, unused, unused, unused, unused, n, sweeps, k, padded(k), R, False,
            num_warps=WARPS,
        )  # fmt: skip


def sweep_group(
    V: Any, G: Any, B: Any, scale: Any, shift: Any, order: Any, indptr: Any, neighbours: Any, weights: Any, lam: Any
) -> None:
    """The rows of a group once, in place; no two of them are neighbours. λ is a number of the device."""
    k = V.shape[1]
    R = rows_at_once(k)
    if len(order):
        _sweep[(-(-len(order) // R),)](
            V, G, B, scale, shift, order, indptr, neighbours, weights, lam, len(order), 1, k, padded(k), R, True,
            num_warps=WARPS,
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
    R, out = rows_at_once(k), torch.empty_like(V)
    if n:
        _sweep_quartic[(-(-n // R),)](V, G, A, B, scale, shift, tied, out, n, k, padded(k), R, num_warps=WARPS)
    return out
