"""What the papers do to raw data before they factorise it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize


def unit_length(X: Any) -> Any:
    """Samples scaled to Euclidean length 1; samples without entries stay zero."""
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return normalize(X)


def tfidf(counts: Any) -> Any:
    """(1 + log tf) · log(N / df), then unit length: the GNMF authors' weighting of term counts.

    >>> from scipy.sparse import csr_array
    >>> tfidf(csr_array([[1, 1, 0], [0, 1, 2]])).toarray()
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    X = sparse.csr_array(counts, dtype=np.float64, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    X.data = (1 + np.log(X.data)) * np.log(X.shape[0] / frequency[X.indices])
    X.eliminate_zeros()
    return sparse.csr_array(normalize(X))
