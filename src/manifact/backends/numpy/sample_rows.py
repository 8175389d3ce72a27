"""What graphs ask of samples, rows of an array or a SciPy matrix, one by one or in pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.preprocessing import normalize

from manifact.backends.protocol import Array
from manifact.utils.equal_rows import first_equal_rows
from manifact.utils.sparse_matrices import empty_rows, sorted_csr


def as_samples(X: Any) -> Any:
    """X as finite floats (counts of 8 bits must not overflow), sparse X as canonical CSR."""
    from sklearn.utils import check_array

    X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
    return sorted_csr(X) if sparse.issparse(X) else X


def is_real(X: Any) -> bool:
    """Whether entries are numbers without an imaginary part."""
    return X.dtype.kind in "fiub"


def as_floats(X: Any) -> Any:
    """X in float32 where it is, else in float64."""
    return X if X.dtype == np.float32 else X.astype(np.float64, copy=False)


def is_sparse(X: Any) -> bool:
    """Whether zeros are not stored."""
    return sparse.issparse(X)


def taken(X: Any, some: Any) -> Any:
    """The rows with these numbers."""
    return X[some]


def dense(X: Any) -> Array:
    """X with its zeros."""
    return X.toarray() if sparse.issparse(X) else np.array(X)


def typed(X: Any, dtype: Any) -> Any:
    """X in a type that NumPy names."""
    return X.astype(dtype, copy=False)


def over(X: Any, number: float) -> Any:
    """X over a number."""
    return X / number


def of_kind(X: Any, sparsely: bool) -> Any:
    """X, sparse or not, as a sparse matrix; or X as it is."""
    return sorted_csr(X) if sparsely or sparse.issparse(X) else X


def extent(X: Any) -> tuple[float, float]:
    """The smallest and the largest entry; 0 and 0 where there is none."""
    return (float(X.min()), float(X.max())) if min(X.shape) else (0.0, 0.0)


def lengths(X: Any) -> Array:
    """‖x_j‖ of every row, in float64."""
    if sparse.issparse(X):
        return np.sqrt(np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel())
    return np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))


def at_unit_length(X: Any) -> Any:
    """Rows of length 1; those without entries stay."""
    # In one layout: sums in another order would end in other digits.
    return normalize(X if sparse.issparse(X) else np.ascontiguousarray(X)) if X.shape[0] else X


def square_roots(X: Any) -> Any:
    """The roots of the entries."""
    return X.sqrt() if sparse.issparse(X) else np.sqrt(X)


def empty(X: Any) -> Array:
    """Which rows hold nothing but zeros."""
    return empty_rows(X)


def first_equal(X: Any) -> Array:
    """For each row the number of the first row that equals it."""
    return np.asarray(first_equal_rows(X))


def pair_products(A: Any, B: Any, rows: Array, columns: Array) -> Array:
    """⟨a_row, b_column⟩ of these pairs."""
    return _over_pairs(_products, A, B, rows, columns)


def pair_squares(A: Any, B: Any, rows: Array, columns: Array) -> Array:
    """‖a_row − b_column‖² of these pairs."""
    return _over_pairs(_square_distances, A, B, rows, columns)


def _over_pairs(measure: Callable[[Any, Any], Array], A: Any, B: Any, rows: Array, columns: Array) -> Array:
    """``measure`` of the pairs, as many at a time as the memory budget allows."""
    if sparse.issparse(A) != sparse.issparse(B):
        A, B = sparse.csr_array(A), sparse.csr_array(B)
    budget = get_config()["working_memory"] * 2**20
    at_once = max(1, int(budget // (4 * 8 * max(1, A.shape[1]))))
    if sparse.issparse(A):
        at_once = max(at_once, 8192)
    out = np.empty(len(rows))
    for start in range(0, len(rows), at_once):
        pairs = slice(start, start + at_once)
        out[pairs] = measure(A[rows[pairs]], B[columns[pairs]])
    return out


def _products(a: Any, b: Any) -> Array:
    return np.asarray((a.multiply(b) if sparse.issparse(a) else a * b).sum(axis=1)).ravel()


def _square_distances(a: Any, b: Any) -> Array:
    gap = a - b
    return _products(gap, gap)
