"""What a model file keeps of its samples to know them again: one number for each.

Of a text it is a hash, of values their product with fixed weights, which is compared with a tolerance: what another
machine or another version of a library rounds otherwise are still the same samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array, on_host

#: Largest difference, as a share of a sample's length. Programs decode and resize images with different rounding.
TOLERANCE, TOLERANCE_OF_IMAGES = 1e-5, 0.03
ROWS_AT_ONCE = 4096


def fingerprint(samples: Any, X: Any) -> Array:
    """A number for each sample: integers for texts, floats for the rows of X, the prepared values."""
    return _of_values(X)[0] if samples.texts is None else _of_texts(samples.texts)


def first_changed(model: Any, samples: Any, X: Any) -> int | None:
    """The first sample that is not what the model was fitted to; None if there is none, or nothing to compare with.

    Files of the first versions have no fingerprint: there the samples that the graph remembers are compared with.
    """
    source = getattr(model, "source_", {})
    kept = source.get("fingerprint")
    if kept is None:
        remembered = None if source.get("graph_from") else getattr(getattr(model, "graph_", None), "_X", None)
        if remembered is None or remembered.shape != X.shape:
            return None
        kept = _of_values(on_host(remembered))[0]
    if len(kept) != samples.n_samples:
        return min(len(kept), samples.n_samples)
    if kept.dtype.kind == "i":
        changed = np.ones(len(kept), dtype=bool) if samples.texts is None else kept != _of_texts(samples.texts)
    else:
        value, length = _of_values(X)
        changed = np.abs(value - kept) > (TOLERANCE_OF_IMAGES if samples.kind == "images" else TOLERANCE) * length
    return int(changed.argmax()) if changed.any() else None


def _of_texts(texts: Sequence[str]) -> Array:
    digests = b"".join(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<i8").astype(np.int64)


def _of_values(X: Any) -> tuple[Array, Array]:
    """Each row's product with the weights, and its length."""
    n, m = X.shape
    # Unlike newer generators, this one gives the same numbers in every version of NumPy.
    weights = np.random.RandomState(0).uniform(-1, 1, m)
    value, length = np.empty(n), np.empty(n)
    for start in range(0, n, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        block = X[rows].astype(np.float64)
        value[rows] = block @ weights
        squares = block.multiply(block) if sparse.issparse(block) else block * block
        length[rows] = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    return value, length
