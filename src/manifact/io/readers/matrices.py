"""Matrices beside the data: other features to find neighbours in, and graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scipy import sparse

from manifact.io.file_errors import guarded, refusal
from manifact.io.readers.formats import read
from manifact.utils.errors import BadValueError

#: What a graph of an .h5ad file begins with.
OBSP = "obsp:"


def read_matrix(path: Path | str) -> Any:
    """The n x d array or CSR in a file, such as coordinates of the samples or another view of them."""
    return read(path, kind="table").X


def read_graph(spec: Path | str, data_path: Path | str | None = None) -> Any:
    """The square CSR affinity in a file, or that of an .h5ad file by ``"obsp:name"``.

    Whether it is symmetric and non-negative is for the model to say.
    """
    if str(spec).startswith(OBSP):
        return _square(spec, _obsp(str(spec).removeprefix(OBSP), data_path))
    return _square(spec, read(spec, kind="table").X)


def _obsp(name: str, data_path: Path | str | None) -> Any:
    if data_path is None or Path(data_path).suffix.lower() != ".h5ad":
        raise BadValueError(
            "{graph}={!r} needs data from an .h5ad file, not {}: give a graph file", f"{OBSP}{name}", data_path
        )
    from manifact.io.readers import h5ad

    with guarded(data_path, "an AnnData file"):
        return h5ad.read_pairs(Path(data_path), name)


def _square(spec: Path | str, W: Any) -> Any:
    if W.shape[0] != W.shape[1]:
        found = f"holds {W.shape[0]} x {W.shape[1]} values"
        raise refusal(spec, found, "a graph needs a row and a column for each sample")
    return sparse.csr_array(W)
