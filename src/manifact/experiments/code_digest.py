"""A fingerprint of the code that results depend on, so that what other code has left is never taken for its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
#: Rooms and files of the package that a number can depend on. Command line, readers, reports and pages are not among
#: them: a change there does not make a run another run.
NUMERICAL = (
    "backends",
    "baselines",
    "datasets",
    "experiments/methods.py",
    "experiments/reproduce/experiment_samples.py",
    "experiments/reproduce/gnmf_authors_demo.py",
    "experiments/reproduce/separation.py",
    "experiments/reproduce/tasks",
    "graphs",
    "metrics",
    "models",
    "selection",
    "solvers",
    "terms",
)


@lru_cache(maxsize=1)
def numerical_code() -> str:
    """The fingerprint of `NUMERICAL`, taken once in a process: it runs the code that it has loaded."""
    return digest(PACKAGE, NUMERICAL)


def digest(folder: Path, places: Iterable[str]) -> str:
    """A fingerprint of Python files below ``folder``, and of all those in folders, in whatever order they are given.

    Each file counts by its place and its content, so that a file which moves makes another fingerprint.
    """
    files = sorted({file for place in places for file in _files(folder / place)})
    found = hashlib.sha256()
    for file in files:
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        found.update(f"{file.relative_to(folder).as_posix()} {content}\n".encode())
    return found.hexdigest()[:16]


def _files(place: Path) -> list[Path]:
    return list(place.rglob("*.py")) if place.is_dir() else [place]
