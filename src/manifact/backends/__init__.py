"""Who does the array work. A backend follows from the kind of the arrays and offers a narrow set of operations.

Nothing above this package imports numba or torch. What is not an operation of a backend goes through the array's own
`namespace`, so that it runs where the arrays live; every sum over samples is a backend's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
from array_api_compat import array_namespace as namespace
from array_api_compat import device as device_of

from manifact.backends.kinds import PACKAGES, backend_of, comes_in_blocks, native, on_host, package_of, whole
from manifact.backends.matrix import Matrix
from manifact.backends.origins import origin_of
from manifact.backends.placed import Placed
from manifact.backends.protocol import Array, Backend, Data, Gram, silent

__all__ = [
    "PACKAGES",
    "Array",
    "Backend",
    "Data",
    "Gram",
    "Matrix",
    "Placed",
    "as_data",
    "as_gram",
    "as_kernel",
    "backend_of",
    "comes_in_blocks",
    "contiguous",
    "device_of",
    "host_dtype",
    "identity",
    "namespace",
    "native",
    "of_blocks",
    "on_host",
    "one_blas_thread",
    "origin_of",
    "package_of",
    "silent",
    "smallest_normal",
    "whole",
]


def as_data(X: Any, weight: Any = None) -> Data:
    """Γ X, X validated (dense or CSR), Γ its sample weights."""
    return backend_of(X).data(X, weight)


def as_gram(X: Any, weight: Any = None) -> Gram:
    """K = X Xᵀ, formed only where it is no larger than X."""
    from manifact.backends.gram import LinearGram

    return LinearGram(X, weight)


def as_kernel(K: Any, weight: Any = None) -> Gram:
    """A kernel matrix."""
    from manifact.backends.gram import DenseGram

    return DenseGram(K, weight)


def of_blocks(X: Any, function: Any) -> Any:
    """What a function makes of the samples of each block, an array of the host with a row for each sample."""
    blocks: Any = backend_of(X)
    return blocks.of_blocks(X, function)


def contiguous(P: Any) -> Any:
    """P with its rows in one piece."""
    return np.ascontiguousarray(P) if isinstance(P, np.ndarray) else P.contiguous()


def host_dtype(array: Any) -> np.dtype[Any]:
    """The type of an array's numbers, in NumPy's words."""
    return np.dtype(str(array.dtype).rpartition(".")[2])


def identity(G: Any) -> Any:
    """The identity of a square array's size and type, where it lives."""
    return namespace(G).eye(G.shape[0], dtype=G.dtype, device=device_of(G))


def smallest_normal(array: Any) -> float:
    """The smallest positive number of an array's type that has all its digits."""
    if isinstance(array, np.ndarray):
        return float(np.finfo(array.dtype).smallest_normal)
    return float(namespace(array).finfo(array.dtype).smallest_normal)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Inside, and in functions that it decorates, BLAS keeps to the thread that calls it.

    For many products that are too small for more: its threads would wait for each other, on a busy machine for long.
    """
    with import_module("manifact.backends.blas_threads").ONE_BLAS_THREAD:
        yield
