"""A block of samples: what is computed with of one that is let go again, and of one that stays.

Kernels are loaded with the first block: who imports a model that learns from streams may never need them.
"""

from __future__ import annotations

from typing import Any

from scipy import sparse


def passing_data(block: Any, weight: Any) -> Any:
    """Γ X of a block that is let go again: a transpose would take longer to make than it is used."""
    from manifact.backends.numpy.numpy_data import DenseData
    from manifact.backends.numpy.scattered_data import ScatteredData

    return ScatteredData(block, weight) if sparse.issparse(block) else DenseData(block, weight)


def lasting_data(block: Any, weight: Any) -> Any:
    """Γ X of a block that stays."""
    from manifact.backends.numpy.numpy_data import DenseData, SparseData

    return SparseData(block, weight) if sparse.issparse(block) else DenseData(block, weight)
