"""Products of graphs with factors in blocks: through landmarks, or along edges that lead to other blocks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import numpy as host_backend
from manifact.backends.blocks.deferred import Across, Rows, apply, kept, summed
from manifact.backends.matrix import Matrix
from manifact.backends.numpy.scattered_data import ScatteredData
from manifact.utils.cached_properties import cached_property
from manifact.utils.sparse_matrices import sorted_csr


class SampleMatrix:
    """Z diag(scale), n x p, sparse and in blocks of rows; or its transpose."""

    def __init__(self, Z: Rows, scale: Any, transposed: bool) -> None:
        self.Z = Z
        self.scale = scale
        self.transposed = transposed
        p = len(scale)
        self.shape = (p, Z.shape[0]) if transposed else (Z.shape[0], p)

    def typed(self, dtype: Any) -> Any:
        """The same as one matrix of the host, for a product with a small array of its own."""
        return self._whole.typed(dtype)

    @cached_property
    def _whole(self) -> Matrix:
        layout = self.Z.layout
        layout.evaluate(self.Z)
        parts = [layout.walker.block(self.Z.held, number) for number in range(layout.n_blocks)]
        csr = sparse.csr_array(sparse.vstack(parts, format="csr") @ sparse.diags_array(self.scale))
        return Matrix(sorted_csr(csr.T if self.transposed else csr))


def times(W: Any, V: Any) -> Any:
    """W V."""
    if isinstance(W, SampleMatrix):
        return _flat_times(W, V) if W.transposed else _tall_times(W, V)
    if not isinstance(V, Rows):
        return apply(host_backend.times, W, V)
    return _edges_times(W, V)


def _tall_times(W: SampleMatrix, P: Any) -> Rows:
    """Z diag(scale) P: a row for each sample."""
    k = P.shape[1]
    return Rows(W.Z.layout, _mixed, (W.Z, W.scale, P), (k,), P.dtype)


def _flat_times(W: SampleMatrix, V: Rows) -> Any:
    """diag(scale) ZᵀV: a sum over samples."""
    total = summed(_gathered, W.Z, V, shape=(len(W.scale), V.shape[1]))
    total._dtype = V.dtype
    return apply(_scaled, total, W.scale, shape=(len(W.scale), V.shape[1]), dtype=V.dtype)


def _mixed(Z: Any, scale: Any, P: Any) -> Any:
    scaled = (scale[:, None] * P).astype(P.dtype, copy=False)
    return host_backend.times(Matrix(Z), scaled)


def _gathered(Z: Any, V: Any) -> Any:
    return ScatteredData(Z.astype(V.dtype, copy=False), None).times_transposed(V)


def _scaled(total: Any, scale: Any) -> Any:
    return (scale[:, None] * total).astype(total.dtype, copy=False)


def _edges_times(W: Matrix, V: Rows) -> Rows:
    """Along edges: a block reads the rows of others that its own have edges to."""
    layout = V.layout
    pieces = W.form(("blocks", layout.bounds), lambda csr: pieces_of(csr, layout.bounds))
    edges = Rows(layout, None, (), (layout.n_rows,), W.csr.dtype)
    edges.held = layout.walker.parts(pieces, layout)
    return Rows(layout, _summed_over_neighbours, (edges, Across(kept(V))), V.columns, V.dtype)


def pieces_of(csr: Any, bounds: tuple[int, ...]) -> list[dict[int, Any]]:
    """For every block of rows, the parts of its edges that lead to each block that it has edges to."""
    found = []
    for number, (start, stop) in enumerate(pairwise(bounds)):
        own = sparse.csr_array(csr[start:stop])
        others = np.unique(np.searchsorted(bounds, np.unique(own.indices), side="right") - 1)
        # Its own always, so that a block without edges knows how many rows it has.
        found.append({int(b): sparse.csr_array(own[:, bounds[b] : bounds[b + 1]]) for b in {number, *others.tolist()}})
    return found


def _summed_over_neighbours(pieces: dict[int, Any], V: Any) -> Any:
    total: Any = None
    for number, piece in pieces.items():
        part = host_backend.times(Matrix(piece), np.ascontiguousarray(V[number]))
        total = part if total is None else total + part
    return total
