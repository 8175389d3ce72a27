"""What a matrix must be to serve as a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.utils.sparse_matrices import sorted_csr


def check_affinity(W: Any, name: str = "graph") -> Any:
    """W as CSR without its diagonal, or one sentence that says what is wrong with it."""
    if not hasattr(W, "shape") or len(W.shape) != 2 or W.shape[0] != W.shape[1]:
        shape = getattr(W, "shape", type(W).__name__)
        raise ValueError(f"{name} must be a graph builder such as KNNGraph() or a square affinity matrix, got {shape}")
    W = sorted_csr(sparse.csr_array(W).astype(np.float64))
    if not np.isfinite(W.data).all():
        raise ValueError(f"{name} contains NaN or infinity: replace or drop these affinities")
    if W.nnz and W.data.min() < 0:
        raise ValueError(f"{name} has a negative affinity ({W.data.min():g}): affinities must be >= 0")
    asymmetry = abs(W - W.T)
    # Affinities that were computed in float32 differ by their rounding.
    if asymmetry.nnz and asymmetry.max() > 1e-5 * W.data.max():
        raise ValueError(
            f"{name} is not symmetric (largest difference {asymmetry.max():g}): "
            "pass the elementwise maximum of W and its transpose, W.maximum(W.T)"
        )
    return without_loops(sparse.csr_array((W + W.T) / 2) if asymmetry.nnz else W)


def without_loops(W: Any) -> Any:
    """W with an empty diagonal: self loops do not change L."""
    if W.shape[0] and W.diagonal().any():
        W = W - sparse.diags_array(W.diagonal())
        W = sparse.csr_array(W)
    else:
        W = W.copy()
    W.eliminate_zeros()
    return sorted_csr(W)
