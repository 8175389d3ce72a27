"""A fingerprint of the code that results depend on, so that what other code has left is never taken for its own."""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterable, Iterator
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
#: What of it no experiment runs: other kinds of arrays than NumPy's and SciPy's, samples that come in streams, and what
#: is asked of a fitted model.
NOT_RUN = (
    "backends/block_samples.py",
    "backends/blocks",
    "backends/clusters.py",
    "backends/dask",
    "backends/passing_data.py",
    "backends/torch",
    "graphs/landmark_means.py",
    "models/block_starts.py",
    "models/feature_relevance.py",
    "models/feature_names.py",
    "models/landmark_streams.py",
    "models/parameter_texts.py",
    "models/streaming.py",
    "models/top_features.py",
    "solvers/checkpoint.py",
    "solvers/content_digest.py",
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

    Each file counts by its place and its code, so that a file which moves makes another fingerprint, and words about
    the code do not. Those of the places ``without`` do not count.
    """
    files = sorted(_all_files(folder, places) - _all_files(folder, without))
    found = hashlib.sha256()
    for file in files:
        content = hashlib.sha256(code(file.read_text(encoding="utf-8")).encode()).hexdigest()
        found.update(f"{file.relative_to(folder).as_posix()} {content}\n".encode())
    return found.hexdigest()[:16]


@lru_cache(maxsize=1024)
def code(source: str) -> str:
    """A program without comments, docstrings and empty lines: the same text in every version of Python."""
    lines = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for first, last in _docstrings(ast.parse(source), lines):
        lines[first:last] = [""] * (last - first)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _docstrings(tree: ast.Module, lines: list[str]) -> Iterator[tuple[int, int]]:
    """The ranges of lines that hold a docstring and nothing else."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or not node.body:
            continue
        text = node.body[0]
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str):
            first, last = text.lineno - 1, text.end_lineno or text.lineno
            before, after = lines[first].encode()[: text.col_offset], lines[last - 1].encode()[text.end_col_offset :]
            if not (before + after).strip():
                yield first, last


def _all_files(folder: Path, places: Iterable[str]) -> set[Path]:
    return {file for place in places for file in _files(folder / place)}


def _files(place: Path) -> list[Path]:
    return list(place.rglob("*.py")) if place.is_dir() else [place]
