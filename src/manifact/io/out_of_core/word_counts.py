"""Words of documents that come in blocks: counted once, the vocabulary settled when all have been seen."""

from __future__ import annotations

import heapq
import shutil
import tempfile
import weakref
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from numbers import Integral
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.backends.block_samples import SpooledBlocks
from manifact.io.out_of_core.spool_writer import PREFIX, SpoolWriter, scratch_folder
from manifact.io.out_of_core.workspace import Workspace

#: What a word takes in memory with its numbers, about; and the share of memory that words may have.
WORD, SHARE = 200, 8
#: Columns of counts whose words are still numbered as they came.
ANY = np.iinfo(np.int32).max

#: A word, the numbers that it has among the counts, its documents and its occurrences.
Word = tuple[str, list[int], int, int]


class WordCounts:
    """Counts of words in documents, on disk; words that are too many for memory are on disk, too.

    ``counter()`` makes a `CountVectorizer` that keeps every word.
    """

    def __init__(self, counter: Callable[[], Any], space: Workspace, what: str) -> None:
        self._counter = counter
        self._writer = SpoolWriter(space.scratch, what=what)
        self._most = max(1000, space.memory // SHARE // WORD)
        self._ids: dict[str, int] = {}
        self._first = 0
        self._documents, self._occurrences = array("q"), array("q")
        self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=scratch_folder(space.scratch)))
        weakref.finalize(self, shutil.rmtree, str(self._folder), True)
        self._runs: list[Path] = []
        self.n_documents = 0

    def add(self, texts: Sequence[str]) -> None:
        """Count the words of some more documents."""
        self.n_documents += len(texts)
        counter = self._counter()
        try:
            counts = sparse.csr_array(counter.fit_transform(texts))
        except ValueError:  # no document has a word
            self._writer.append(sparse.csr_array((len(texts), ANY), dtype=np.int32))
            return
        numbers = self._numbered(counter.get_feature_names_out().tolist())
        local = numbers - self._first
        np.add.at(_as_array(self._documents), local, np.bincount(counts.indices, minlength=len(local)))
        np.add.at(_as_array(self._occurrences), local, np.asarray(counts.sum(axis=0)).ravel())
        indices = numbers[counts.indices].astype(np.int32)
        rows = sparse.csr_array((counts.data.astype(np.int32), indices, counts.indptr), shape=(len(texts), ANY))
        self._writer.append(rows)
        if len(self._ids) > self._most:
            self._put_away()

    def settled(self, low: float, high: float, most: int | None) -> tuple[list[str], Array, Any]:
        """The words within bounds, as scikit-learn understands them, the documents that each is in, and their counts.

        The counts are a function that gives them by blocks of rows.
        """
        seen, often = array("q"), array("q")
        for _, _, documents, occurrences in self._words():
            seen.append(documents)
            often.append(occurrences)
        kept = _within(np.array(seen), np.array(often), self.n_documents, low, high, most)
        column = np.full(self._first + len(self._ids), -1, dtype=np.int32)
        names: list[str] = []
        for place, (word, numbers, _, _) in enumerate(self._words()):
            if kept[place]:
                column[numbers] = len(names)
                names.append(word)
        if not names:
            raise ValueError("no words are left")
        counts = self._writer.finished()
        return names, np.array(seen)[kept], lambda: _renumbered(counts, column, len(names))

    def _numbered(self, words: list[str]) -> Array:
        """The numbers of words, new ones where they were not seen since words were put away."""
        ids = self._ids
        numbers = np.array([ids.setdefault(word, self._first + len(ids)) for word in words], dtype=np.int64)
        new = len(ids) - len(self._documents)
        self._documents.extend([0] * new)
        self._occurrences.extend([0] * new)
        return numbers

    def _put_away(self) -> None:
        """Write the words in order; if they come again, they get new numbers."""
        file = self._folder / f"{len(self._runs)}.words"
        with file.open("w", encoding="utf-8") as content:
            for word, (number,), documents, occurrences in self._in_memory():
                content.write(f"{word}\t{number}\t{documents}\t{occurrences}\n")
        self._runs.append(file)
        self._first += len(self._ids)
        self._ids = {}
        self._documents, self._occurrences = array("q"), array("q")

    def _words(self) -> Iterator[Word]:
        """All words in order, each once."""
        if not self._runs:
            yield from self._in_memory()
            return
        merged = heapq.merge(*map(_run, self._runs), self._in_memory(), key=itemgetter(0))
        for word, group in groupby(merged, key=itemgetter(0)):
            _, numbers, documents, occurrences = zip(*group, strict=True)
            yield word, [number for part in numbers for number in part], sum(documents), sum(occurrences)

    def _in_memory(self) -> Iterator[Word]:
        for word in sorted(self._ids):
            number = self._ids[word]
            place = number - self._first
            yield word, [number], self._documents[place], self._occurrences[place]


def _as_array(numbers: array[int]) -> Array:
    return np.frombuffer(numbers, dtype=np.int64)


def _run(file: Path) -> Iterator[Word]:
    with file.open(encoding="utf-8") as content:
        for line in content:
            word, number, documents, occurrences = line.rstrip("\n").split("\t")
            yield word, [int(number)], int(documents), int(occurrences)


def _within(seen: Array, often: Array, n: int, low: float, high: float, most: int | None) -> Array:
    """Which words are kept: `CountVectorizer` compares and orders in the same way."""
    largest = high if isinstance(high, Integral) else high * n
    smallest = low if isinstance(low, Integral) else low * n
    kept = (seen <= largest) & (seen >= smallest)
    if most is not None and kept.sum() > most:
        places = np.flatnonzero(kept)[(-often[kept]).argsort()[:most]]
        kept = np.zeros(len(seen), dtype=bool)
        kept[places] = True
    return kept


def _renumbered(counts: SpooledBlocks, column: Array, m: int) -> Iterator[Any]:
    """The counts of the words that are kept."""
    for number in range(counts.n_blocks):
        block = counts.block(number)
        places = column[block.indices]
        kept = places >= 0
        lengths = np.concatenate([[0], np.cumsum(kept)])[block.indptr]
        rows = sparse.csr_array((block.data[kept], places[kept], lengths), shape=(block.shape[0], m))
        rows.sort_indices()
        yield rows
