"""A walk over blocks in this process: one after the other, each by all threads, what is kept in memory or on disk."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from weakref import finalize

import numpy as np

from manifact.backends.block_samples import BlockSamples
from manifact.backends.blocks.block_program import Program
from manifact.backends.blocks.layout import Layout
from manifact.backends.protocol import Array


class Source:
    """X, whose blocks are read when a walk comes to them."""

    def __init__(self, X: BlockSamples, weight: Array | None, make: Any, keeps: bool = False) -> None:
        self.X = X
        self.weight = weight
        self._make = make
        #: Blocks that stay, with what was made of them, where there is room.
        self._kept: dict[int, Any] | None = {} if keeps else None

    def __getitem__(self, number: int) -> Any:
        if self._kept is not None and number in self._kept:
            return self._kept[number]
        rows = slice(self.X.bounds[number], self.X.bounds[number + 1])
        made = self._make(self.X.block(number), None if self.weight is None else self.weight[rows])
        if self._kept is not None:
            self._kept[number] = made
        return made


class Pieces:
    """Something for each block, such as a sparse matrix."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = list(parts)

    def __getitem__(self, number: int) -> Any:
        return self.parts[number]


class Tall:
    """One array for all rows, of which blocks are views."""

    def __init__(self, array: Array, layout: Layout) -> None:
        self.array = array
        self._layout = layout

    def __getitem__(self, number: int) -> Any:
        return self.array[self._layout.rows(number)]


class LocalWalk:
    """Blocks one after the other. Arrays beyond ``budget`` bytes are kept in files of the folder ``scratch``."""

    def __init__(self, budget: float = np.inf, scratch: str | Path | None = None) -> None:
        self.budget = budget
        self.scratch = scratch
        #: Bytes of arrays that are in memory.
        self._taken = 0

    def walk(self, program: Program, layout: Layout) -> tuple[list[Any], list[Any]]:
        """What the program keeps, for all blocks, and its sums."""
        recipe = program.recipe()
        kept: list[Any] = [None] * len(program.kept)
        totals: list[Any] = [None] * len(program.sums)
        for number in range(layout.n_blocks):
            block = [held[number] for held in program.inputs]
            parts, sums = recipe.run(block, program.inputs, program.small)
            for place, part in enumerate(parts):
                kept[place] = self._put(kept[place], part, number, layout)
            for place, (combine, part) in enumerate(zip(program.combine, sums, strict=True)):
                totals[place] = part if number == 0 else combine(totals[place], part)
        return kept, totals

    def _put(self, store: Any, part: Any, number: int, layout: Layout) -> Any:
        """The store of all blocks with one more; made for the first."""
        if not isinstance(part, np.ndarray):
            store = Pieces([]) if store is None else store
            store.parts.append(part)
            return store
        if store is None:
            store = Tall(self.room((layout.n_rows, *part.shape[1:]), part.dtype), layout)
        store.array[layout.rows(number)] = part
        return store

    def room(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Memory for an array, or a file that is gone with it."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if self._taken + size <= self.budget:
            self._taken += size
            array = np.empty(shape, dtype=dtype)
            finalize(array, self._free, size)
            return array
        with tempfile.TemporaryFile(dir=self.scratch) as file:
            file.truncate(max(size, 1))
            return np.memmap(file, dtype=dtype, mode="r+", shape=shape)

    def _free(self, size: int) -> None:
        self._taken -= size

    def gathered(self, held: Any) -> Any:
        """Blocks that are held as one array."""
        return held.array if isinstance(held, Tall) else held.parts

    def holding(self, P: Any, layout: Layout) -> Any:
        """Blocks of an array."""
        return Tall(P, layout)

    def parts(self, parts: Sequence[Any], layout: Layout) -> Any:
        """Something of the host for each block."""
        return Pieces(parts)

    def block(self, held: Any, number: int) -> Any:
        """One block."""
        return held[number]
