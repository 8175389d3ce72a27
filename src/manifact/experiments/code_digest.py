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
#: What of it no experiment runs: other kinds of arrays than NumPy's and SciPy's, and samples that come in streams.
NOT_RUN = (
    "backends/blocks",
    "backends/dask",
    "backends/passing_data.py",
    "backends/torch",
    "graphs/landmark_means.py",
    "models/landmark_streams.py",
    "models/streaming.py",
    "solvers/online.py",
    "solvers/online_affinity.py",
    "terms/affinity_statistics.py",
    "terms/statistics.py",
    "terms/statistics_protocol.py",
)


@lru_cache(maxsize=1)
def numerical_code() -> str:
    """The fingerprint of `NUMERICAL`, taken once in a process: it runs the code that it has loaded."""
    return digest(PACKAGE, NUMERICAL, NOT_RUN)


def digest(folder: Path, places: Iterable[str], without: Iterable[str] = ()) -> str:
    """A fingerprint of Python files below ``folder``, and of all those in folders, in whatever order they are given.

    Each file counts by its place and its content, so that a file which moves makes another fingerprint. Those of the
    places ``without`` do not count.
    """
    files = sorted(_all_files(folder, places) - _all_files(folder, without))
    found = hashlib.sha256()
    for file in files:
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        found.update(f"{file.relative_to(folder).as_posix()} {content}\n".encode())
    return found.hexdigest()[:16]


def _all_files(folder: Path, places: Iterable[str]) -> set[Path]:
    return {file for place in places for file in _files(folder / place)}


def _files(place: Path) -> list[Path]:
    return list(place.rglob("*.py")) if place.is_dir() else [place]
