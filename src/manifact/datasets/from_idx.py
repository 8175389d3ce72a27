"""Data sets from idx files, as MNIST's: images and labels, for training and for test, compressed or not."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from manifact.datasets.dataset import Dataset
from manifact.datasets.sources import Entry
from manifact.io.file_errors import refusal, unreadable
from manifact.io.unpacked_size import unpacked


def read(entry: Entry, files: Sequence[Path]) -> Dataset:
    """Training samples, then test samples, as numbers 0..255."""
    images, labels = ([_array(file) for file in files[start::2]] for start in (0, 1))
    for file, X, y in zip(files[::2], images, labels, strict=True):
        if X.ndim != 3 or X.shape[1:] != entry.image_shapes[0] or y.shape != X.shape[:1]:
            wanted = "{} x {} images".format(*entry.image_shapes[0])
            raise refusal(
                file, f"holds {X.shape} for classes of shape {y.shape}", f"expected {wanted} and a class for each"
            )
    X, y = np.concatenate(images), np.concatenate(labels)
    if len(X) != entry.n_samples:
        raise refusal(files[0], f"and the test file hold {len(X)} images", f"expected {entry.n_samples}")
    return Dataset(entry.name, X.reshape(len(X), -1), y.astype(np.int64), entry.image_shapes[0])


def _array(file: Path) -> Any:
    """The array of bytes in an idx file: two zeros, the type 8, the number of axes, their lengths, the values."""
    content = file.read_bytes()
    if content[:2] == b"\x1f\x8b":
        try:
            with gzip.open(file) as stream:
                content = unpacked(file, stream).read()
        except (OSError, EOFError, zlib.error) as problem:
            raise unreadable(file, "a gzip file", problem) from problem
    axes = content[3] if content[:3] == b"\x00\x00\x08" and len(content) > 3 else 0
    lengths = np.frombuffer(content[4 : 4 + 4 * axes], dtype=">u4").tolist() if len(content) >= 4 + 4 * axes else []
    if not lengths or len(content) != 4 + 4 * axes + prod(lengths):
        raise refusal(
            file, f"has {len(content)} bytes that are not what its head says", "expected a complete idx file of bytes"
        )
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * axes).reshape(lengths)
