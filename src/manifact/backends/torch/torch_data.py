"""X as a tensor, dense or sparse CSR."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import torch

from manifact.backends import numpy as host_backend
from manifact.backends import torch as torch_backend
from manifact.backends.factor_operations import FactorOperations
from manifact.backends.plain import wide
from manifact.backends.protocol import Backend
from manifact.backends.torch.tensors import sparse_csr

#: Y is at least this fraction of X: the divergence of a sample from nothing stays finite, at any scale.
FLOOR = 1e-10


class TorchData(FactorOperations):
    """Γ X; Y = V Uᵀ is formed where X is dense, and at the entries of X where it is sparse."""

    backend: Backend = torch_backend
    weight: Any

    def __init__(self, X: Any, weight: Any) -> None:
        self._plain = X
        self.weight = None if weight is None else torch.as_tensor(weight, dtype=X.dtype, device=X.device)
        self.shape = tuple(X.shape)
        self.dtype = X.dtype
        self._sparse = X.layout == torch.sparse_csr

    @cached_property
    def _rows(self) -> Any:
        """The row of every entry of sparse X."""
        counts = torch.diff(self._plain.crow_indices())
        return torch.repeat_interleave(torch.arange(self.shape[0], device=self._plain.device), counts)

    @cached_property
    def _gamma(self) -> Any:
        """γ for every entry, or a column of them."""
        if self.weight is None:
            return 1.0
        return self.weight[self._rows] if self._sparse else self.weight[:, None]

    @cached_property
    def _values(self) -> Any:
        """The entries of X, not weighted."""
        return self._plain.values() if self._sparse else self._plain

    def _with(self, values: Any) -> Any:
        """A matrix with other entries in the place of X's."""
        if not self._sparse:
            return values
        X = self._plain
        return sparse_csr(X.crow_indices(), X.col_indices(), values, self.shape, X.device)

    @cached_property
    def X(self) -> Any:
        """Γ X."""
        return self._plain if self.weight is None else self._with(self._gamma * self._values)

    @cached_property
    def _XT(self) -> Any:
        return self._transposed(self.X)

    def _transposed(self, M: Any) -> Any:
        return M.T if not self._sparse else M.t().to_sparse_csr()

    @cached_property
    def signed(self) -> bool:
        """Whether X has negative entries."""
        return bool(self._values.numel() and self._values.min() < 0)

    def halves(self) -> tuple[Any, Any]:
        """X⁺ and X⁻."""
        positive, negative = (self._with(torch.clamp(sign * self._values, min=0)) for sign in (1, -1))
        return TorchData(positive, None), TorchData(negative, None)

    def times(self, U: Any) -> Any:
        """Γ X U."""
        return self.X @ U

    def times_transposed(self, V: Any) -> Any:
        """Xᵀ Γ V."""
        return self._XT @ V

    def _floored(self, U: Any, V: Any) -> Any:
        """Y at the entries of X, with its floor."""
        Y = torch.sum(V[self._rows] * U[self._plain.col_indices()], dim=1) if self._sparse else V @ U.T
        return torch.maximum(Y, FLOOR * self._values + torch.finfo(self.dtype).tiny)

    def ratio_times(self, U: Any, V: Any) -> tuple[Any, float]:
        """(Γ X / Y) U and Σ γ_j x_ji log y_ji, Y = V Uᵀ."""
        Y, x = self._floored(U, V), self._gamma * self._values
        return self._with(x / Y) @ U, float(torch.sum(wide(x) * torch.log(wide(Y))))

    def ratio_times_transposed(self, U: Any, V: Any) -> Any:
        """(Γ X / Y)ᵀ V."""
        ratios = self._with(self._gamma * self._values / self._floored(U, V))
        return self._transposed(ratios) @ V

    def dense_blocks(self) -> Iterator[tuple[slice, Any]]:
        """X in one block."""
        if self._sparse:
            raise TypeError("this loss needs a dense X: pass X.to_dense() if that fits in memory, or use another loss")
        yield slice(0, self.shape[0]), self._plain

    def row(self, j: int) -> Any:
        """Row j of X, dense."""
        return self._plain[j].to_dense() if self._sparse else self._plain[j]

    @cached_property
    def row_squares(self) -> Any:
        """‖x_j‖²."""
        squares = self._values * self._values
        if not self._sparse:
            return torch.sum(squares, dim=1)
        return torch.zeros(self.shape[0], dtype=self.dtype, device=squares.device).index_add(0, self._rows, squares)

    @cached_property
    def squares(self) -> Any:
        """Σ_i γ_j x_ji² of each sample."""
        return self.row_squares if self.weight is None else self.weight * self.row_squares

    @cached_property
    def square_sum(self) -> float:
        """Σ γ_j x_ji²."""
        return float(torch.sum(wide(self._gamma * self._values) * wide(self._values)))

    @cached_property
    def entry_sum(self) -> float:
        """Σ γ_j x_ji."""
        return float(torch.sum(wide(self._gamma * self._values)))

    @cached_property
    def entropy_sum(self) -> float:
        """Σ γ_j (x_ji log x_ji − x_ji)."""
        x = wide(self._values)
        return float(torch.sum(self._gamma * torch.special.xlogy(x, x))) - self.entry_sum

    def settled(self, value: float, U: Any, V: Any) -> float:
        """Entry by entry where X is dense."""
        if self._sparse:
            return max(value, 0.0)
        residual = wide(self._plain - V @ U.T)
        return float(torch.sum(self._gamma * residual * residual))

    def project_least_squares(self, U: Any, G: Any, pull: Any, shift: Any, l1: float) -> Any:
        """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 (x_jU + pull_j − l1/2)ᵀv, each on its own."""
        B = self.times(U) - l1 / 2
        return self.backend.nonnegative_least_squares(G, B if pull is None else B + pull, shift)

    def project_divergence(self, U: Any, pull: Any, shift: Any, l1: float, l2: float) -> Any:
        """Rows argmin_{v ≥ 0} KL(x_j ‖ U v) + Σ (l1 + shift_j) v + l2/2 v² − pull_j log v, on the host."""
        data = host_backend.data(torch_backend.host(self._plain), None)
        shift = torch_backend.host(shift) if isinstance(shift, torch.Tensor) else shift
        pull = None if pull is None else torch_backend.host(pull)
        return torch_backend.like(data.project_divergence(torch_backend.host(U), pull, shift, l1, l2), U)
