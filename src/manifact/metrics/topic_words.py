"""Whether the words of topics belong together, and whether topics have words of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.metrics.word_windows import windows_of_counts, windows_of_texts
from manifact.utils import checks

#: gensim's: what is added to a probability before its logarithm is taken.
EPSILON = 1e-12


def coherence(
    topics: Iterable[Iterable[Any]], texts: Any, window: int | None = 10, names: Any = None, per_topic: bool = False
) -> Any:
    """How often the words of a topic stand near each other: NPMI, the mean over pairs of words, then over topics.

    log(p(v, w) / p(v) p(w)) / −log p(v, w), between −1 (never together) and 1 (always), where p is the share of windows
    of the corpus that have a word or both. The numbers are those of gensim's ``c_npmi``, by which topic models are
    compared in print; they depend on the corpus, so compare only what was measured on the same.

    Parameters
    ----------
    topics : sequence of sequences of str
        Words of each topic, such as ``model.top_features()`` gives. Words that the corpus lacks are left out.
    texts : sequence of str or of lists of str, or matrix of documents x words
        The corpus: texts whose words are divided by white space, or lists of words, prepared as for the model. A count
        matrix (or tf-idf: entries above zero count) holds no order, so it goes with ``window=None``.
    window : int or None, default=10
        Words in the window that slides over each text; None takes whole documents, which gives other, mostly higher
        numbers.
    names : sequence of str, optional
        Words of the columns, where ``texts`` is a matrix; None means that topics hold numbers of columns.
    per_topic : bool, default=False
        Whether to return an array with a number for each topic (NaN where it has fewer than two known words) instead
        of their mean, which leaves those out.

    References
    ----------
    G. Bouma. Normalized (pointwise) mutual information in collocation extraction. GSCL, 2009. M. Röder, A. Both,
    A. Hinneburg. Exploring the space of topic coherence measures. WSDM, 2015.

    Examples
    --------
    >>> from manifact.metrics import coherence
    >>> texts = ["cat dog", "cat dog bird", "nail saw", "saw nail hammer", "bird cat"]
    >>> round(coherence([["cat", "dog"], ["nail", "saw"]], texts), 3)
    0.779
    >>> round(coherence([["cat", "saw"]], texts), 3)
    -0.948
    """
    wanted = _listed(topics)
    column = {word: number for number, word in enumerate(dict.fromkeys(word for topic in wanted for word in topic))}
    B = _windows(texts, column, window, names)
    together = (B.T @ B).toarray()
    known = [[column[word] for word in topic if together[column[word], column[word]] > 0] for topic in wanted]
    values = np.array([_pairs_mean(together, topic, B.shape[0]) for topic in known])
    if per_topic:
        return values
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def diversity(topics: Iterable[Iterable[Any]]) -> float:
    """The share of distinct words among all words of the topics: 1 where no two topics share one.

    By A. Dieng, F. Ruiz, D. Blei. Topic modeling in embedding spaces. TACL 8, 2020. NaN where there are no words.

    >>> diversity([["cat", "dog"], ["cat", "saw"]])
    0.75
    """
    words = [word for topic in _listed(topics) for word in topic]
    return len(set(words)) / len(words) if words else float("nan")


def _listed(topics: Iterable[Iterable[Any]]) -> list[list[Any]]:
    """Topics as lists: a text would pass as a list of its letters."""
    listed = list(topics)
    if isinstance(topics, str) or any(isinstance(topic, str) for topic in listed):
        raise TypeError("topics must hold a sequence of words for each topic, not a text: split it into words")
    return [list(topic) for topic in listed]


def _windows(texts: Any, column: dict[Any, int], window: int | None, names: Any) -> Any:
    """Windows x words of the topics."""
    if window is not None:
        checks.integer("window", window, at_least=1)
    if hasattr(texts, "columns"):
        raise TypeError("texts must not be a data frame: pass its values with names=, or a list of texts")
    if sparse.issparse(texts) or (isinstance(texts, np.ndarray) and texts.ndim == 2):
        if window is not None:
            raise ValueError(f"window={window} needs texts, a matrix has no order of words: set window=None")
        return windows_of_counts(texts, _columns(list(column), texts.shape[1], names))
    if names is not None:
        raise ValueError("names are those of a matrix's columns, and texts hold words: leave names out")
    if isinstance(texts, str):
        raise TypeError("texts must be a sequence of texts or of lists of words, not one text: put it into a list")
    return windows_of_texts(texts, column, window)


def _columns(words: Sequence[Any], m: int, names: Any) -> list[int]:
    if names is None:
        place = {number: number for number in range(m)}
    else:
        if len(names) != m:
            raise ValueError(f"names holds {len(names)} names but the matrix has {m} columns: give one for each")
        place = {name: number for number, name in enumerate(names)}
    unknown = next((word for word in words if word not in place), None)
    if unknown is not None:
        raise ValueError(f"topics hold {unknown!r}, which no column of the matrix is called: pass names=…")
    return [place[word] for word in words]


def _pairs_mean(together: Array, topic: Sequence[int], n_windows: int) -> float:
    """The mean NPMI of ordered pairs of words in different places of a topic."""
    if len(topic) < 2:
        return float("nan")
    joint = together[np.ix_(topic, topic)] / n_windows
    single = np.diag(together)[list(topic)] / n_windows
    information = np.log((joint + EPSILON) / np.outer(single, single))
    # Words that every window has say nothing of each other; the quotient would be 0 / 0.
    everywhere = joint >= 1
    value = np.where(everywhere, 0.0, information / np.where(everywhere, 1.0, -np.log(joint + EPSILON)))
    return float(value[~np.eye(len(topic), dtype=bool)].mean())
