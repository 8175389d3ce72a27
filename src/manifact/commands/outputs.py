"""Files that a command will write: looked at before any work is done."""

from __future__ import annotations

from pathlib import Path


def free(option: str, path: Path, overwrite: bool) -> Path:
    """``path``, if it may be written: its folder is there, and it is not, or may be replaced."""
    if path.is_dir():
        raise ValueError(f"{option}={str(path)!r} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise ValueError(f"{option}={str(path)!r} is in a folder that does not exist: make {str(path.parent)!r} first")
    if path.exists() and not overwrite:
        raise ValueError(f"{option}={str(path)!r} is there already: pass --overwrite to replace it, or name another")
    return path


def named_after(source: Path, ending: str) -> Path:
    """A file in the working folder, named after where the data came from."""
    stem = source.resolve().name
    for suffix in reversed(source.suffixes if source.is_file() else []):
        stem = stem.removesuffix(suffix)
    return Path(f"{stem or 'model'}{ending}")
