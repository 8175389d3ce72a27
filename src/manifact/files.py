"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from manifact.backends import Array


def write_arrays(path: Path, arrays: Mapping[str, Array], metadata: dict[str, str]) -> None:
    """Write a safetensors file beside ``path`` and move it into place."""
    from safetensors.numpy import save_file

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    os.close(handle)
    try:
        save_file(dict(arrays), temporary, metadata=metadata)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_arrays(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """Arrays and metadata of a safetensors file, or one sentence that says why not."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{path} is torn or not a file of ours ({error}): delete it or name another") from error
