"""Learning a preparation from the training samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manifact.io.preparation import words
from manifact.io.preparation.base import COLUMNS, SCALES, Preparation, spoken
from manifact.io.preparation.documents import DocumentsPreparation
from manifact.io.preparation.images import ImagesPreparation
from manifact.io.preparation.table import TablePreparation
from manifact.io.readers.samples import Samples
from manifact.utils import checks


class _Default(str):
    """A default that can be told from the same value given by somebody."""


ENGLISH = _Default("english")


def learn(
    samples: Samples,
    *,
    scale: str = "unit",
    columns: str = "none",
    weighting: str | None = None,
    min_df: int | float | None = None,
    max_df: int | float | None = None,
    max_features: int | None = None,
    stop_words: str | Iterable[str] | None = ENGLISH,
    ngrams: tuple[int, int] | None = None,
) -> Preparation:
    """The preparation of these samples and of new ones like them.

    Parameters
    ----------
    samples : Samples
        The training samples.
    scale : {"unit", "sum", "none"}, default="unit"
        Rows get Euclidean length 1, as in the papers, or sum 1, or stay as they are.
    columns : {"none", "max"}, default="none"
        Tables: columns stay as they are, or are divided by their largest value, so that a column in large units does
        not drown the others. Before rows are scaled.
    weighting : {"tfidf", "counts"}, default="tfidf"
        Documents: (1 + log tf) · idf with scikit-learn's smoothed idf, or counts, which the divergence is made for.
    min_df, max_df : int or float, optional
        Documents: words are kept that at least and at most so many documents have (a fraction, if it is a float).
        Default: 2 and 0.95 from 101 documents on, so that a misspelling and a boilerplate word are no features, and
        no bounds below, where every word counts.
    max_features : int, optional
        Documents: only so many words, the most frequent ones.
    stop_words : {"english", "none"}, list of str or None, default="english"
        Documents: words to leave out. English function words are left out because topics that list "the" and "of"
        are the first thing that users of topic models mend, and in texts of other languages the list touches few
        words. It is scikit-learn's list, whose faults are known, without the words that topics are about ("system",
        "bill", "interest") and with what our words leave of contractions ("don", "ve"). Give a list of your own where
        it matters.
    ngrams : (int, int), default=(1, 1)
        Documents: the least and the most words that a feature has. A word is two characters or more with a letter
        among them, which leaves out numbers.

    Returns
    -------
    Preparation

    Examples
    --------
    >>> from manifact.io.readers import Samples
    >>> texts = ["apples and pears", "pears, plums, pears", "1984"]
    >>> prepared = learn(Samples("documents", "fruit.txt", texts=texts), weighting="counts", scale="none")
    >>> prepared.feature_names
    ['apples', 'pears', 'plums']
    >>> prepared.apply(Samples("documents", "new.txt", texts=["plums and plums", "cherries"])).toarray()
    array([[0., 0., 2.],
           [0., 0., 0.]])
    """
    checks.option("scale", scale, SCALES)
    checks.option("columns", columns, COLUMNS)
    if samples.kind != "documents":
        left_out = "none" if stop_words is None else None if stop_words is ENGLISH else stop_words
        _refuse_words(
            samples.kind,
            weighting=weighting,
            min_df=min_df,
            max_df=max_df,
            max_features=max_features,
            stop_words=left_out,
            ngrams=ngrams,
        )
    if samples.kind == "table":
        return TablePreparation.learn(samples, scale, columns)
    if columns != "none":
        raise ValueError(f"columns={columns!r} is for tables, not for {samples.kind}: leave it out")
    if samples.kind == "images":
        return ImagesPreparation.learn(samples, scale)
    if max_features is not None:
        checks.integer("max_features", max_features, 1)
    return DocumentsPreparation.learn(
        samples,
        scale,
        "tfidf" if weighting is None else weighting,
        min_df,
        max_df,
        max_features,
        stop_words,
        (1, 1) if ngrams is None else words.lengths(ngrams),
    )


def _refuse_words(kind: str, **given: Any) -> None:
    """Refuse what has a meaning for documents alone."""
    for option, value in given.items():
        if value is not None:
            shown = repr(value) if isinstance(value, str | int | float | tuple) else "…"
            raise ValueError(f"{option}={shown} is for documents, not for {spoken(kind)}: leave it out")
