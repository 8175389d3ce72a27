"""PyTorch: tensors, dense or sparse CSR, on any device; on a GPU by Triton's kernels, where it is installed.

What has no form for tensors (k-means of V) is done by NumPy's backend on the host and brought back.
"""

from typing import Any

import numpy as np
import torch

from manifact.backends import numpy as host_backend
from manifact.backends.plain import log_costs, overrelaxed
from manifact.backends.protocol import Data, ShowProgress, silent
from manifact.backends.torch import tensor_rows as rows
from manifact.backends.torch.factor_sums import column_products, column_sums, cross, inner, rescale
from manifact.backends.torch.graph_operations import edge_classes, edge_energies, edge_gaussians, times
from manifact.backends.torch.host_samples import HostSamples
from manifact.backends.torch.linear_systems import solve_columns
from manifact.backends.torch.multiplied_rows import added, ahead, multiply_rows, product, scale
from manifact.backends.torch.row_steps import nonnegative_least_squares, sweep_affinity, sweep_rows
from manifact.backends.torch.tensor_centres import cluster_centres
from manifact.backends.torch.tensor_directions import leading_directions, projected
from manifact.backends.torch.tensor_neighbors import nearest, nearest_by_products, reached, row_products
from manifact.backends.torch.tensors import as_tensor, host

__all__ = [
    "added",
    "ahead",
    "cluster_centres",
    "column_products",
    "column_sums",
    "cross",
    "data",
    "edge_classes",
    "edge_energies",
    "edge_gaussians",
    "exchanged",
    "host",
    "inner",
    "kept",
    "kmeans",
    "leading_directions",
    "like",
    "like_rows",
    "log_costs",
    "multiply_rows",
    "nearest",
    "nearest_by_products",
    "nearest_by_projection",
    "nonnegative_least_squares",
    "overrelaxed",
    "product",
    "projected",
    "reached",
    "rescale",
    "row_products",
    "rows",
    "scale",
    "sketched_descent",
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


def like_rows(P: Any, other: Any) -> Any:
    """The same: a device holds all rows."""
    return like(P, other)


def kept(P: Any) -> Any:
    """It is."""
    return P


def nearest_by_projection(
    X: Any, n_neighbors: int, random_state: Any = 0, progress: ShowProgress = silent
) -> tuple[Any, Any]:
    """As ``nearest``: where products are this fast, no projection is faster than the search for all."""
    return nearest(X, n_neighbors, progress=progress)


def sketched_descent(
    rows: Any, directions: Any, U: Any, V: Any, before: tuple[Any, Any], rate: float, along: Any, drawn: Any,
    sweeps: int,
) -> None:  # fmt: skip
    """Steps one by one are as good: a device has passes of its own for each."""


def kmeans(X: Any, k: int, starts: int, rng: np.random.RandomState) -> tuple[Any, Any]:
    """The cluster of each row of X and the centres of the best of several runs of k-means, by the host."""
    labels, centres = host_backend.kmeans(host(X), k, starts, rng)
    return like(labels, X), like(centres, X)


def exchanged(F: Any, labels: Any, k: int, failures: int, rng: np.random.RandomState) -> Any:
    """Labels after centres have gone where they are missed more, by the host."""
    return like(host_backend.exchanged(host(F), host(labels), k, failures, rng), F)
