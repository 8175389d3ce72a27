"""Sums over the samples of a CSR block, scattered to its features: no transpose of X is needed.

For blocks of rows that come and go. Each part of the rows has sums of its own, so that no two threads write to the same
place. V and U come padded to whole vectors (see `lanes`), and so do the sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel
from manifact.backends.numpy.kernels.lanes import add_scaled, dots


@kernel
def times_transposed(
    indptr: Any, indices: Any, values: Any, V: Any, bounds: Any, out: Any, start: int, stop: int
) -> None:
    """out_p = X_pᵀ V_p for the parts p from start to stop, the rows bounds_p to bounds_p+1."""
    number = V.dtype.type
    for part in range(start, stop):
        sums = out[part]
        sums[:] = 0
        for j in range(bounds[part], bounds[part + 1]):
            row = (j,)
            for t in range(indptr[j], indptr[j + 1]):
                add_scaled(sums[indices[t]], (number(values[t]),), V, row)


@kernel
def ratio_times_transposed(
    indptr: Any, indices: Any, values: Any, U: Any, V: Any, floors: Any, tiny: float, bounds: Any, out: Any,
    start: int, stop: int,
) -> None:  # fmt: skip
    """out_p = (X_p / Y_p)ᵀ V_p for the parts p from start to stop, Y = V Uᵀ one entry at a time."""
    for part in range(start, stop):
        sums = out[part]
        sums[:] = 0
        for j in range(bounds[part], bounds[part + 1]):
            v, row = V[j], (j,)
            t, last = np.int64(indptr[j]), np.int64(indptr[j + 1])
            while t + 4 <= last:
                features = indices[t], indices[t + 1], indices[t + 2], indices[t + 3]
                y = dots(U, features, v)
                for place in range(4):
                    x = values[t + place]
                    scale = x / max(y[place], floors[j] * x + tiny)
                    add_scaled(sums[features[place]], (scale,), V, row)
                t += 4
            while t < last:
                x = values[t]
                scale = x / max(dots(U, (indices[t],), v)[0], floors[j] * x + tiny)
                add_scaled(sums[indices[t]], (scale,), V, row)
                t += 1
