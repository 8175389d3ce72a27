"""NumPy, SciPy and Numba: the backend of arrays in one memory."""

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends.numpy import sample_rows as rows
from manifact.backends.numpy.affinity_rounds import sweep_affinity
from manifact.backends.numpy.bound_steps import log_costs, overrelaxed
from manifact.backends.numpy.centre_exchanges import exchanged
from manifact.backends.numpy.cluster_centres import cluster_centres
from manifact.backends.numpy.column_systems import solve_columns
from manifact.backends.numpy.dense_products import product
from manifact.backends.numpy.fused_descent import sketched_descent
from manifact.backends.numpy.kmeans import kmeans
from manifact.backends.numpy.leading_directions import leading_directions, projected
from manifact.backends.numpy.neighbor_search import nearest, nearest_by_projection, reached
from manifact.backends.numpy.numpy_factors import (
    added,
    ahead,
    column_products,
    column_sums,
    cross,
    inner,
    multiply_rows,
    rescale,
    scale,
)
from manifact.backends.numpy.numpy_operations import (
    edge_classes,
    edge_energies,
    edge_gaussians,
    nonnegative_least_squares,
    sweep_rows,
    times,
)
from manifact.backends.numpy.row_products import nearest_by_products, row_products
from manifact.backends.protocol import Array, Data

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


def data(X: Any, weight: Array | None) -> Data:
    """Γ X as `SparseData` or `DenseData`."""
    from manifact.backends.numpy.numpy_data import DenseData, SparseData

    return SparseData(X, weight) if sparse.issparse(X) else DenseData(X, weight)


def host(P: Any) -> Any:
    """Already there."""
    return P


def like(P: Any, other: Any) -> Any:
    """Already there."""
    return P if sparse.issparse(P) else np.asarray(P)


def like_rows(P: Any, other: Any) -> Any:
    """Already there."""
    return like(P, other)


def kept(P: Any) -> Any:
    """It is."""
    return P
