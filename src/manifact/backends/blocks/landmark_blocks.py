"""Every sample as a mixture of a few landmarks, block by block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import numpy as host_backend
from manifact.backends.blocks.block_data import BlockData
from manifact.backends.blocks.block_matrices import SampleMatrix
from manifact.backends.blocks.deferred import Rows, apply, kept, summed, whole
from manifact.backends.protocol import Array


class Mixtures:
    """Z, n x p in blocks, with the forms that a graph is made of: Ẑᵀ = Z diag(masses)^(−1/2) and its transpose."""

    def __init__(self, Z: Rows, masses: Array, sigma: float, used: Array) -> None:
        self.Z = Z
        self.masses = masses
        self.sigma = sigma
        #: Landmarks that have samples.
        self.used = used
        self.n_samples = Z.shape[0]
        self.scale = 1 / np.sqrt(masses)
        self.tall, self.flat = (SampleMatrix(Z, self.scale, transposed) for transposed in (False, True))

    def gram(self) -> Array:
        """ẐẐᵀ, p x p."""
        total = summed(_own_gram, self.Z).value()
        return np.asarray(self.scale[:, None] * total * self.scale)

    def beside(self, P: Array) -> Any:
        """Numbers of landmarks beside the samples."""
        return whole(self.Z.layout, np.asarray(P))

    def rows(self, some: Array | None = None) -> Any:
        """Z, or some of its rows, in one memory."""
        layout, parts = self.Z.layout, []
        for number in range(layout.n_blocks):
            part, rows = layout.walker.block(self.Z.held, number), layout.rows(number)
            if some is not None:
                own = some[np.searchsorted(some, rows.start) : np.searchsorted(some, rows.stop)]
                part = part[own - rows.start]
            parts.append(part)
        return sparse.vstack(parts, format="csr")


def landmark_mixtures(
    X: Any, landmarks: Array, n_neighbors: int, sigma: float | None, mixtures: Callable[..., Any]
) -> Mixtures:
    """Z from ``mixtures(index, squares, sigma, p)`` of every block; σ None: the mean distance to the last neighbour."""
    source, p = BlockData(X, None).source, len(landmarks)
    near = kept(apply(_nearest, source, landmarks, n_neighbors, columns=()))
    width = float(summed(_last_distances, near)) / X.shape[0] if sigma is None else sigma
    width = width or 1.0
    Z = apply(_mixed, near, width, p, mixtures, columns=(p,), dtype=np.float64)
    masses = np.asarray(summed(_masses, Z).value())
    used = np.flatnonzero(masses > 0)
    Z = kept(apply(_columns, Z, used, columns=(len(used),), dtype=np.float64))
    Z.layout.evaluate(Z)
    return Mixtures(Z, masses[used], width, used)


def _nearest(data: Any, landmarks: Array, n_neighbors: int) -> Any:
    index, squares = host_backend.nearest(landmarks, n_neighbors, data.X)
    return index.astype(np.int32), squares


def _last_distances(near: Any) -> float:
    return float(np.sqrt(np.maximum(near[1][:, -1], 0)).sum())


def _mixed(near: Any, sigma: float, p: int, mixtures: Callable[..., Any]) -> Any:
    return mixtures(*near, sigma, p)


def _masses(Z: Any) -> Array:
    return np.asarray(Z.sum(axis=0)).ravel()


def _columns(Z: Any, used: Array) -> Any:
    return Z if len(used) == Z.shape[1] else sparse.csr_array(Z[:, used])


def _own_gram(Z: Any) -> Array:
    return np.asarray((Z.T @ Z).toarray())
