"""Data sets from 10x Genomics' own archives, which have counts and no classes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from manifact.datasets.dataset import Dataset
from manifact.datasets.sources import Entry
from manifact.io.file_errors import refusal
from manifact.io.readers import tenx

#: A gene is kept if at least so many cells have it, as in the usual preparation of this set.
FEWEST_CELLS = 3


def read(entry: Entry, files: Sequence[Path]) -> Dataset:
    """Cells x genes seen in at least `FEWEST_CELLS` cells; every class is −1, the archive has none."""
    (file,) = files
    counts, genes = tenx.read_archive(file)
    known = np.bincount(counts.indices, minlength=counts.shape[1]) >= FEWEST_CELLS
    seen = sparse.csr_array(counts[:, known])
    X = seen.astype(entry.dtype)
    if (X.data != seen.data).any():
        found = f"holds numbers from {seen.data.min()} to {seen.data.max()}"
        raise refusal(file, found, f"expected counts in {entry.dtype}")
    if X.shape != (entry.n_samples, entry.n_features):
        found = f"holds {X.shape[0]} x {X.shape[1]} counts"
        raise refusal(file, found, f"expected {entry.n_samples} x {entry.n_features}")
    return Dataset(entry.name, X, np.full(X.shape[0], -1, dtype=np.int64), feature_names=genes[known])
