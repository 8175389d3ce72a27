"""Γ X of one block of sparse rows that is read, multiplied and let go: products with Xᵀ without a transpose."""

from __future__ import annotations

import numpy as np

from manifact.backends.numpy.dense_products import added
from manifact.backends.numpy.kernels import scattered_sums
from manifact.backends.numpy.numpy_data import SparseData
from manifact.backends.numpy.numpy_factors import padded
from manifact.backends.protocol import Array
from manifact.backends.threads import over_rows

#: Sums of so many parts of the rows at the most, each of at least so many entries for every feature: what it takes to
#: add parts up is small beside them. The number must not depend on that of threads, on which no digit does.
MOST_PARTS, ENTRIES_PER_FEATURE = 16, 25


class ScatteredData(SparseData):
    """As `SparseData`; a transpose would take longer to make than it is used."""

    def times_transposed(self, V: Array) -> Array:
        X, k = self.X, V.shape[1]
        V = padded(V.astype(self.dtype, copy=False))
        bounds, out = self._parts(V)
        work = X.nnz * V.shape[1]
        over_rows(scattered_sums.times_transposed, len(out), work, X.indptr, X.indices, X.data, V, bounds, out)
        return _together(out, k)

    def ratio_times_transposed(self, U: Array, V: Array) -> Array:
        X, k, tiny = self.X, V.shape[1], self.dtype.type(np.finfo(self.dtype).tiny)
        U, V = padded(U), padded(V)
        bounds, out = self._parts(V)
        over_rows(
            scattered_sums.ratio_times_transposed, len(out), 2 * X.nnz * V.shape[1], X.indptr, X.indices, X.data, U, V,
            self._floors, tiny, bounds, out,
        )  # fmt: skip
        return _together(out, k)

    def _parts(self, V: Array) -> tuple[Array, Array]:
        """Where the rows of parts with about as many entries begin, and room for their sums."""
        indptr, m = self.X.indptr, self.X.shape[1]
        parts = min(MOST_PARTS, max(1, int(indptr[-1]) // (ENTRIES_PER_FEATURE * max(1, m))))
        bounds = np.searchsorted(indptr, np.linspace(0, int(indptr[-1]), parts + 1))
        bounds[0], bounds[-1] = 0, len(indptr) - 1
        return bounds, np.empty((parts, m, V.shape[1]), dtype=V.dtype)


def _together(parts: Array, k: int) -> Array:
    """The sum of all parts, without the padding."""
    return np.ascontiguousarray(parts[0][:, :k]) if len(parts) == 1 else added(parts, k)
