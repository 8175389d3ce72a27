"""Which backend works with an array, and arrays of other packages as one of ours has them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from manifact.backends.protocol import Backend

#: Packages whose arrays have a backend of their own; NumPy and SciPy's are the default.
PACKAGES = {"torch": "manifact.backends.torch", "blocks": "manifact.backends.blocks"}
#: What DLPack calls the host's memory.
HOST = 1


def package_of(array: Any) -> str:
    """The package that an array's type comes from, or that it says it is for."""
    return getattr(array, "package", None) or type(array).__module__.partition(".")[0]


def comes_in_blocks(X: Any) -> bool:
    """Whether samples, or what is computed with them, come in blocks of rows."""
    return package_of(X) == "blocks"


def backend_of(array: Any) -> Backend:
    """The backend that works with arrays of this kind."""
    return _backend_for(package_of(array))


@cache
def _backend_for(package: str) -> Backend:
    # Asked for at every step: looking a module up takes longer than small steps do.
    backend: Any = import_module(PACKAGES.get(package, "manifact.backends.numpy"))
    return backend


def is_foreign(array: Any) -> bool:
    """Whether an array is of a package that has no backend, and can be handed over (DLPack), or is CuPy's sparse."""
    if isinstance(array, np.ndarray | np.generic) or package_of(array) in PACKAGES:
        return False
    return hasattr(array, "__dlpack_device__") or is_foreign_sparse(array)


def is_foreign_sparse(array: Any) -> bool:
    """Whether this is a sparse matrix of CuPy's."""
    return package_of(array) == "cupyx" and hasattr(array, "tocsr")


def native(array: Any) -> Any:
    """The same numbers in the same memory, as an array that a backend works with: NumPy's, or on a device PyTorch's.

    Arrays that no package of ours knows stay as they are.
    """
    if package_of(array) == "dask":
        return import_module("manifact.backends.dask").as_blocks(array)
    if not is_foreign(array):
        return array
    if is_foreign_sparse(array):
        return tensors().from_parts(array)
    if array.__dlpack_device__()[0] == HOST:
        return np.from_dlpack(array)
    return tensors().from_dlpack(array)


def tensors() -> Any:
    """What goes between the host, other packages and PyTorch: imported by those who need it."""
    return import_module("manifact.backends.torch.tensors")


def whole(X: Any) -> Any:
    """Samples in one piece: the host's own, of those that go to a device a block of rows at a time."""
    return getattr(X, "host", X)


def on_host(array: Any) -> Any:
    """The same numbers as a NumPy array or SciPy matrix."""
    if package_of(array) == "dask":
        return import_module("manifact.backends.dask").on_host(array)
    array = native(array)
    return backend_of(array).host(array)
