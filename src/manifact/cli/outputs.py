"""Files that a command writes: looked at before any work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from manifact.cli.exit_codes import note
from manifact.cli.interruption import signals_wait


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


def run_of(checkpoint: Path | None) -> dict[str, str]:
    """What tells the run that a checkpoint is of, for the model that comes of it."""
    from manifact.solvers.checkpoint import name_of_run

    name = None if checkpoint is None else name_of_run(checkpoint)
    return {} if name is None else {"run": name}


def of_the_same_run(checkpoint: Path | None, output: Path) -> bool:
    """Whether the model at ``output`` came of the run that a checkpoint is of, which was killed before its end.

    Then all other files were not there when it began, and are its own.
    """
    import manifact

    run = run_of(checkpoint)
    if not run or not output.is_file():
        return False
    try:
        source: dict[str, Any] = getattr(manifact.load(output), "source_", {})
    except (ValueError, OSError):
        return False
    return source.get("run") == run["run"]


def write_model(model: Any, output: Path, *, clusters: bool = True) -> Path:
    """Where the model is: at ``output``, or where nothing can be written there, among the temporary files.

    ``clusters=False`` leaves making them, if nobody has, to who loads it.
    """
    import manifact

    if clusters:
        model._clusters.made(model._training_V)
    try:
        manifact.save(model, output, clusters=clusters)
    except OSError as problem:
        with _private_folder(problem) as folder:
            manifact.save(model, folder / output.name, clusters=clusters)
        note(f"{problem}; the model is at {folder / output.name}: move it to where there is room")
        return folder / output.name
    return output


@contextmanager
def _private_folder(problem: OSError) -> Iterator[Path]:
    """A new folder that is ours alone: among the temporary files of all, others may have laid links of any name.

    Where nothing can be written there either, ``problem`` is what is told, and nothing is left.
    """
    folder = None
    try:
        folder = Path(mkdtemp(prefix="manifact-"))
        yield folder
    except OSError:
        if folder is not None:
            folder.rmdir()
        raise problem from None


@contextmanager
def kept_if_interrupted(model: Any, output: Path, complete: Callable[[], None]) -> Iterator[None]:
    """Whoever interrupts the block gets the last iterate as a file, and keeps the file that is at ``output``.

    ``complete`` gives a fitted model what its file holds beside. Nobody who interrupts waits for k-means: the first who
    asks for clusters does.
    """
    before = _stamp(output)
    try:
        yield
    except KeyboardInterrupt as interrupt:
        with signals_wait():
            told = str(interrupt) or "interrupted after the last iteration: the model holds the last iterate"
            if _stamp(output) != before:
                raise KeyboardInterrupt(f"interrupted, and {output} has the model") from None
            if not hasattr(model, "_clusters"):
                raise
            complete()
            place = output if before is None else output.with_name(f"{output.stem}-interrupted{output.suffix}")
            place = write_model(model, place, clusters=False)
            raise KeyboardInterrupt(f"{told}, and {place} has it") from None


def _stamp(file: Path) -> Any:
    """What changes when a file is replaced; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
