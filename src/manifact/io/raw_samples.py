"""What a file or folder holds, before preparation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, Literal, get_args

from manifact.backends import Array
from manifact.utils.errors import BadValueError

Kind = Literal["table", "documents", "images", "cells"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class Samples:
    """Samples as they were read.

    Attributes
    ----------
    kind : {"table", "documents", "images", "cells"}
    source : str
        The path as it was given.
    X : n x m array or CSR, or None
        A table's or the cells' values, or the pixels of images (uint8, row-major, colours last), already of one size.
    texts : list of str, or None
        Documents.
    names : list of str, or None
        One for each sample: row names, or file names relative to the folder, with ``/``.
    feature_names : list of str, or None
        One for each column, all different.
    image_shape : tuple, or None
        (height, width), or (height, width, 3) for colours.
    labels : array of n, or None
        Classes that the file carries; text that is missing is "".
    matrix : str, or None
        Cells: which matrix was taken, in words, such as "counts of layers['counts']".
    values : {"counts", "linear", "log", "scaled"}, or None
        Cells: what its values are (`manifact.io.cell_matrices`).
    highly_variable : bool array of m, or None
        Cells: the genes that the file marks as such.
    skipped : dict
        Files of a folder that could not be read, by their names, and why.
    places : list of int, or None
        The places of the samples among all files of a folder or lines of a file, if some hold none.
    n_places : int
        How many of these there are; 0 where ``places`` is None.
    """

    kind: Kind
    source: str
    X: Any = None
    texts: list[str] | None = None
    names: list[str] | None = None
    feature_names: list[str] | None = None
    image_shape: tuple[int, ...] | None = None
    labels: Array | None = None
    matrix: str | None = None
    values: str | None = None
    highly_variable: Array | None = None
    skipped: Mapping[str, str] = field(default_factory=dict)
    places: Sequence[int] | None = None
    n_places: int = 0

    def __post_init__(self) -> None:
        n, m, source = self.n_samples, 0 if self.X is None else self.X.shape[1], Path(self.source)
        for what, values in (("names", self.names), ("labels", self.labels)):
            if values is not None and len(values) != n:
                raise ValueError(f"{source} has {len(values)} {what} for {n} samples: give one for each")
        if self.feature_names is not None and len(self.feature_names) != m:
            raise ValueError(f"{source} has {len(self.feature_names)} feature names for {m} columns: give all")
        if self.image_shape is not None and prod(self.image_shape) != m:
            size = " x ".join(map(str, self.image_shape))
            raise BadValueError(
                "{} has {} columns, which are not images of {}: give another {image_shape}=…", source, m, size
            )

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return len(self.texts) if self.texts is not None else int(self.X.shape[0])
