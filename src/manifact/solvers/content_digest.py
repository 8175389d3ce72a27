"""What says whether two runs are about the same: a hash of every byte of what they work on."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Matrix, comes_in_blocks, on_host
from manifact.backends.block_samples import ArrayBlocks
from manifact.backends.matrix import Pieces
from manifact.graphs import Graph
from manifact.utils.sparse_matrices import sorted_csr

#: Rows are hashed by so many bytes: samples that lie in another order are not copied as a whole.
BLOCK_BYTES = 2**24


def digest(value: Any) -> str:
    """Equal where numbers, types and shapes are, however they are held.

    Generators of random numbers count by where they stand.

    >>> X = np.eye(3)
    >>> digest(sparse.csr_array(X)) == digest(sparse.coo_array(X)) != digest(sparse.csr_array(X[::-1]))
    True
    """
    hashed = hashlib.sha256()
    _add(hashed, value)
    return hashed.hexdigest()


def samples_digest(X: Any) -> str:
    """Equal where samples are, in one memory or in blocks of rows, however these are cut and wherever they are.

    >>> X = np.eye(4)
    >>> samples_digest(X) == ArrayBlocks(X, 3).digest() != samples_digest(X[::-1])
    True
    """
    if comes_in_blocks(X):
        return str(X.digest())
    X = X.csr if isinstance(X, Matrix) else on_host(X)
    if X.ndim != 2:
        return digest(X)
    # Samples that lie in another order are not copied as a whole.
    size = X.data.nbytes if sparse.issparse(X) else X.nbytes
    return ArrayBlocks(X, max(1, BLOCK_BYTES * X.shape[0] // max(size, 1))).digest()


def _add(hashed: Any, value: Any) -> None:
    if isinstance(value, np.random.RandomState):
        _add(hashed, value.get_state(legacy=False))
        return
    if isinstance(value, np.random.Generator):
        _add(hashed, value.bit_generator.state)
        return
    if isinstance(value, Graph):
        _add(hashed, _pieces(value))
        return
    if isinstance(value, Matrix):
        value = value.csr
    if comes_in_blocks(value):
        hashed.update(f"{value.digest()};".encode())
        return
    value = on_host(value) if hasattr(value, "shape") else value
    if isinstance(value, np.generic):
        value = value.item()
    if sparse.issparse(value):
        csr = sorted_csr(value)
        _add(hashed, ("sparse", tuple(map(int, csr.shape)), csr.indptr, csr.indices, csr.data))
    elif isinstance(value, np.ndarray):
        _add_array(hashed, value)
    elif isinstance(value, tuple | list | dict):
        parts = sorted(value.items(), key=str) if isinstance(value, dict) else value
        hashed.update(f"{type(value).__name__} of {len(value)};".encode())
        for part in parts:
            _add(hashed, part)
    elif hasattr(value, "get_params"):
        _add(hashed, (type(value).__name__, value.get_params(deep=False)))
    else:
        hashed.update(f"{type(value).__name__} {value!r};".encode("utf-8", "surrogatepass"))


def _add_array(hashed: Any, value: Any) -> None:
    hashed.update(f"array of {value.dtype.str} {tuple(map(int, value.shape))};".encode())
    if value.dtype.kind == "O":
        _add(hashed, value.ravel().tolist())
        return
    if value.ndim == 0 or value.size == 0:
        hashed.update(value.tobytes())
        return
    rows = max(1, BLOCK_BYTES * len(value) // value.nbytes)
    for start in range(0, len(value), rows):
        hashed.update(np.ascontiguousarray(value[start : start + rows]).reshape(-1).view(np.uint8).data)


def _pieces(graph: Graph) -> Any:
    """All of W, by what it is made of; of a graph that only applies it, what it makes of some columns."""
    if (own := graph.content()) is not None:
        return own
    try:
        pieces: Pieces = graph.pieces()
    except NotImplementedError:
        probes = np.random.RandomState(0).random_sample((graph.n_samples, 3))
        return graph.degrees, graph.adjacency(probes)
    return pieces.degrees, pieces.edges, pieces.tall, pieces.flat, pieces.loops
