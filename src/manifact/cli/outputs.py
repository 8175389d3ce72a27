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


def write_clusters(path: Path, labels: Any, names: Sequence[str] | None, words: Sequence[Sequence[str]] | None) -> None:
    """A table of samples, their clusters, and the words of the clusters' parts where they are known."""
    from manifact.io.writers import write_labels

    told = None if words is None else [", ".join(part) for part in words]
    write_labels(path, labels, sample_names(names, len(labels)), told)
