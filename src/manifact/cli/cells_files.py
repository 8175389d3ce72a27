"""Cells in .h5ad files: results written into them, and the maps that they have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manifact.cli import outputs
from manifact.utils.errors import BadValueError

ENDING = ".h5ad"


def check(data: Path, kind: str, target: Path | None, key: str, overwrite: bool) -> None:
    """Refuse, before any work, a file for cells that would lose something, or that nothing could be written into."""
    if target is None:
        return
    from manifact.io.cell_results import check_file
    from manifact.utils.files import check_place

    if kind != "cells" and data.suffix.lower() != ENDING:
        raise BadValueError(
            "{write}={!r} is for cells and {} holds {}: leave it out, or say {kind}=cells", str(target), data, kind
        )
    if target.suffix.lower() != ENDING:
        raise BadValueError("{write}={!r} must end in {}: that is what is written", str(target), ENDING)
    if target.exists() and target.samefile(data):
        check_place("--write", target)
        check_file(data, target, key, overwrite)
    else:
        outputs.free("--write", target, overwrite)


def write(data: Path, target: Path, key: str, model: Any, samples: Any, V: Any = None, labels: Any = None) -> None:
    """Write what a model found about cells, by default about its training cells."""
    from manifact.io.cell_results import results_of, write_file, write_new_file

    training = V is None
    V, labels = (model.representation_, model.labels_) if training else (V, labels)
    results = results_of(model, V, labels, key, None if samples is None else samples.matrix)
    if data.suffix.lower() == ENDING:
        names = getattr(model, "source_", {}).get("names") if training else samples.names
        write_file(data, target, results, names)
    else:
        write_new_file(target, samples, results)


def map_of(data: Path | None, name: str) -> tuple[str | None, Any]:
    """What a page says of its map, and where samples lie on it: nothing where the page makes its own map."""
    if data is None or name == "own":
        return None, None
    if data.suffix.lower() != ENDING:
        if name != "auto":
            raise BadValueError("{map}={!r} is for .h5ad files, which have maps: leave it out", name)
        return None, None
    import numpy as np

    from manifact.io.file_errors import guarded
    from manifact.io.readers.h5ad import read_map

    with guarded(data, "an AnnData file"):
        found = read_map(data, None if name == "auto" else name)
    if found is None or (name == "auto" and not np.isfinite(found[1]).all()):
        return None, None
    return f"obsm[{found[0]!r}]", found[1]
