"""The data that sections measure on, prepared as the papers do, in float32."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.datasets import load, synthetic_documents, tfidf, unit_length
from manifact.utils.sparse_matrices import sorted_csr

#: Words drawn for a document of the twin: with it the twin has TDT2's number of non-zeros, to 0.3 %.
TWIN_WORDS = 134


@dataclass(frozen=True)
class Samples:
    """Samples in rows, the number of their classes, and what "near" means among them."""

    name: str
    X: Any
    n_classes: int
    metric: str

    def __str__(self) -> str:
        n, m = self.X.shape
        entries = f", {self.X.nnz} non-zeros" if sparse.issparse(self.X) else ""
        return f"{self.name} ({n} x {m}{entries}, {self.X.dtype})"


def documents(n_samples: int, n_features: int = 36_771, n_words: int = 103) -> Samples:
    """Synthetic documents as (1 + log tf) idf."""
    data = synthetic_documents(n_samples, n_features, n_words)
    return Samples("synthetic documents", _single(tfidf(data.X)), data.n_classes, "cosine")


@lru_cache(maxsize=1)
def twin() -> Samples:
    """Synthetic documents in the shape of TDT2."""
    return replace(documents(9394, 36_771, TWIN_WORDS), name="TDT2-shaped documents")


@lru_cache(maxsize=1)
def prepared(name: str) -> Samples:
    """A data set of the data home: text as (1 + log tf) idf, images with unit length."""
    data = load(name)
    if sparse.issparse(data.X):
        return Samples(name, _single(tfidf(data.X)), data.n_classes, "cosine")
    return Samples(name, unit_length(data.X.astype(np.float32)), data.n_classes, "euclidean")


def present(name: str) -> Samples | None:
    """The same, or None where the data home does not have it."""
    try:
        return prepared(name)
    except FileNotFoundError:
        return None


def random_start(X: Any, k: int, seed: int) -> tuple[Array, Array]:
    """V and Uᵀ to start from, as scikit-learn draws them: |normal|, with products as large as X on average."""
    rng = np.random.default_rng(seed)
    scale = np.sqrt(X.mean() / k)
    V, UT = (scale * np.abs(rng.standard_normal(shape)) for shape in ((X.shape[0], k), (k, X.shape[1])))
    return V.astype(X.dtype), UT.astype(X.dtype)


def _single(X: Any) -> Any:
    return sorted_csr(X.astype(np.float32))
