"""AnnData files, through anndata; only the parts that are asked for are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import optional_module, refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import table_checks
from manifact.utils import memory
from manifact.utils.errors import Sentence


def read(file: Path, source: str, layer: str | None = None, label: str | None = None) -> Samples:
    """X, or a layer, with the names of observations and variables, and a column of obs as labels."""
    with _opened(file) as (stored, element):
        part = "X" if layer is None else f"layers/{layer}"
        X = table_checks.checked_table(file, _matrix(file, stored, element, part), part)
        obs, var = (_frame(file, stored, element, part) for part in ("obs", "var"))
        if (len(obs), len(var)) != X.shape:
            found = f"has {len(obs)} observations and {len(var)} variables for {X.shape[0]} x {X.shape[1]} values"
            raise refusal(file, found, "write it again with anndata")
        return Samples(
            "table",
            source,
            X,
            names=[str(name) for name in obs.index],
            feature_names=table_checks.made_distinct([str(name) for name in var.index]),
            labels=None if label is None else _classes(file, obs, label),
        )


def read_pairs(file: Path, name: str) -> Any:
    """A matrix of obsp, such as the graph "connectivities"."""
    if not file.is_file():
        raise refusal(file, "does not exist", "check the path")
    with _opened(file) as (stored, element):
        return table_checks.checked_table(file, _matrix(file, stored, element, f"obsp/{name}"), f"obsp/{name}")


@contextmanager
def _opened(file: Path) -> Iterator[tuple[Any, Any]]:
    """The open file, and the function that reads an element of it."""
    if file.stat().st_size == 0:
        raise refusal(file, "is empty", "write it again")
    anndata = optional_module("anndata", "anndata", str(file))
    try:
        from anndata.io import read_elem
    except ImportError:  # before anndata 0.11
        read_elem = anndata.experimental.read_elem
    import h5py

    with h5py.File(file, "r") as stored:
        yield stored, read_elem


def _matrix(file: Path, stored: Any, element: Any, part: str) -> Any:
    if part not in stored or stored[part].attrs.get("encoding-type") == "null":
        group = part.rpartition("/")[0] or "layers"
        others = ", ".join(stored[group]) if group in stored else ""
        found = f"has no {part}" + (f", but {others}" if others else "")
        raise refusal(file, found, Sentence("choose one with {}", _option(group)) if others else "choose another file")
    memory.require(_bytes(stored[part]), str(file), "use fewer observations")
    return element(stored[part])


def _option(group: str) -> Sentence:
    """The parameter that names a part of this group."""
    return Sentence("{layer}=…") if group == "layers" else Sentence("{graph}='{}:…'", group)


def _bytes(part: Any) -> int:
    arrays = [part[name] for name in ("data", "indices", "indptr") if name in part] if hasattr(part, "keys") else [part]
    return sum(prod(array.shape) * array.dtype.itemsize for array in arrays)


def _frame(file: Path, stored: Any, element: Any, part: str) -> Any:
    frame = element(stored[part]) if part in stored else None
    if not hasattr(frame, "index") or not hasattr(frame, "columns"):
        raise refusal(file, f"has no table {part}", "write it again with anndata")
    return frame


def _classes(file: Path, obs: Any, label: str) -> Array:
    if label not in obs.columns:
        names = ", ".join(map(str, obs.columns)) or "no columns"
        raise refusal(file, f"has no {label!r} in obs, but {names}", Sentence("choose another {label}=…"))
    column = obs[label]
    if column.dtype.kind in "iub":
        return np.asarray(column)
    return table_checks.labels_from_text(
        ["" if absent else str(value) for value, absent in zip(column, column.isna(), strict=True)]
    )
