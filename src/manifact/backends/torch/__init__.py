"""PyTorch: tensors, dense or sparse CSR, on any device; on a GPU by Triton's kernels, where it is installed.

What has no form for tensors yet (the search for neighbours) is done by NumPy's backend on the host and brought back.
"""

from typing import Any

import torch

from manifact.backends import numpy as host_backend
from manifact.backends.protocol import Data, ShowProgress, silent
from manifact.backends.torch.factor_sums import column_products, column_sums, cross, inner, rescale
from manifact.backends.torch.graph_operations import edge_classes, edge_energies, edge_gaussians, times
from manifact.backends.torch.host_samples import HostSamples
from manifact.backends.torch.linear_systems import solve_columns
from manifact.backends.torch.multiplied_rows import ahead, multiply_rows, product, scale
from manifact.backends.torch.row_steps import nonnegative_least_squares, sweep_affinity, sweep_rows
from manifact.backends.torch.tensors import as_tensor, host

__all__ = [
    "ahead",
    "column_products",
    "column_sums",
    "cross",
    "data",
    "edge_classes",
    "edge_energies",
    "edge_gaussians",
    "host",
    "inner",
    "leading_directions",
    "like",
    "multiply_rows",
    "nearest",
    "nearest_by_products",
    "nearest_by_projection",
    "nonnegative_least_squares",
    "product",
    "projected",
    "reached",
    "rescale",
    "row_products",
    "scale",
    "solve_columns",
    "sweep_affinity",
    "sweep_rows",
    "times",
]


def data(X: Any, weight: Any) -> Data:
    """Γ X."""
    from manifact.backends.torch.streamed_data import StreamedData
    from manifact.backends.torch.torch_data import DenseTorchData, SparseTorchData

    if isinstance(X, HostSamples):
        return StreamedData(X, weight)
    return SparseTorchData(X, weight) if X.layout == torch.sparse_csr else DenseTorchData(X, weight)


def like(P: Any, other: Any) -> Any:
    """A host array on the device of ``other``; its type is kept."""
    return as_tensor(P, other.device)


def leading_directions(
    X: Any, rank: int, random_state: Any = 0, scale: Any = None, iterations: int = 4, progress: ShowProgress = silent
) -> tuple[Any, Any]:
    """The leading singular values s and right singular vectors Q (m x r) of diag(scale) X, r at most ``rank``."""
    from manifact.backends.torch.tensor_directions import leading_directions

    return leading_directions(X, rank, random_state, scale, iterations, progress)


def projected(X: Any, Q: Any) -> Any:
    """X Q in float64."""
    return X.to(torch.float64) @ Q.to(torch.float64)


def nearest(
    X: Any, n_neighbors: int, queries: Any = None, farthest: bool = False, title: str = "neighbours",
    progress: ShowProgress = silent,
) -> tuple[Any, Any]:  # fmt: skip
    """Indices and squared distances of the rows of X nearest to (or farthest from) each query, by the host."""
    asked = None if queries is None else host(queries)
    found = host_backend.nearest(host(X), n_neighbors, asked, farthest, title, progress)
    return like(found[0], X), like(found[1], X)


def nearest_by_projection(
    X: Any, n_neighbors: int, random_state: Any = 0, progress: ShowProgress = silent
) -> tuple[Any, Any]:
    """As ``nearest``, for almost all neighbours, by the host."""
    found = host_backend.nearest_by_projection(host(X), n_neighbors, random_state, progress)
    return like(found[0], X), like(found[1], X)


def row_products(X: Any) -> Any:
    """X Xᵀ, dense, by the host."""
    return like(host_backend.row_products(host(X)), X)


def nearest_by_products(G: Any, n_neighbors: int) -> tuple[Any, Any]:
    """As ``nearest`` of rows whose inner products G are known, by the host."""
    found = host_backend.nearest_by_products(host(G), n_neighbors)
    return like(found[0], G), like(found[1], G)


def reached(
    X: Any, squares: Any, queries: Any, farthest: bool = False, progress: ShowProgress = silent
) -> tuple[Any, Any]:
    """Pairs (query, row of X) whose squared distance is below (or above) the row's own, by the host."""
    found = host_backend.reached(host(X), host(squares), host(queries), farthest, progress)
    return like(found[0], X), like(found[1], X)
