"""V for new samples with U fixed: one small convex problem per sample, each stopped on its own."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from manifact.backends.torch.kernels import padded

#: Rows of a program that solves least squares, and entries of a row that are read at a time.
ROWS, ENTRIES = 16, 128
#: Newton's steps on one coordinate at the most, and the relative step at which it is left.
INNER_STEPS, INNER_TOL = tl.constexpr(4), tl.constexpr(0.05)


@triton.jit
def _least_squares(  # type: ignore[no-untyped-def]
    G, B, shift, tol_at, V, restless, n, most, k: tl.constexpr, K: tl.constexpr, R: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    live = rows < n
    columns = tl.arange(0, K)
    there = live[:, None] & (columns < k)[None, :]
    at = rows[:, None] * k + columns[None, :]
    held = tl.load(shift + rows, mask=live, other=0.0)
    b = tl.load(B + at, mask=there, other=0.0)
    tol = tl.load(tol_at)
    v = b * 0
    busy = tl.where(live, 1, 0)
    sweep = 0
    while (tl.max(busy, axis=0) > 0) & (sweep < most):
        before = v
        for c in range(0, k):
            g = tl.load(G + c * k + columns, mask=columns < k, other=0.0)
            bend = tl.load(G + c * k + c) + held
            mine = (columns == c)[None, :]
            slope = tl.sum(v * g[None, :] + tl.where(mine, held[:, None] * v - b, 0.0), axis=1)
            step = slope / tl.where(bend > 0, bend, 1.0)
            new = tl.maximum(v - step[:, None], 0.0) * tl.where(bend > 0, 1.0, 0.0)[:, None]
            v = tl.where(mine, new, v)
        v = tl.where((busy > 0)[:, None], v, before)
        moved = tl.max(tl.abs(v - before), axis=1)
        busy = tl.where((busy > 0) & (moved > tol * tl.max(v, axis=1)), 1, 0)
        sweep += 1
    tl.store(V + at, v, mask=there)
    tl.store(restless + rows, busy, mask=live)


def least_squares(G: Any, B: Any, shift: Any, sweeps: int, tol: float) -> tuple[Any, Any]:
    """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 b_jᵀv by exact coordinate steps, and which had not come to rest."""
    n, k = B.shape
    V, restless = torch.zeros_like(B), torch.zeros(n, dtype=torch.int32, device=B.device)
    if n:
        rest = torch.full((1,), tol, dtype=B.dtype, device=B.device)
        _least_squares[(-(-n // ROWS),)](G, B, shift, rest, V, restless, n, sweeps, k, padded(k), ROWS)
    return V, restless


@triton.jit
def _divergence(  # type: ignore[no-untyped-def]
    indptr, indices, values, UT, a, pull, shift, numbers, V, Y, m, most, k: tl.constexpr, K: tl.constexpr,
    T: tl.constexpr,
):  # fmt: skip
    """Newton's method on one coordinate after the other, for one sample; y of its entries stands in Y."""
    j = tl.program_id(0).to(tl.int64)
    first = tl.load(indptr + j).to(tl.int64)
    size = (tl.load(indptr + j + 1).to(tl.int64) - first).to(tl.int32)
    columns = tl.arange(0, K)
    v = tl.load(V + j * k + columns, mask=columns < k, other=0.0)
    l2, floor, tiny, tol = tl.load(numbers), tl.load(numbers + 1), tl.load(numbers + 2), tl.load(numbers + 3)
    held = tl.load(shift + j)
    largest = l2 * 0
    sweep, on = 0, 1
    while on > 0:
        for begin in range(0, size, T):
            steps = begin + tl.arange(0, T)
            index = tl.load(indices + first + steps, mask=steps < size, other=0).to(tl.int64)
            y = tl.zeros((T,), dtype=UT.dtype.element_ty)
            for c in range(0, k):
                y += tl.sum(tl.where(columns == c, v, 0.0), axis=0) * tl.load(UT + c * m + index)
            tl.store(Y + first + steps, y, mask=steps < size)
        tl.debug_barrier()
        negligible = tol * largest
        largest, moved = l2 * 0, l2 * 0
        for c in range(0, k):
            old = tl.sum(tl.where(columns == c, v, 0.0), axis=0)
            here, inner = old, 0
            drawn = tl.load(pull + j * k + c)
            while inner < INNER_STEPS:
                near = tl.maximum(here, tiny)
                # Without a pull both are 0, as small as ``here`` may be.
                slope = tl.load(a + c) + held + l2 * here - drawn / near
                bend = l2 + drawn / near / near
                slopes, bends = tl.zeros((T,), dtype=UT.dtype.element_ty), tl.zeros((T,), dtype=UT.dtype.element_ty)
                for begin in range(0, size, T):
                    steps = begin + tl.arange(0, T)
                    there = steps < size
                    index = tl.load(indices + first + steps, mask=there, other=0).to(tl.int64)
                    x = tl.load(values + first + steps, mask=there, other=0.0)
                    y = tl.load(Y + first + steps, mask=there, other=1.0)
                    share = tl.load(UT + c * m + index) / tl.maximum(y, floor * x + tiny)
                    slopes += x * share
                    bends += x * share * share
                slope -= tl.sum(slopes, axis=0)
                bend += tl.sum(bends, axis=0)
                new = tl.where(
                    bend > 0,
                    tl.maximum(here - slope / tl.where(bend > 0, bend, 1.0), 0.1 * here),
                    tl.where(slope > 0, 0.0, here),
                )
                new = tl.where((slope > 0) & (drawn == 0) & (new < negligible), 0.0, new)
                step = new - here
                for begin in range(0, size, T):
                    steps = begin + tl.arange(0, T)
                    there = steps < size
                    index = tl.load(indices + first + steps, mask=there, other=0).to(tl.int64)
                    y = tl.load(Y + first + steps, mask=there, other=0.0)
                    tl.store(Y + first + steps, y + step * tl.load(UT + c * m + index), mask=there)
                tl.debug_barrier()
                here = new
                inner = tl.where((tl.abs(step) <= INNER_TOL * new) | (step > 0), INNER_STEPS, inner + 1)
            v = tl.where(columns == c, here, v)
            moved = tl.maximum(moved, tl.abs(here - old))
            largest = tl.maximum(largest, here)
        sweep += 1
        on = tl.where((moved > tol * largest) & (sweep < most), 1, 0)
    tl.store(V + j * k + columns, v, mask=columns < k)


def divergence(
    indptr: Any, indices: Any, values: Any, U: Any, a: Any, l2: float, pull: Any, shift: Any, floor: float,
    sweeps: int, tol: float, V: Any,
) -> None:  # fmt: skip
    """v_j = argmin_{v ≥ 0} Σ_c (a_c + shift_j) v_c + l2/2 v_c² − p_jc log v_c − Σ_i x_ji log (U v)_i, in place of V."""
    n, k = V.shape
    tiny = float(torch.finfo(V.dtype).tiny)
    numbers = torch.tensor([l2, floor, tiny, tol], dtype=V.dtype, device=V.device)
    if n:
        UT, Y = U.T.contiguous(), torch.empty_like(values)
        _divergence[(n,)](
            indptr, indices, values, UT, a, pull, shift, numbers, V, Y, U.shape[0], sweeps, k, padded(k), ENTRIES,
            num_warps=4,
        )  # fmt: skip
