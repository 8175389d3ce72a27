"""Sparse matrices that all backends can apply, and how a graph is put together from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from manifact.backends.protocol import Array
from manifact.utils.sparse_matrices import sorted_csr


class Matrix:
    """A CSR matrix of the host, and beside it the forms that backends work with, each made once."""

    def __init__(self, csr: Any) -> None:
        self.csr = sorted_csr(csr)
        self._forms: dict[Hashable, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        # Forms are made again: another process may have no such device.
        return {"csr": self.csr, "_forms": {}}

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.csr.shape
        return rows, columns

    def entry_sum(self) -> Any:
        """Σ of all entries in float64, a number or one of the device."""
        return float(self.csr.data.sum(dtype=float))

    def form(self, name: Hashable, make: Callable[[Any], Any]) -> Any:
        """What ``make`` makes of the matrix, kept under a name."""
        if name not in self._forms:
            self._forms[name] = make(self.csr)
        return self._forms[name]

    def typed(self, dtype: Any) -> Any:
        """The host's matrix in another type."""
        dtype = np.dtype(dtype)
        return self.csr if dtype == self.csr.dtype else self.form(dtype, lambda csr: csr.astype(dtype))


@dataclass(frozen=True)
class Pieces:
    """W = edges + tall · flat − diag(loops), any of them missing: what a linear solve has to know of a graph."""

    #: Row sums of W.
    degrees: Array
    edges: Matrix | None = None
    #: n x p and p x n.
    tall: Matrix | None = None
    flat: Matrix | None = None
    #: What tall · flat has on its diagonal and W has not.
    loops: Array | None = None
