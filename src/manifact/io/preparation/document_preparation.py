"""Documents: words counted, weighted and scaled, with the vocabulary of the training documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from manifact.io.preparation import non_prose, vocabulary
from manifact.io.preparation.base_preparation import Preparation, list_of_strings, scaled
from manifact.io.raw_samples import Samples
from manifact.utils import checks
from manifact.utils.errors import BadValueError

WEIGHTINGS = ("tfidf", "counts")
#: From so many documents on, words of one document and words of almost all are left out.
MANY = 100


@dataclass(frozen=True)
class WordWishes:
    """Which words of n documents are features, and how they are weighted."""

    n: int
    weighting: str
    low: int | float
    high: int | float
    max_features: int | None
    stop_words: list[str]
    ngrams: tuple[int, int]
    remove: tuple[str, ...]

    @staticmethod
    def of(
        n: int,
        weighting: str = "tfidf",
        min_df: int | float | None = None,
        max_df: int | float | None = None,
        max_features: int | None = None,
        stop_words: str | Iterable[str] | None = "english",
        ngrams: tuple[int, int] = (1, 1),
        remove: str | Iterable[str] | None = "all",
    ) -> WordWishes:
        """From options, checked; what is left open follows from the number of documents."""
        checks.option("weighting", weighting, WEIGHTINGS)
        if max_features is not None:
            checks.integer("max_features", max_features, 1)
        bounds = _bounds(n, min_df, max_df)
        left_out, lengths = vocabulary.stop_words(stop_words), vocabulary.ngram_lengths(ngrams)
        return WordWishes(n, weighting, *bounds, max_features, left_out, lengths, non_prose.chosen(remove))

    def counter(self) -> Any:
        """What counts words, without bounds."""
        return _counter(self.stop_words, self.ngrams, self.remove)

    def nothing_left(self, source: str) -> ValueError:
        """The error for documents without a word that is kept."""
        return BadValueError(
            "{} leaves no words of its {} documents with {min_df}={}, {max_df}={} and {} stop words: "
            "lower {min_df}=…, raise {max_df}=…, or give other {stop_words}=… or {remove}=…",
            source,
            self.n,
            self.low,
            self.high,
            len(self.stop_words),
        )


@dataclass(frozen=True)
class DocumentPreparation(Preparation):
    """Documents x words, sparse: counts, or (1 + log tf) (1 + log((1 + N) / (1 + df))) as scikit-learn weights them.

    Words are in lower case. A document without a known word is a row of zeros. What ``remove`` names is taken out of
    the texts first; files of versions that did not do so name nothing.
    """

    kind = "documents"

    weighting: str = "tfidf"
    idf: list[float] | None = None
    stop_words: list[str] = field(default_factory=list)
    ngrams: tuple[int, int] = (1, 1)
    remove: tuple[str, ...] = ()

    @property
    def _version(self) -> int:
        return 2 if self.remove else 1

    @staticmethod
    def learn(
        samples: Samples,
        scale: str,
        weighting: str = "tfidf",
        min_df: int | float | None = None,
        max_df: int | float | None = None,
        max_features: int | None = None,
        stop_words: str | Iterable[str] | None = "english",
        ngrams: tuple[int, int] = (1, 1),
        remove: str | Iterable[str] | None = "all",
    ) -> tuple[DocumentPreparation, Any]:
        """The vocabulary of these documents with its weights, and the counts of its words in them (CSR)."""
        asked = WordWishes.of(samples.n_samples, weighting, min_df, max_df, max_features, stop_words, ngrams, remove)
        counter = asked.counter()
        counter.set_params(min_df=asked.low, max_df=asked.high, max_features=max_features)
        try:
            counts = counter.fit_transform(samples.texts)
        except ValueError as problem:  # scikit-learn says so in several ways
            raise asked.nothing_left(samples.source) from problem
        counts.sort_indices()  # as they are for new documents, so that X is the same to the last bit
        seen = np.bincount(counts.indices, minlength=counts.shape[1])
        return DocumentPreparation.of_words(asked, scale, counter.get_feature_names_out().tolist(), seen), counts

    @staticmethod
    def of_words(asked: WordWishes, scale: str, words: list[str], seen: Any) -> DocumentPreparation:
        """With these words, each of which so many documents have."""
        idf = (np.log((1 + asked.n) / (1 + seen)) + 1).tolist() if asked.weighting == "tfidf" else None
        return DocumentPreparation(
            scale, words, None, asked.weighting, idf, asked.stop_words, asked.ngrams, asked.remove
        )

    def apply_to_counts(self, counts: Any) -> Any:
        """X of documents whose words are counted already."""
        return scaled(self._weighted(counts), self.scale)

    def _values(self, samples: Samples) -> Any:
        counter = _counter(self.stop_words, self.ngrams, self.remove)
        counter.set_params(vocabulary=self.feature_names)
        return self._weighted(counter.transform(samples.texts))

    def _weighted(self, counts: Any) -> Any:
        X = sparse.csr_array(counts, dtype=np.float64)
        if self.idf is not None:
            X.data = (np.log(X.data) + 1) * np.array(self.idf)[X.indices]
        return X

    def _learnt(self) -> dict[str, Any]:
        return {
            "vocabulary": self.feature_names,
            "weighting": self.weighting,
            "idf": self.idf,
            "stop_words": self.stop_words,
            "ngrams": list(self.ngrams),
            "token_pattern": vocabulary.TOKEN,
            "remove": list(self.remove),
        }

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> DocumentPreparation:
        names, idf, weighting = list_of_strings("vocabulary", stored["vocabulary"]), stored["idf"], stored["weighting"]
        checks.option("weighting", weighting, WEIGHTINGS)
        vocabulary.check_token_pattern(stored["token_pattern"])
        if (idf is None) != (weighting == "counts") or (idf is not None and len(idf) != len(names)):
            raise ValueError("its weights do not fit its vocabulary")
        if idf is not None and not all(isinstance(weight, int | float) and 0 <= weight < np.inf for weight in idf):
            raise ValueError("its weights are not all numbers >= 0")
        left_out = list_of_strings("stop_words", stored["stop_words"])
        lengths = vocabulary.ngram_lengths(stored["ngrams"])
        removed = non_prose.chosen(list_of_strings("remove", stored.get("remove", [])))
        return cls(stored["scale"], names, None, weighting, idf, left_out, lengths, removed)


def _counter(stop_words: list[str], ngrams: tuple[int, int], remove: tuple[str, ...]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(
        preprocessor=(lambda text: non_prose.without(text, remove).lower()) if remove else None,
        token_pattern=vocabulary.TOKEN,
        stop_words=stop_words or None,
        ngram_range=ngrams,
    )


def _bounds(n: int, min_df: int | float | None, max_df: int | float | None) -> tuple[int | float, int | float]:
    """Bounds on the documents that have a word; of many documents, words in one or in almost all are left out."""
    low = min_df if min_df is not None else 2 if n > MANY else 1
    high = max_df if max_df is not None else 0.95 if n > MANY else 1.0
    for name, value in (("min_df", low), ("max_df", high)):
        checks.real(name, value, at_least=0, at_most=1 if isinstance(value, float) else None)
    return low, high
