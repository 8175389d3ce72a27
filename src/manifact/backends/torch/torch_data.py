"""X as a tensor, dense or sparse CSR, that is where it is worked with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from manifact.backends import numpy as host_backend
from manifact.backends import torch as torch_backend
from manifact.backends.factor_operations import FactorOperations
from manifact.backends.numpy.numpy_operations import effort
from manifact.backends.plain import wide
from manifact.backends.protocol import Backend
from manifact.backends.torch import kernels
from manifact.backends.torch.full_precision import full_precision
from manifact.backends.torch.placement import out_of_memory
from manifact.backends.torch.row_steps import host_type, per_row
from manifact.backends.torch.sparse_rows import SparseRows
from manifact.utils.cached_properties import cached_property

#: Y is at least this fraction of X: the divergence of a sample from nothing stays finite, at any scale.
FLOOR = 1e-10
#: Dense blocks of Y have at most so many numbers.
BLOCK_NUMBERS = 1 << 26


class _TorchData(FactorOperations):
    """What dense and sparse X share."""

    backend: Backend = torch_backend
    weight: Any
    #: The entries of X, not weighted.
    values: Any

    def __init__(self, X: Any, weight: Any) -> None:
        self._plain = X
        self.weight = None if weight is None else torch.as_tensor(weight, dtype=X.dtype, device=X.device)
        self.shape = tuple(X.shape)
        self.dtype = X.dtype

    @property
    def gamma(self) -> Any:
        """γ for every entry, or a column of them."""
        raise NotImplementedError

    @cached_property
    def signed(self) -> bool:
        """Whether X has negative entries."""
        return bool(self.values.numel() and self.values.min() < 0)

    @property
    def row_squares(self) -> Any:
        """‖x_j‖²."""
        raise NotImplementedError

    @cached_property
    def squares(self) -> Any:
        """Σ_i γ_j x_ji² of each sample."""
        return self.row_squares if self.weight is None else self.weight * self.row_squares

    @cached_property
    def square_sum(self) -> float:
        """Σ γ_j x_ji²."""
        return float(torch.sum(self.gamma * wide(self.values) * self.values))

    @cached_property
    def entry_sum(self) -> float:
        """Σ γ_j x_ji."""
        return float(torch.sum(self.gamma * self.values, dtype=torch.float64))

    @cached_property
    def entropy_sum(self) -> float:
        """Σ γ_j (x_ji log x_ji − x_ji)."""
        x = wide(self.values)
        return float(torch.sum(self.gamma * torch.special.xlogy(x, x))) - self.entry_sum

    def times(self, U: Any) -> Any:
        """Γ X U."""
        raise NotImplementedError

    def out_of_memory(self, trouble: BaseException, k: int) -> str | None:
        """How many parts would fit."""
        return out_of_memory(trouble, self.shape, k, self.dtype.itemsize)

    def project_least_squares(self, U: Any, G: Any, pull: Any, shift: Any, l1: float) -> Any:
        """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 (x_jU + pull_j − l1/2)ᵀv, each on its own."""
        B = self.times(U) - l1 / 2
        return self.backend.nonnegative_least_squares(G, B if pull is None else B + pull, shift)

    def project_divergence(self, U: Any, pull: Any, shift: Any, l1: float, l2: float) -> Any:
        """Rows argmin_{v ≥ 0} KL(x_j ‖ U v) + Σ (l1 + shift_j) v + l2/2 v² − pull_j log v, each on its own."""
        if kernels.serve(U):
            return self._projected_divergence(U, pull, shift, l1, l2)
        data = host_backend.data(torch_backend.host(self._plain), None)
        shift = torch_backend.host(shift) if isinstance(shift, torch.Tensor) else shift
        pull = None if pull is None else torch_backend.host(pull)
        return torch_backend.like(data.project_divergence(torch_backend.host(U), pull, shift, l1, l2), U)

    def _projected_divergence(self, U: Any, pull: Any, shift: Any, l1: float, l2: float) -> Any:
        """By a kernel, whose rows stop one by one."""
        from manifact.backends.torch.kernels.row_projections import divergence

        X, k = self._entries(), U.shape[1]
        a = torch.sum(U, dim=0) + l1
        # Every start with no zero finds the same minimum; this one has the right total for each sample.
        totals = X.times(torch.ones((self.shape[1], 1), dtype=U.dtype, device=U.device)) / torch.sum(a)
        V = torch.nan_to_num(totals, nan=0.0, posinf=0.0).expand(-1, k).contiguous()
        held = per_row(shift, V)
        pull = torch.zeros_like(V) if pull is None else pull.expand(V.shape).contiguous()
        V = V + pull / torch.clamp(a + held[:, None], min=torch.finfo(V.dtype).tiny)
        sweeps, tol = effort("divergence", host_type(V))
        divergence(X.indptr, X.indices, X.values, U, a, l2, pull, held, FLOOR, sweeps, tol, V)
        return V

    def _entries(self) -> SparseRows:
        """X by its entries."""
        raise NotImplementedError


class SparseTorchData(_TorchData):
    """Γ X in CSR, and a second copy by columns, made when first needed; Y exists at the entries of X alone."""

    #: Y is not formed, so a loss that lost its digits costs nothing to settle.
    settles_for_free = True

    def __init__(self, X: Any, weight: Any) -> None:
        super().__init__(X, weight)
        self._unweighted = SparseRows.of(X)
        self.values = self._unweighted.values

    @cached_property
    def gamma(self) -> Any:
        return 1.0 if self.weight is None else self.weight[self._unweighted.rows]

    @cached_property
    def _rows(self) -> SparseRows:
        """Γ X."""
        return self._unweighted if self.weight is None else self._unweighted.with_values(self.gamma * self.values)

    @cached_property
    def _columns(self) -> SparseRows:
        """(Γ X)ᵀ."""
        return self._rows.transposed()

    def _entries(self) -> SparseRows:
        return self._unweighted

    def halves(self) -> tuple[Any, Any]:
        """X⁺ and X⁻."""
        parts = (torch.clamp(sign * self.values, min=0) for sign in (1, -1))
        positive, negative = (SparseTorchData(self._unweighted.with_values(part).tensor, None) for part in parts)
        return positive, negative

    def times(self, U: Any) -> Any:
        return self._rows.times(U)

    def times_transposed(self, V: Any) -> Any:
        """Xᵀ Γ V."""
        return self._columns.times(V)

    @cached_property
    def _floors(self) -> Any:
        """What γx is multiplied by for the floor under y, which is made of x: one number, or one for each sample."""
        like = self.values.new_ones(1) if self.weight is None else self.weight
        return FLOOR / torch.where(like > 0, like, 1.0)

    def ratio_times(self, U: Any, V: Any) -> tuple[Any, Any]:
        """(Γ X / Y) U and Σ γ_j x_ji log y_ji, Y = V Uᵀ."""
        X = self._rows
        if kernels.serve(V):
            out, logs = self._ratios(X, U, V, "own", True)
            return out, torch.sum(logs)
        Y = self._floored(X, U, V, X.rows)
        return X.with_values(X.values / Y).times(U), torch.sum(wide(X.values) * torch.log(wide(Y)))

    def ratio_times_transposed(self, U: Any, V: Any) -> Any:
        """(Γ X / Y)ᵀ V."""
        XT = self._columns
        if kernels.serve(V):
            return self._ratios(XT, V, U, "gathered", False)[0]
        return XT.with_values(XT.values / self._floored(XT, V, U, XT.indices)).times(V)

    def _ratios(self, X: SparseRows, gathered: Any, own: Any, whose: str, logs: bool) -> tuple[Any, Any]:
        """By a kernel; ``whose`` rows of the factors belong to samples, and so to floors."""
        from manifact.backends.torch.kernels import ratio_passes

        gathered, own = gathered.contiguous(), own.contiguous()
        place = {"own": ratio_passes.OWN, "gathered": ratio_passes.GATHERED}[whose]
        floors, cut = self._floors, X.cut(gathered.shape[1] * gathered.dtype.itemsize)
        whose_floor = ratio_passes.SHARED if self.weight is None else place
        return ratio_passes.ratio_rows(cut, X.indices, X.values, gathered, own, floors, whose_floor, logs)

    def _floored(self, X: SparseRows, gathered: Any, own: Any, samples: Any) -> Any:
        """Y at the entries of X, with its floor."""
        Y = torch.sum(own[X.rows] * gathered[X.indices], dim=1)
        floors = self._floors if self.weight is None else self._floors[samples]
        return torch.maximum(Y, floors * X.values + torch.finfo(self.dtype).tiny)

    def dense_blocks(self) -> Iterator[tuple[slice, Any]]:
        """Sparse X is never made dense."""
        raise TypeError("this loss needs a dense X: pass X.to_dense() if that fits in memory, or use another loss")

    def row(self, j: int) -> Any:
        """Row j of X, dense."""
        begin, end = self._unweighted.indptr[j : j + 2].tolist()
        out = torch.zeros(self.shape[1], dtype=self.dtype, device=self.values.device)
        out[self._unweighted.indices[begin:end].long()] = self.values[begin:end]
        return out

    @cached_property
    def row_squares(self) -> Any:
        ones = torch.ones((self.shape[1], 1), dtype=self.dtype, device=self.values.device)
        return self._unweighted.with_values(self.values * self.values).times(ones)[:, 0]

    def settled(self, value: Any, U: Any, V: Any) -> Any:
        """Entry by entry would form Y."""
        return torch.clamp(value, min=0.0) if isinstance(value, torch.Tensor) else max(value, 0.0)


class DenseTorchData(_TorchData):
    """Γ X as a tensor; Y is formed a block of rows at a time."""

    def __init__(self, X: Any, weight: Any) -> None:
        super().__init__(X, weight)
        self.values = X

    @property
    def gamma(self) -> Any:
        return 1.0 if self.weight is None else self.weight[:, None]

    @cached_property
    def X(self) -> Any:
        """Γ X."""
        return self._plain if self.weight is None else self.gamma * self._plain

    def _entries(self) -> SparseRows:
        return SparseRows.of(self._plain.to_sparse_csr())

    def halves(self) -> tuple[Any, Any]:
        """X⁺ and X⁻."""
        positive, negative = (DenseTorchData(torch.clamp(sign * self._plain, min=0), None) for sign in (1, -1))
        return positive, negative

    def times(self, U: Any) -> Any:
        with full_precision():
            return self.X @ U

    def times_transposed(self, V: Any) -> Any:
        """Xᵀ Γ V."""
        with full_precision():
            return self.X.T @ V

    def _blocks(self) -> Iterator[slice]:
        rows = max(1, BLOCK_NUMBERS // max(1, self.shape[1]))
        return (slice(start, min(start + rows, self.shape[0])) for start in range(0, self.shape[0], rows))

    def _floored(self, rows: slice, U: Any, V: Any) -> Any:
        return torch.maximum(V[rows] @ U.T, FLOOR * self._plain[rows] + torch.finfo(self.dtype).tiny)

    def ratio_times(self, U: Any, V: Any) -> tuple[Any, Any]:
        """(Γ X / Y) U and Σ γ_j x_ji log y_ji, Y = V Uᵀ."""
        out, total = torch.empty_like(V), 0.0
        with full_precision():
            for rows in self._blocks():
                Y = self._floored(rows, U, V)
                out[rows] = (self.X[rows] / Y) @ U
                total = total + self.inner(self.X[rows], torch.log(Y))
        return out, total

    def ratio_times_transposed(self, U: Any, V: Any) -> Any:
        """(Γ X / Y)ᵀ V."""
        out = torch.zeros_like(U)
        with full_precision():
            for rows in self._blocks():
                out += (self.X[rows] / self._floored(rows, U, V)).T @ V[rows]
        return out

    def dense_blocks(self) -> Iterator[tuple[slice, Any]]:
        """X a block of rows at a time."""
        for rows in self._blocks():
            yield rows, self._plain[rows]

    def row(self, j: int) -> Any:
        """Row j of X."""
        return self._plain[j]

    @cached_property
    def row_squares(self) -> Any:
        return torch.sum(self._plain * self._plain, dim=1)

    def settled(self, value: Any, U: Any, V: Any) -> Any:
        """Entry by entry."""
        total = 0.0
        with full_precision():
            for rows in self._blocks():
                R = self._plain[rows] - V[rows] @ U.T
                total = total + self.inner(R if self.weight is None else R * self.gamma[rows], R)
        return total
