"""P ∘ negative / max(positive, floor) in one pass, the floor a number of the device."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

#: Numbers of a program.
BLOCK = 1024


@triton.jit
def _rescaled(  # type: ignore[no-untyped-def]
    P, negative, positive, floor, out, size, k: tl.constexpr, ONE_ROW: tl.constexpr, N: tl.constexpr
):
    at = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)
    there = at < size
    below = tl.load(positive + (at % k if ONE_ROW else at), mask=there, other=1.0)
    ratio = tl.load(negative + at, mask=there, other=0.0) / tl.maximum(below, tl.load(floor))
    tl.store(out + at, tl.load(P + at, mask=there, other=0.0) * ratio, mask=there)


def rescaled(P: Any, negative: Any, positive: Any, floor: Any) -> Any:
    """P ∘ negative / max(positive, floor); ``positive`` is as large as P, or one row for all."""
    out = torch.empty_like(P)
    if P.numel():
        one = positive.shape != P.shape
        grid = (-(-P.numel() // BLOCK),)
        _rescaled[grid](P, negative, positive, floor, out, P.numel(), P.shape[1], one, BLOCK)
    return out
