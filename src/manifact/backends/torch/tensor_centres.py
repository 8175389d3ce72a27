"""Lloyd's iterations of k-means on tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from manifact.backends.protocol import ShowProgress, silent
from manifact.backends.torch.full_precision import full_precision
from manifact.backends.torch.memory_budget import slices
from manifact.backends.torch.tensor_neighbors import nearest
from manifact.backends.torch.tensor_rows import is_sparse
from manifact.backends.torch.tensors import sparse_csr


def cluster_centres(X: Any, centres: Any, iterations: int, progress: ShowProgress = silent) -> Any:
    """Dense p x m centres, each the mean of the rows of X nearest to it, after so many turns from given ones.

    A centre that lost all its samples stays where it is. Sums are products with a matrix of members, always in
    the same order: two runs give the same bits.
    """
    centres = torch.as_tensor(centres, dtype=X.dtype, device=X.device)
    sums_of = _sums_of_sparse(X) if is_sparse(X) else partial(_sums_of_dense, X)
    for _ in range(iterations):
        labels = nearest(centres, 1, X, progress=progress)[0][:, 0]
        sizes = torch.bincount(labels, minlength=len(centres))
        with full_precision():
            means = sums_of(labels, sizes) / torch.clamp(sizes, min=1).to(X.dtype)[:, None]
        centres = torch.where(sizes[:, None] > 0, means, centres)
    return centres


def _sums_of_dense(X: Any, labels: Any, sizes: Any) -> Any:
    """The sum of the rows with each label."""
    order, indptr = torch.argsort(labels, stable=True), torch.nn.functional.pad(torch.cumsum(sizes, 0), (1, 0))
    ones = torch.ones(len(labels), dtype=X.dtype, device=X.device)
    return sparse_csr(indptr, order, ones, (len(sizes), len(labels)), X.device) @ X


def _sums_of_sparse(X: Any) -> Callable[[Any, Any], Any]:
    """The same of sparse rows, whose transpose is made once."""
    XT = X.t().to_sparse_csr()

    def sums_of(labels: Any, sizes: Any) -> Any:
        sums = torch.empty((len(sizes), X.shape[1]), dtype=X.dtype, device=X.device)
        every = torch.arange(len(sizes), device=X.device)
        for some in slices(X, len(sizes), 2 * X.element_size() * sum(X.shape)):
            sums[some] = (XT @ (labels[:, None] == every[some]).to(X.dtype)).T
        return sums

    return sums_of
