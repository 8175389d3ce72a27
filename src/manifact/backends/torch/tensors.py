"""Between NumPy or SciPy and tensors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch
from scipy import sparse

from manifact.backends.kinds import whole
from manifact.utils.sparse_matrices import sorted_csr


def as_tensor(P: Any, device: Any) -> Any:
    """An array or sparse matrix of the host as a tensor (sparse CSR for the latter) on a device."""
    if not sparse.issparse(P):
        return torch.as_tensor(np.ascontiguousarray(P), device=device)
    # Indices are narrow where they can be: they are a large part of the bytes of every pass.
    csr = sorted_csr(P)
    indptr, indices, values = (torch.as_tensor(part) for part in (csr.indptr, csr.indices, csr.data))
    return sparse_csr(indptr, indices, values, csr.shape, device)


def sparse_csr(indptr: Any, indices: Any, values: Any, shape: Any, device: Any) -> Any:
    """A sparse CSR tensor."""
    with warnings.catch_warnings():
        # It says that CSR tensors are in beta state, once per process.
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(indptr, indices, values, tuple(shape), device=device, check_invariants=False)


def as_scipy(X: Any) -> Any:
    """A sparse CSR tensor as a matrix of the host."""
    parts = (X.values(), X.col_indices(), X.crow_indices())
    return sparse.csr_array(tuple(part.detach().cpu().numpy() for part in parts), shape=tuple(X.shape))


def host(P: Any) -> Any:
    """The same numbers as a NumPy array or SciPy matrix; tensors of the CPU share their memory."""
    P = whole(P)
    if not isinstance(P, torch.Tensor):
        # Samples that never left it.
        return P
    return as_scipy(P) if P.layout == torch.sparse_csr else P.detach().cpu().numpy()


def moved(P: Any, device: Any) -> Any:
    """A tensor, or an array of the host, on a device."""
    return P.to(device) if isinstance(P, torch.Tensor) else as_tensor(P, device)


def from_dlpack(array: Any) -> Any:
    """An array of another package as a tensor in the same memory."""
    return torch.from_dlpack(array)


def from_parts(matrix: Any) -> Any:
    """A sparse matrix of CuPy's as a CSR tensor, its entries in the same memory."""
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        # The user's own matrix is not changed.
        csr = csr.copy()
        csr.sum_duplicates()
    indptr, indices, values = (torch.from_dlpack(part) for part in (csr.indptr, csr.indices, csr.data))
    return sparse_csr(indptr, indices, values, csr.shape, values.device)
