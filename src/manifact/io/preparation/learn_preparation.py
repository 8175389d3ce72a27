"""Learning a preparation from the training samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, Unpack

from manifact.io.preparation.base_preparation import SCALES, Preparation, spoken
from manifact.io.preparation.cell_preparation import CellPreparation
from manifact.io.preparation.column_scales import COLUMNS
from manifact.io.preparation.document_preparation import DocumentPreparation
from manifact.io.preparation.image_preparation import ImagePreparation
from manifact.io.preparation.table_preparation import TablePreparation
from manifact.io.raw_samples import Samples
from manifact.utils import checks
from manifact.utils.errors import BadTypeError, BadValueError, Parameter


class WordOptions(TypedDict, total=False):
    """Options that have a meaning for documents alone."""

    weighting: str | None
    min_df: int | float | None
    max_df: int | float | None
    max_features: int | None
    stop_words: str | Iterable[str] | None
    ngrams: tuple[int, int] | None
    remove: str | Iterable[str] | None


class CellOptions(TypedDict, total=False):
    """Options that have a meaning for cells alone, beside ``weighting``."""

    genes: str | int | None
    min_cells: int | None


class LearnOptions(WordOptions, CellOptions, total=False):
    """Options of `learn`."""

    scale: str
    columns: str


def learn(samples: Samples, **options: Unpack[LearnOptions]) -> Preparation:
    """The preparation of these samples and of new ones like them.

    Parameters
    ----------
    samples : Samples
        The training samples.
    scale : {"auto", "unit", "sum", "none"}, default="auto"
        Rows get Euclidean length 1, as in the papers, or sum 1, or stay as they are. "auto": they stay where
        columns are scaled, and get length 1 otherwise.
    columns : {"auto", "none", "range", "std", "max"}, default="auto"
        Tables: columns stay as they are, or are scaled before rows are, so that one in large units does not drown the
        others: from their smallest value (0.01) to their largest (1.01); from their smallest value in standard
        deviations, with the distances between samples that standardised columns have; or divided by their largest
        value, which moves no zero. New values below the smallest count as the smallest. "auto": tables from .csv, .tsv
        and .parquet files by their range, unless ``scale`` is given or columns read as one unit: most cells are zero
        and no column outweighs the others (counts), or fifty columns and more have largest values that mostly agree
        within a factor of ten (pixels, spectra).
    weighting : {"tfidf", "counts", "log"}, default="tfidf" for documents, "log" for cells
        Documents: (1 + log tf) · idf with scikit-learn's smoothed idf, or counts, which the divergence is made for.
        Cells: log1p of counts that are brought to the median depth (what is logged already stays), or counts.
    genes : {"auto", "all", "highly_variable"} or int, default="auto"
        Cells: the genes that the file marks as highly variable or, where it marks none, the 2000 most variable; all;
        the marked ones or a refusal; so many of the most variable.
    min_cells : int, optional
        Cells: genes are kept that at least so many cells have. Default: 3 from 101 cells on, and 1 below.
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
    remove : {"all", "none"}, list of {"headers", "addresses", "codes"} or None, default="all"
        Documents: what is taken out of the texts before words are counted, because it would make topics that are about
        nothing. Headers are the fields at the head of a message, except its subject, and lines that only say who wrote
        something; addresses are those of the web and of people; codes are hexadecimal numbers and encoded data.

    Returns
    -------
    Preparation

    Examples
    --------
    >>> from manifact.io import Samples, learn
    >>> texts = ["apples and pears", "pears, plums, pears", "1984"]
    >>> prepared = learn(Samples("documents", "fruit.txt", texts=texts), weighting="counts", scale="none")
    >>> prepared.feature_names
    ['apples', 'pears', 'plums']
    >>> prepared.apply(Samples("documents", "new.txt", texts=["plums and plums", "cherries"])).toarray()
    array([[0., 0., 2.],
           [0., 0., 0.]])
    """
    return _learn(samples, options)[0]


def learn_and_apply(samples: Samples, **options: Unpack[LearnOptions]) -> tuple[Preparation, Any]:
    """The preparation that `learn` makes of these samples, and X, which is ``preparation.apply(samples)``.

    It splits documents into words once, where `learn` and `apply` would each do it.
    """
    preparation, apply = _learn(samples, options)
    return preparation, apply()


def _learn(samples: Samples, options: LearnOptions) -> tuple[Preparation, Callable[[], Any]]:
    """The preparation, and a function that gives X of the training samples."""
    scale, own = checked_options(samples, options)
    if samples.kind == "cells":
        prepared = CellPreparation.learn(samples, scale, **own)
        return prepared, lambda: prepared.apply(samples)
    if samples.kind == "documents":
        documents, counts = DocumentPreparation.learn(samples, scale, **own)
        return documents, lambda: documents.apply_to_counts(counts)
    learnt: Preparation = (
        TablePreparation.learn(samples, scale, **own)
        if samples.kind == "table"
        else ImagePreparation.learn(samples, scale)
    )
    return learnt, lambda: learnt.apply(samples)


def checked_options(samples: Samples, options: LearnOptions) -> tuple[str, dict[str, Any]]:
    """How rows are scaled, and the options that samples of this kind have; others are refused."""
    for option in options:
        if option not in LearnOptions.__annotations__:
            known = ", ".join(LearnOptions.__annotations__)
            raise BadTypeError("{}=… is not known: choose among {}", Parameter(option), known)
    scale, columns = options.get("scale", "auto"), options.get("columns", "auto")
    checks.option("scale", scale, ("auto", *SCALES))
    checks.option("columns", columns, COLUMNS)
    words = _word_options(options)
    if samples.kind != "table":
        if columns not in ("auto", "none"):
            raise BadValueError("{columns}={!r} is for tables, not for {}: leave it out", columns, samples.kind)
        scale = "unit" if scale == "auto" else scale
    cells = {name: options[name] for name in CellOptions.__annotations__ if options.get(name) is not None}  # type: ignore[literal-required]
    if samples.kind == "cells":
        if "weighting" in words:
            cells["weighting"] = words.pop("weighting")
        _refuse_for(samples, words, "documents")
        return scale, cells
    _refuse_for(samples, cells, "cells")
    if samples.kind == "documents":
        return scale, words
    _refuse_for(samples, words, "documents")
    return scale, {"columns": columns} if samples.kind == "table" else {}


def _refuse_for(samples: Samples, options: Mapping[str, Any], kind: str) -> None:
    """Refuse options that have a meaning for samples of another kind."""
    for option, value in options.items():
        shown = repr(value) if isinstance(value, str | int | float | tuple) else "…"
        raise BadValueError(
            "{}={} is for {}, not for {}: leave it out", Parameter(option), shown, kind, spoken(samples.kind)
        )


def _word_options(options: LearnOptions) -> dict[str, Any]:
    """The options for documents that were given: None leaves one out, or means none of its choices."""
    given = {name: value for name, value in options.items() if name in WordOptions.__annotations__}
    for name in ("stop_words", "remove"):
        if name in given and given[name] is None:
            given[name] = "none"
    return {name: value for name, value in given.items() if value is not None}
