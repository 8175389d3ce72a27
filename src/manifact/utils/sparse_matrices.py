"""SciPy's sparse matrices in the one form that compiled code reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def sorted_csr(X: Any) -> Any:
    """X as CSR with sorted, unique, narrow indices; the user's own matrix is never changed."""
    csr_form = sparse.csr_array(X)
    if not csr_form.has_canonical_format:
        csr_form = csr_form.copy()
        csr_form.sum_duplicates()
    widest = np.iinfo(np.int32).max
    if csr_form.indices.dtype != np.int32 and max(csr_form.nnz, *csr_form.shape) < widest:
        parts = (csr_form.data, csr_form.indices.astype(np.int32), csr_form.indptr.astype(np.int32))
        csr_form = sparse.csr_array(parts, shape=csr_form.shape)
    return csr_form


def split_by_sign(X: Any) -> tuple[Any, Any]:
    """X⁺ and X⁻ ≥ 0 with X = X⁺ − X⁻, dense or sparse as X is."""
    if sparse.issparse(X):
        return sparse.csr_array(X.maximum(0)), sparse.csr_array((-X).maximum(0))
    return np.maximum(X, 0), np.maximum(-X, 0)


def empty_rows(X: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which rows of X, dense or sparse, hold nothing but zeros.

    >>> empty_rows(np.array([[0.0, 2.0], [0.0, 0.0]])).tolist()
    [False, True]
    """
    if sparse.issparse(X):
        return np.asarray((X != 0).sum(axis=1)).ravel() == 0
    return np.asarray(~np.any(X, axis=1))
