"""From a path to X in blocks of rows, in one call."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from manifact.backends.block_samples import SpooledBlocks
from manifact.io.out_of_core.open_sources import open_source
from manifact.io.out_of_core.prepared_blocks import PreparedBlocks, applied_blocks, learnt_blocks
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.preparation import Preparation
from manifact.io.preparation.learn_preparation import LearnOptions
from manifact.io.readers.formats import ReadOptions, check
from manifact.utils.errors import BadTypeError, Parameter


def open_blocks(
    path: Path | str,
    *,
    memory: int | str | None = None,
    scratch: Path | str | None = None,
    preparation: Preparation | None = None,
    **options: Any,
) -> SpooledBlocks:
    """X of a file that is larger than memory, prepared as `manifact.io.learn_and_apply` would and kept on disk.

    What can be read in blocks: ``.npy``, ``.zarr`` (a 2-d array, or AnnData), ``.h5ad``, ``.parquet`` and folders of
    such files, folders of ``.npz`` files, ``.mtx`` (coordinates), folders of 10x, ``.jsonl`` and ``.txt``. The file is
    read two or three times, a block at a time: to learn the preparation, and to write X to disk, where it stays until
    nobody needs it.

    Parameters
    ----------
    path : path
    memory : int or str, optional
        Bytes that may be used, such as "4G". Default: what is free. A block takes a sixteenth of it, at most 256 MiB.
    scratch : path, optional
        The folder for temporary files: it needs room for X. Default: the system's.
    preparation : Preparation, optional
        Of a fitted model (``model.preparation_``), for new samples. Default: it is learnt from these.
    **options
        Those of `manifact.io.read` and of `manifact.io.learn`; ``columns`` is that of the latter.

    Returns
    -------
    X : SpooledBlocks
        For ``fit``, ``transform`` and ``predict``. ``X.preparation`` is how samples were prepared, ``X.samples`` has
        their names, classes and features, ``X.close()`` removes what is on disk before its time.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from manifact.io import open_blocks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/counts.npy", np.arange(12.0).reshape(6, 2))
    ...     X = open_blocks(f"{folder}/counts.npy", memory="2K", scale="none")
    ...     X.shape, X.block(0).tolist()[:2]
    ((6, 2), [[0.0, 1.0], [2.0, 3.0]])
    """
    reading, learning = _split(options)
    prepared = read_blocks(path, Workspace.of(memory, scratch), reading, learning, preparation)
    X = prepared.X
    X.samples, X.preparation = prepared.samples, prepared.preparation
    return X


def read_blocks(
    path: Path | str,
    space: Workspace,
    reading: dict[str, Any],
    learning: dict[str, Any],
    preparation: Preparation | None = None,
) -> PreparedBlocks:
    """The same with all that is known of the samples, and options that are told apart."""
    if not isinstance(path, str | os.PathLike):
        raise BadTypeError(
            "path={} must be the path of a file: models take arrays, memory maps and dask.array as they are",
            type(path).__name__,
        )
    known = {} if preparation is None else preparation.read_options
    source = open_source(check(path, **{**known, **reading}), space)
    if preparation is None:
        return learnt_blocks(source, space, **learning)
    return applied_blocks(source, space, preparation)


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of reading, and those of preparing."""
    learning = {name: value for name, value in options.items() if name in LearnOptions.__annotations__}
    reading = {name: value for name, value in options.items() if name not in learning}
    for name in reading:
        if name not in ReadOptions.__annotations__:
            known = ", ".join(sorted({*ReadOptions.__annotations__, *LearnOptions.__annotations__}))
            raise BadTypeError("{}=… is not known: choose among {}", Parameter(name), known)
    return reading, learning
