"""MATLAB files, as the papers' data circulate in: fea and gnd, X and Y, or another variable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scipy import sparse

from manifact.reading import tables
from manifact.reading.problems import refusal
from manifact.reading.samples import Samples


def read(file: Path, source: str, variable: str | None = None, image_shape: tuple[int, ...] | None = None) -> Samples:
    """The samples fea, X or data (or ``variable``, or the only matrix there is) with the classes gnd or Y.

    Pixels stay in the file's order, which is by columns where MATLAB wrote images.
    """
    from manifact.datasets import matlab

    fields = matlab.fields_of(file)
    found = {name: value for name, value in fields.items() if not name.startswith("__")}
    name = _chosen(file, found, variable, matlab.SAMPLES)
    X = found[name]
    if not sparse.issparse(X) and not hasattr(X, "dtype"):
        raise refusal(file, f"has no matrix in {name}", "choose another variable")
    X = tables.table(file, X, name)
    y = next((c for c in matlab.CLASSES if c in found and c != name and _size(found[c]) == X.shape[0]), None)
    labels = None if y is None else tables.labels(file, found[y], X.shape[0], y)
    return Samples("table", source, X, image_shape=image_shape, labels=labels)


def _chosen(file: Path, found: dict[str, Any], variable: str | None, usual: tuple[str, ...]) -> str:
    names = ", ".join(sorted(found)) or "no variables"
    if variable is not None:
        if variable not in found:
            raise refusal(file, f"has no {variable!r} but {names}", "choose another variable")
        return variable
    for name in usual:
        if name in found:
            return name
    matrices = [name for name, value in found.items() if _is_matrix(value)]
    if len(matrices) == 1:
        return matrices[0]
    raise refusal(file, f"holds {names}", "say which variable the samples are")


def _is_matrix(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 2 and min(value.shape) > 1 and value.dtype.kind in "biuf"


def _size(value: Any) -> int:
    return value.shape[0] * value.shape[1] if getattr(value, "ndim", 0) == 2 else 0
