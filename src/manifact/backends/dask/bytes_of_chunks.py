"""Bytes of what workers hold, told to Dask: what it takes for small it moves to any worker that is idle."""

from __future__ import annotations

from typing import Any

from dask.sizeof import sizeof
from scipy import sparse

from manifact.backends.numpy.numpy_data import DenseData, SparseData
from manifact.backends.numpy.scattered_data import ScatteredData

#: Of an object that holds arrays.
FRAME = 200


@sizeof.register(sparse.sparray)
def of_sparse(matrix: Any) -> int:
    """Entries, and where they are."""
    parts = [getattr(matrix, name, None) for name in ("data", "indices", "indptr", "row", "col")]
    return FRAME + sum(int(getattr(part, "nbytes", 0)) for part in parts)


@sizeof.register((DenseData, SparseData, ScatteredData))
def of_data(data: Any) -> int:
    """X of a chunk, and its transpose where that is kept."""
    # What is made when it is asked for counts once it is there.
    held = [data.X, vars(data).get("XT")]
    return FRAME + sum(int(sizeof(part)) for part in held if part is not None)
