"""Γ X of the host, larger than the device: every pass walks over blocks of rows, and V stays on the device.

Given U and a few small sums, blocks know nothing of each other: each is an X of its own, and what they give is put
together or added up, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from manifact.backends import torch as torch_backend
from manifact.backends.factor_operations import FactorOperations
from manifact.backends.protocol import Backend
from manifact.backends.torch.host_samples import HostSamples
from manifact.backends.torch.placement import out_of_memory
from manifact.utils.cached_properties import cached_property
from manifact.utils.sparse_matrices import split_by_sign


class StreamedData(FactorOperations):
    """What `DenseTorchData` and `SparseTorchData` offer, a block of rows at a time."""

    backend: Backend = torch_backend
    weight: Any

    def __init__(self, X: HostSamples, weight: Any) -> None:
        self._samples = X
        self.weight = None if weight is None else torch.as_tensor(weight, dtype=X.dtype, device=X.device)
        self.shape = X.shape
        self.dtype = X.dtype
        self.settles_for_free = X.is_sparse

    def _walk(self) -> Iterator[tuple[slice, Any]]:
        """Rows, and their data."""
        for rows, block in self._samples.blocks():
            yield rows, torch_backend.data(block, None if self.weight is None else self.weight[rows])

    def _joined(self, part: Callable[[Any, slice], Any]) -> Any:
        """What every block gives for its rows, one below the other."""
        return torch.cat([part(data, rows) for rows, data in self._walk()])

    def _added(self, part: Callable[[Any, slice], Any]) -> Any:
        """What all blocks give, added up in their order."""
        parts = (part(data, rows) for rows, data in self._walk())
        total = next(parts)
        for one in parts:
            total = total + one
        return total

    def out_of_memory(self, trouble: BaseException, k: int) -> str | None:
        """How many parts would fit."""
        return out_of_memory(trouble, self.shape, k, self.dtype.itemsize)

    @cached_property
    def signed(self) -> bool:
        """Whether X has negative entries."""
        return any(data.signed for _, data in self._walk())

    def halves(self) -> tuple[StreamedData, StreamedData]:
        """X⁺ and X⁻."""
        positive, negative = (
            StreamedData(self._samples.beside(half), None) for half in split_by_sign(self._samples.host)
        )
        return positive, negative

    def times(self, U: Any) -> Any:
        """Γ X U."""
        return self._joined(lambda data, rows: data.times(U))

    def times_transposed(self, V: Any) -> Any:
        """Xᵀ Γ V."""
        return self._added(lambda data, rows: data.times_transposed(V[rows]))

    def ratio_times(self, U: Any, V: Any) -> tuple[Any, Any]:
        """(Γ X / Y) U and Σ γ_j x_ji log y_ji, Y = V Uᵀ."""
        found = [data.ratio_times(U, V[rows]) for rows, data in self._walk()]
        return torch.cat([part for part, _ in found]), torch.sum(torch.stack([total for _, total in found]))

    def ratio_times_transposed(self, U: Any, V: Any) -> Any:
        """(Γ X / Y)ᵀ V."""
        return self._added(lambda data, rows: data.ratio_times_transposed(U, V[rows]))

    def dense_blocks(self) -> Iterator[tuple[slice, Any]]:
        """X a block of rows at a time."""
        for rows, data in self._walk():
            for some, block in data.dense_blocks():
                yield slice(rows.start + some.start, rows.start + some.stop), block

    def row(self, j: int) -> Any:
        """Row j of X, dense."""
        return self._samples.row(j)

    @cached_property
    def row_squares(self) -> Any:
        """‖x_j‖²."""
        return self._joined(lambda data, rows: data.row_squares)

    @cached_property
    def squares(self) -> Any:
        """Σ_i γ_j x_ji² of each sample."""
        return self.row_squares if self.weight is None else self.weight * self.row_squares

    @cached_property
    def square_sum(self) -> float:
        """Σ γ_j x_ji²."""
        return float(self._added(lambda data, rows: data.square_sum))

    @cached_property
    def entry_sum(self) -> float:
        """Σ γ_j x_ji."""
        return float(self._added(lambda data, rows: data.entry_sum))

    @cached_property
    def entropy_sum(self) -> float:
        """Σ γ_j (x_ji log x_ji − x_ji)."""
        return float(self._added(lambda data, rows: data.entropy_sum))

    def settled(self, value: Any, U: Any, V: Any) -> Any:
        """Entry by entry where X is dense."""
        if self._samples.is_sparse:
            return torch.clamp(value, min=0.0) if isinstance(value, torch.Tensor) else max(value, 0.0)
        return self._added(lambda data, rows: data.settled(value, U, V[rows]))

    def project_least_squares(self, U: Any, G: Any, pull: Any, shift: Any, l1: float) -> Any:
        """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 (x_jU + pull_j − l1/2)ᵀv, each on its own."""
        return self._joined(
            lambda data, rows: data.project_least_squares(U, G, _own(pull, rows), _own(shift, rows), l1)
        )

    def project_divergence(self, U: Any, pull: Any, shift: Any, l1: float, l2: float) -> Any:
        """Rows argmin_{v ≥ 0} KL(x_j ‖ U v) + Σ (l1 + shift_j) v + l2/2 v² − pull_j log v, each on its own."""
        return self._joined(lambda data, rows: data.project_divergence(U, _own(pull, rows), _own(shift, rows), l1, l2))


def _own(value: Any, rows: slice) -> Any:
    """What belongs to some rows, where it is given for each."""
    return value[rows] if getattr(value, "ndim", 0) else value
