"""MATLAB files, as the papers' data circulate in: fea and gnd, X and Y, or another variable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scipy import sparse

from manifact.io.readers import fields, tables
from manifact.io.readers import matlab_arrays as matlab
from manifact.io.readers.problems import refusal
from manifact.io.readers.samples import Samples


def read(file: Path, source: str, variable: str | None = None, image_shape: tuple[int, ...] | None = None) -> Samples:
    """The samples fea, X or data (or ``variable``, or the only matrix there is) with the classes gnd or Y.

    Pixels stay in the file's order, which is by columns where MATLAB wrote images.
    """
    found = {name: value for name, value in matlab.fields_of(file).items() if not name.startswith("__")}
    matrices = [name for name, value in found.items() if _is_matrix(value)]
    name = fields.chosen(file, found, variable, matrices)
    X = found[name]
    if not sparse.issparse(X) and not hasattr(X, "dtype"):
        raise refusal(file, f"has no matrix in {name}", "choose another variable=…")
    X = tables.table(file, X, name)
    labels = fields.classes(file, found, name, X.shape[0])
    return Samples("table", source, X, image_shape=image_shape, labels=labels)


def _is_matrix(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 2 and min(value.shape) > 1 and value.dtype.kind in "biuf"
