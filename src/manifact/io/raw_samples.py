"""What a file or folder holds, before preparation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from manifact.backends import Array
from manifact.utils.errors import BadValueError, Sentence
from manifact.utils.terminal_text import encodable

Kind = Literal["table", "documents", "images", "cells"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class LeftOut:
    """What a reader of tables left out, and why.

    Attributes
    ----------
    rows, row_names : tuple
        Numbers (from 0, in the file) and names of rows that were left out for missing values.
    columns : tuple of int
        Numbers (from 1, in the file) of columns that are no features: dropped, or ids.
    places : tuple of int
        Numbers (from 1, in the file) of the columns that are features, where there is no header.
    id_column : str, or None
        The header of the column of ids that names the samples, or its number from 1 where there is none.
    missing : {"drop", "mean"}, or None
        What was asked for. With "mean", NaN stands in X until a preparation fills it in.
    decimal : {".", ","}, or None
        What was asked for.
    ignored : tuple of str
        Headers of columns that were not looked at, as a model does not know them.
    notes : tuple of Sentence
        The same in words.
    """

    rows: tuple[int, ...] = ()
    row_names: tuple[str, ...] = ()
    columns: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    id_column: str | None = None
    missing: str | None = None
    decimal: str | None = None
    ignored: tuple[str, ...] = ()
    notes: tuple[Sentence, ...] = ()


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
    other_files : dict
        Files of a folder that are no samples, such as a picture beside texts, by their names, and why.
    places : list of int, or None
        The places of the samples among all files of a folder or lines of a file, if some hold none.
    n_places : int
        How many of these there are; 0 where ``places`` is None.
    left_out : LeftOut, or None
        Of tables in .csv, .tsv and .parquet files, whose columns are settled one by one: what is not in X.
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
    other_files: Mapping[str, str] = field(default_factory=dict)
    places: Sequence[int] | None = None
    n_places: int = 0
    left_out: LeftOut | None = None

    def __post_init__(self) -> None:
        # Models, tables and pages are written in UTF-8, which must not be found out after a fit.
        for what in ("texts", "names", "feature_names"):
            object.__setattr__(self, what, _encodable(getattr(self, what)))
        if self.labels is not None and self.labels.dtype.kind == "U":
            object.__setattr__(self, "labels", np.array(_encodable(self.labels.tolist()), dtype=str))
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

    def rows_of(self, other: Any, square: bool = False) -> Any:
        """Another matrix of the same file's rows (``square``: and columns) without those that were left out here.

        One that has as many rows as there are samples stays as it is.
        """
        left = () if self.left_out is None else self.left_out.rows
        total = self.n_samples + len(left) if self.places is None else self.n_places
        if total == self.n_samples or other.shape[0] != total:
            return other
        kept = np.setdiff1d(np.arange(total), left) if self.places is None else np.asarray(self.places)
        return other[kept][:, kept] if square else other[kept]

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return len(self.texts) if self.texts is not None else int(self.X.shape[0])


def _encodable(texts: list[str] | None) -> list[str] | None:
    return None if texts is None else [text if text.isascii() else encodable(text) for text in texts]
