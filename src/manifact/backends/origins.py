"""Where arrays came from, and how results get back there: of the kind and on the device that came in."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from manifact.backends.kinds import (
    PACKAGES,
    comes_in_blocks,
    is_foreign,
    is_foreign_sparse,
    native,
    on_host,
    package_of,
    tensors,
)


@dataclass(frozen=True)
class Origin:
    """The kind of an array and its place; the host's, unless it says otherwise."""

    #: PyTorch's, of tensors and of arrays that were handed over as such; None for the host's.
    device: Any = None
    #: The namespace of a package without a backend, or None.
    foreign: Any = None
    #: Whether what has a row for each sample is a `dask.array`, as the samples were.
    by_dask: bool = False

    def back(self, P: Any) -> Any:
        """An array of ours as one of that kind, there."""
        if self.by_dask and comes_in_blocks(P):
            return import_module("manifact.backends.dask").as_array(P)
        if self.device is None:
            found = on_host(P)
            return found if self.foreign is None else self.foreign.from_dlpack(_writeable(found))
        found = tensors().moved(native(P), self.device)
        return found if self.foreign is None else self.foreign.from_dlpack(found)


#: Arrays, lists and data frames of the host: results are NumPy's.
HOST = Origin()


def origin_of(array: Any) -> Origin:
    """Where results made of this array belong."""
    if package_of(array) == "dask":
        return Origin(by_dask=True)
    if is_foreign_sparse(array):
        return Origin(native(array.data).device, import_module("cupy"))
    if is_foreign(array):
        ours = native(array)
        return Origin(None if isinstance(ours, np.ndarray) else ours.device, array_namespace(array))
    # Blocks are files or parts of the host's arrays, and what comes of them is the host's.
    return Origin(array.device) if package_of(array) in PACKAGES and package_of(array) != "blocks" else HOST


def _writeable(P: Any) -> Any:
    """DLPack hands over no memory that may not be written."""
    return P if P.flags.writeable else P.copy()
