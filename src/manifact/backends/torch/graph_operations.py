"""Sparse matrices of graphs beside tensors: products, energies and weights of edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from scipy import sparse

from manifact.backends import numpy as host_backend
from manifact.backends import plain
from manifact.backends.matrix import Matrix
from manifact.backends.protocol import Array
from manifact.backends.torch import kernels
from manifact.backends.torch.sparse_rows import SparseRows
from manifact.backends.torch.tensors import as_tensor
from manifact.utils.cached_properties import cached_property

TYPES = {torch.float32: np.float32, torch.float64: np.float64}


class WeightedPattern(Matrix):
    """A matrix with the places of another and values of a device, which are fetched if somebody asks for them."""

    def __init__(self, pattern: Matrix, values: Any) -> None:
        self._pattern, self._values = pattern, values
        self._forms = {}

    @cached_property
    def csr(self) -> Any:
        """On the host."""
        known = self._pattern.csr
        values = self._values.detach().cpu().numpy()
        return sparse.csr_array((values, known.indices, known.indptr), shape=known.shape)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._pattern.shape

    def entry_sum(self) -> Any:
        """Where the values are."""
        return torch.sum(self._values, dtype=torch.float64)

    def rows_beside(self, V: Any) -> SparseRows:
        """In V's type and place."""
        return rows_of(self._pattern, V).with_values(self._values.to(V.dtype))


def rows_of(W: Matrix, V: Any) -> SparseRows:
    """W in V's type and place, made once."""
    if isinstance(W, WeightedPattern):
        return W.rows_beside(V)
    dtype = TYPES[V.dtype]
    found: SparseRows = W.form(
        ("rows", V.device, V.dtype), lambda csr: SparseRows.of(as_tensor(csr.astype(dtype), V.device))
    )
    return found


def times(W: Matrix, V: Any) -> Any:
    """W V."""
    return rows_of(W, V).times(V)


def edge_energies(W: Matrix, A: Any, B: Any) -> Any:
    """½ Σ_js W_js (a_j − a_s) ∘ (b_j − b_s): differences first, so that smooth factors lose no digits."""
    edges = rows_of(W, A)
    if not kernels.serve(A):
        rows, columns = edges.rows, edges.indices
        same = A is B
        A, B = plain.wide(A), plain.wide(B)
        ahead = A[rows] - A[columns]
        return 0.5 * torch.sum(edges.values[:, None] * ahead * (ahead if same else B[rows] - B[columns]), dim=0)
    from manifact.backends.torch.kernels.edge_chunks import edge_sums

    left = A.contiguous()
    return edge_sums(edges.rows, edges.indices, edges.values, left, left if A is B else B.contiguous())


def edge_gaussians(W: Matrix, V: Any) -> Matrix:
    """W_ij exp(−‖v_i − v_j‖²) on the edges of W."""
    edges = rows_of(W, V)
    if not kernels.serve(V):
        away = V[edges.rows] - V[edges.indices]
        return WeightedPattern(W, edges.values * torch.exp(-torch.sum(away * away, dim=1)))
    from manifact.backends.torch.kernels.edge_chunks import edge_weights

    return WeightedPattern(W, edge_weights(edges.rows, edges.indices, edges.values, V.contiguous()))


def edge_classes(W: Matrix) -> Sequence[Array]:
    """The vertices of W in groups without edges inside."""
    return host_backend.edge_classes(W)
