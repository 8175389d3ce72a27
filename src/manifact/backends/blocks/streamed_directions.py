"""The leading directions of samples in blocks: XᵀX is applied to all of them at once, a walk for every turn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from manifact.backends import blocks as block_backend
from manifact.backends.blocks.block_data import BlockData
from manifact.backends.numpy.leading_directions import NEGLIGIBLE, carried, with_signs
from manifact.backends.protocol import Array

#: Turns beyond those that products with X and Xᵀ one after the other would take: here there is one product in each.
MORE_TURNS = 2


def leading_directions(
    X: Any, rank: int, random_state: Any, scale: Array | None, iterations: int
) -> tuple[Array, Array]:
    """The leading singular values s (falling) and right singular vectors Q (m x r) of diag(scale) X, in float64."""
    n, m = X.shape
    data, width = BlockData(X, None), carried(rank, n, m)
    squares = None if scale is None else block_backend.like_rows(np.asarray(scale, dtype=X.dtype) ** 2, X)
    Q = np.linalg.qr(check_random_state(random_state).standard_normal((m, width)))[0]
    for _ in range(iterations + MORE_TURNS):
        Q, s = _turned(data, Q, squares)
    kept = s[:rank] > NEGLIGIBLE[np.dtype(X.dtype)] * s.max(initial=0.0)
    return s[:rank][kept], with_signs(Q[:, :rank][:, kept])


def _turned(data: BlockData, Q: Array, squares: Any) -> tuple[Array, Array]:
    """Q after a turn, its directions in falling order, and their singular values."""
    P = data.times(block_backend.like(Q.astype(data.dtype), data.source))
    P.kept = False
    weighed = P if squares is None else block_backend.scale(P, rows=squares)
    turned = np.asarray(data.times_transposed(weighed).value(), dtype=np.float64)
    # QᵀXᵀXQ, of which the singular values are the roots.
    values, C = np.linalg.eigh(_symmetric(Q.T @ turned))
    values, C = values[::-1], C[:, ::-1]
    basis, R = np.linalg.qr(turned @ C)
    return basis * np.where(np.diagonal(R) < 0, -1.0, 1.0), np.sqrt(np.maximum(values, 0.0))


def _symmetric(G: Array) -> Array:
    return (G + G.T) / 2
