"""What counts as a word, and which words say nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manifact.io.preparation.base_preparation import list_of_strings
from manifact.utils.errors import BadValueError

#: Two characters or more, one of them a letter: numbers alone make no topic.
TOKEN = r"\b(?=\w*[^\W\d_])\w\w+\b"

#: What `TOKEN` leaves of contractions such as "don't" and "they've".
FRAGMENTS = (
    *("ain", "aren", "couldn", "didn", "doesn", "don", "hadn", "hasn", "haven", "isn", "ll", "mustn", "needn", "shan"),
    *("shouldn", "ve", "wasn", "weren", "wouldn"),
)
#: Words of scikit-learn's English list that topics are about.
TOPICAL = ("amount", "bill", "computer", "cry", "describe", "detail", "fire", "interest", "mill", "sincere", "system")


def stop_words(given: str | Iterable[str] | None) -> list[str]:
    """The words to leave out, sorted: English ones, none, or the user's own."""
    if given is None or (isinstance(given, str) and given == "none"):
        return []
    if isinstance(given, str):
        if given != "english":
            raise BadValueError(
                "{stop_words}={!r} is not known: choose 'english', 'none' or give a list of words", given
            )
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return sorted(ENGLISH_STOP_WORDS.difference(TOPICAL).union(FRAGMENTS))
    return sorted({word.lower() for word in list_of_strings("stop_words", list(given))})


def ngram_lengths(ngrams: Any) -> tuple[int, int]:
    """The least and the most words of a feature."""
    if len(ngrams) != 2 or not all(isinstance(n, int) for n in ngrams) or not 1 <= ngrams[0] <= ngrams[1]:
        raise BadValueError("{ngrams}={!r} must be the least and the most words of a feature, such as (1, 2)", ngrams)
    return ngrams[0], ngrams[1]


def check_token_pattern(stored: Any) -> None:
    """Refuse another regular expression than ours: one from a file could take for ever."""
    if stored != TOKEN:
        raise ValueError(f"its token_pattern is {str(stored)[:40]!r}")
