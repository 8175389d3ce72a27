"""Files that a command will write: looked at before any work is done."""

from __future__ import annotations

from pathlib import Path

from manifact.utils.files import check_place


def free(option: str, path: Path, overwrite: bool, *inputs: Path | None, ending: str | None = None) -> Path:
    """``path``, if it may be written: its folder is there, and it is not, or may be replaced; never an input."""
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
