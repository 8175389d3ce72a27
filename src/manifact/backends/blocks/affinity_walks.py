"""Rounds of steps on a quadratic and μ ‖F Fᵀ − V Vᵀ‖² for V in blocks: a walk without X for every round."""

from __future__ import annotations

from typing import Any

from manifact.backends.blocks.deferred import apply, kept, summed
from manifact.backends.numpy import affinity_blocks as parts
from manifact.backends.numpy.numpy_factors import cross, nonnegative


def swept(V: Any, G: Any, B: Any, scale: Any, shift: float, F: Any, inside: Any, mu: float, rounds: int) -> Any:
    """V after ``rounds`` of steps, all rows of a round the same share of their way: the sum does not rise.

    Rows stand still for each other within a round, so a block needs the k x k products of all alone.
    """
    # A point ahead may lie outside, and a share of the way from there may not lead inside.
    V, B = kept(apply(nonnegative, V)), kept(B)
    M, A = summed(cross, V, F), summed(parts.cross_inside, V, inside)
    for _ in range(rounds):
        D = kept(apply(parts.step, V, G, B, scale, shift, F, inside, mu, M, A))
        sums = summed(parts.step_sums, V, D, G, B, scale, shift, F, inside, combine=_added)
        share = apply(parts.best_share, M, A, sums, G, mu, shape=())
        V = kept(apply(parts.gone, V, D, share))
        M, A = apply(_drawn, M, sums, share), apply(_bent, A, sums, share)
    return V


def _added(one: Any, other: Any) -> Any:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _drawn(M: Any, sums: Any, share: float) -> Any:
    return M + share * sums[0]


def _bent(A: Any, sums: Any, share: float) -> Any:
    across, bend = sums[1], sums[2]
    return A + share * (across + across.T) + share**2 * bend
