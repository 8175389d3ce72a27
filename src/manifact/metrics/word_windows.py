"""In how many windows of a corpus words stand, alone and together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array


def windows_of_texts(texts: Iterable[str | Sequence[str]], column: Mapping[str, int], window: int | None) -> Any:
    """Windows x words (CSR, 1 where a window has a word), of the words that have a ``column``.

    A window of L words slides over a text by one word; a text with fewer is one window, and so is every text without
    ``window``. As gensim counts: when the first of equal words in a window leaves it, the others are not seen until
    the word comes in again.
    """
    words, places, lengths = _places(texts, column)
    text = np.repeat(np.arange(len(lengths)), [len(found) for found in places])
    place = np.concatenate([*places, np.empty(0, dtype=np.int64)])
    word = np.concatenate([*words, np.empty(0, dtype=np.int64)])
    if window is None:
        return _matrix(text, word, (len(lengths), len(column)))
    n_windows = np.maximum(lengths - window + 1, 1)
    first, last = _seen(text, word, place, window, len(column), int(lengths.max(initial=0)))
    last = np.minimum(last, n_windows[text])
    many = np.maximum(last - first, 0)
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    start = (np.cumsum(n_windows) - n_windows)[text] + first
    return _matrix(np.repeat(start, many) + within, np.repeat(word, many), (n_windows.sum(), len(column)))


def windows_of_counts(counts: Any, columns: Sequence[int]) -> Any:
    """Documents x words of a matrix (CSR, 1 where a document has a word), of these columns alone."""
    chosen = sparse.csc_array(counts)[:, list(columns)]
    return sparse.csr_array(chosen > 0).astype(np.float64)


def _places(texts: Iterable[str | Sequence[str]], column: Mapping[str, int]) -> tuple[list[Array], list[Array], Array]:
    """For each text the columns and the places of its known words; its length."""
    words, places, lengths = [], [], []
    for text in texts:
        tokens = text.split() if isinstance(text, str) else text
        found = [(column[token], place) for place, token in enumerate(tokens) if token in column]
        pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
        words.append(pairs[:, 0])
        places.append(pairs[:, 1])
        lengths.append(len(tokens))
    return words, places, np.array(lengths, dtype=np.int64)


def _seen(text: Array, word: Array, place: Array, window: int, n_words: int, longest: int) -> tuple[Array, Array]:
    """For each occurrence the windows [first, last) in which it is seen, none of them twice."""
    enters = np.maximum(place - window + 1, 0)
    group = text * n_words + word
    order = np.lexsort((place, group))
    # The first of equal words in the window that this one enters: the sight of all of them ends with it.
    keys = group[order] * (longest + 1) + place[order]
    leader = order[np.searchsorted(keys, group * (longest + 1) + enters)]
    last = place[leader] + 1
    first, before = enters.copy(), order[:-1]
    same = group[order[1:]] == group[before]
    first[order[1:][same]] = np.maximum(enters[order[1:][same]], last[before[same]])
    return first, last


def _matrix(rows: Array, columns: Array, shape: tuple[int, int]) -> Any:
    found = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    found.sum_duplicates()
    found.data[:] = 1
    return found
