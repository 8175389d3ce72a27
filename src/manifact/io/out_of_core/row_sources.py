"""What a file holds, with its rows still in it: they are read a block at a time, as often as somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manifact.io.file_errors import refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import table_checks


@dataclass(frozen=True)
class RowSource(Samples):
    """Samples whose rows, or texts, come in blocks: all that `Samples` say, without X and texts.

    Attributes
    ----------
    count, width : int
        Samples and columns; documents have no columns yet (0).
    n_bytes : int
        What the samples would take in memory, about.
    is_sparse : bool
        Whether blocks are CSR.
    read : function
        ``read()`` yields the blocks in their order: arrays, CSR arrays or lists of texts.
    release : function
        Removes what reading keeps on disk; blocks that are asked for afterwards cost that again.
    """

    count: int = 0
    width: int = 0
    n_bytes: int = 0
    is_sparse: bool = False
    read: Callable[[], Iterator[Any]] = iter(()).__iter__
    release: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        for what, values in (("names", self.names), ("labels", self.labels)):
            if values is not None and len(values) != self.count:
                raise ValueError(f"{self.source} has {len(values)} {what} for {self.count} samples: give one for each")

    @property
    def n_samples(self) -> int:
        return self.count

    def blocks(self) -> Iterator[Samples]:
        """The samples of each block, with what a preparation asks of them."""
        for block in self.read():
            if self.kind == "documents":
                yield Samples(self.kind, self.source, texts=block)
            else:
                yield Samples(
                    self.kind,
                    self.source,
                    block,
                    feature_names=self.feature_names,
                    image_shape=self.image_shape,
                    matrix=self.matrix,
                    values=self.values,
                    highly_variable=self.highly_variable,
                    left_out=self.left_out,
                )

    def whole(self) -> Samples:
        """All samples in memory."""
        blocks = list(self.read())
        texts = [text for block in blocks for text in block] if self.kind == "documents" else None
        X = None if texts is not None else stacked(blocks)
        facts = {name: getattr(self, name) for name in Samples.__dataclass_fields__}
        return Samples(**{**facts, "X": X, "texts": texts})


def stacked(blocks: list[Any]) -> Any:
    """Blocks of rows as one array or CSR array."""
    if not sparse.issparse(blocks[0]):
        return np.concatenate(blocks)
    X = sparse.csr_array(sparse.vstack(blocks, format="csr"))
    X.sum_duplicates()
    return X


def checked_block(file: Path | str, X: Any, first: int, what: str = "", missing: bool = False) -> Any:
    """The rows of a block as floats or integers of this machine, or one sentence that says what is wrong where.

    ``first`` is the number, from 0, that the block's first row has in the file.
    """
    X = table_checks.checked_table(file, X, what, missing=True)
    values = X.data if sparse.issparse(X) else X
    if not missing and values.dtype.kind == "f" and not np.isfinite(values).all():
        at = np.argwhere(~np.isfinite(values))[0]
        if sparse.issparse(X):
            row, column = int(np.searchsorted(X.indptr, at[0], side="right")) - 1, int(X.indices[at[0]])
        else:
            row, column = map(int, at)
        found = f"has {values[tuple(at)]} in row {first + row + 1}, column {column + 1}"
        raise refusal(file, found, "fill in or drop what is missing")
    return X
