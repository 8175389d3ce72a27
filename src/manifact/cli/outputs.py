"""Files that a command writes: looked at before any work is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def free(option: str, path: Path, overwrite: bool, *inputs: Path | None, ending: str | None = None) -> Path:
    """``path``, if it may be written: its folder is there, and it is not, or may be replaced; never an input."""
    from manifact.utils.files import check_place

    if ending is not None and path.suffix.lower() != ending:
        raise ValueError(f"{option}={str(path)!r} must end in {ending}: that is what is written")
    for given in inputs:
        if given is not None and given.exists() and path.exists() and path.samefile(given):
            raise ValueError(f"{option}={str(path)!r} is what is read: name another file")
    check_place(option, path)
    if path.exists() and not overwrite:
        raise ValueError(f"{option}={str(path)!r} is there already: pass --overwrite to replace it, or name another")
    return path


def named_after(source: Path, ending: str) -> Path:
    """A file in the working folder, named after where the data came from."""
    stem = source.resolve().name
    for suffix in reversed(source.suffixes if source.is_file() else []):
        stem = stem.removesuffix(suffix)
    return Path(f"{stem or 'model'}{ending}")


def sample_names(names: Sequence[str] | None, n: int) -> list[str]:
    """Names of samples, their numbers where they have none."""
    return [str(number) for number in range(n)] if names is None else list(names)


def with_left_out(values: Any, names: Sequence[str] | None, rows: Sequence[int], row_names: Sequence[str]) -> Any:
    """Clusters, or rows of V, and names of all rows of a table.

    Rows that were left out are in their places: in no cluster (−1), with nothing of any part (0).
    """
    import numpy as np

    values = np.asarray(values)
    if not len(rows):
        return values, names
    n = len(values) + len(rows)
    kept = np.setdiff1d(np.arange(n), rows)
    every = np.full((n, *values.shape[1:]), -1 if values.ndim == 1 else 0, dtype=values.dtype)
    every[kept] = values
    told = np.empty(n, dtype=object)
    told[kept], told[list(rows)] = sample_names(names, len(kept)), list(row_names)
    return every, told.tolist()


def of_all_rows(values: Any, samples: Any) -> Any:
    """The same for samples that were just read."""
    left = samples.left_out
    return with_left_out(values, samples.names, left.rows if left else (), left.row_names if left else ())


def write_clusters(path: Path, labels: Any, names: Sequence[str] | None, words: Sequence[Sequence[str]] | None) -> None:
    """A table of samples, their clusters, and the words of the clusters' parts where they are known."""
    from manifact.io.writers import write_labels

    told = None if words is None else [", ".join(part) for part in words]
    write_labels(path, labels, sample_names(names, len(labels)), told)
