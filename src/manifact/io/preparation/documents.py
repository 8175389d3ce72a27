"""Documents: words counted, weighted and scaled, with the vocabulary of the training documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from manifact.io.preparation import words
from manifact.io.preparation.base import Preparation
from manifact.io.readers.samples import Samples
from manifact.utils import checks

WEIGHTINGS = ("tfidf", "counts")
#: From so many documents on, words of one document and words of almost all are left out.
MANY = 100


@dataclass(frozen=True)
class DocumentsPreparation(Preparation):
    """Documents x words, sparse: counts, or (1 + log tf) (1 + log((1 + N) / (1 + df))) as scikit-learn weights them.

    Words are in lower case. A document without a known word is a row of zeros.
    """

    kind = "documents"

    weighting: str = "tfidf"
    idf: list[float] | None = None
    stop_words: list[str] = field(default_factory=list)
    ngrams: tuple[int, int] = (1, 1)

    @staticmethod
    def learn(
        samples: Samples,
        scale: str,
        weighting: str,
        min_df: int | float | None,
        max_df: int | float | None,
        max_features: int | None,
        stop_words: str | Iterable[str] | None,
        ngrams: tuple[int, int],
    ) -> DocumentsPreparation:
        """The vocabulary of these documents, and how many of them have each word."""
        checks.option("weighting", weighting, WEIGHTINGS)
        n = samples.n_samples
        low, high = _bounds(n, min_df, max_df)
        left_out = words.stop_words(stop_words)
        counter = _counter(left_out, ngrams)
        counter.set_params(min_df=low, max_df=high, max_features=max_features)
        try:
            counts = counter.fit_transform(samples.texts)
        except ValueError as problem:  # scikit-learn says so in several ways
            raise ValueError(
                f"{samples.source} leaves no words of its {n} documents with min_df={low}, max_df={high} and "
                f"{len(left_out)} stop words: lower min_df=…, raise max_df=…, or give other stop_words=…"
            ) from problem
        idf = None
        if weighting == "tfidf":
            seen = np.bincount(counts.indices, minlength=counts.shape[1])
            idf = (np.log((1 + n) / (1 + seen)) + 1).tolist()
        names = counter.get_feature_names_out().tolist()
        return DocumentsPreparation(scale, names, None, weighting, idf, left_out, ngrams)

    def _values(self, samples: Samples) -> Any:
        counter = _counter(self.stop_words, self.ngrams)
        counter.set_params(vocabulary=self.feature_names)
        X = sparse.csr_array(counter.transform(samples.texts), dtype=np.float64)
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
            "token_pattern": words.TOKEN,
        }

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> DocumentsPreparation:
        vocabulary, idf, weighting = words.texts("vocabulary", stored["vocabulary"]), stored["idf"], stored["weighting"]
        checks.option("weighting", weighting, WEIGHTINGS)
        words.check_pattern(stored["token_pattern"])
        if (idf is None) != (weighting == "counts") or (idf is not None and len(idf) != len(vocabulary)):
            raise ValueError("its weights do not fit its vocabulary")
        return cls(
            stored["scale"],
            vocabulary,
            None,
            weighting,
            idf,
            words.texts("stop_words", stored["stop_words"]),
            words.lengths(stored["ngrams"]),
        )


def _counter(stop_words: list[str], ngrams: tuple[int, int]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(token_pattern=words.TOKEN, stop_words=stop_words or None, ngram_range=ngrams)


def _bounds(n: int, min_df: int | float | None, max_df: int | float | None) -> tuple[int | float, int | float]:
    """Bounds on the documents that have a word; of many documents, words in one or in almost all are left out."""
    low = min_df if min_df is not None else 2 if n > MANY else 1
    high = max_df if max_df is not None else 0.95 if n > MANY else 1.0
    for name, value in (("min_df", low), ("max_df", high)):
        checks.real(name, value, at_least=0, at_most=1 if isinstance(value, float) else None)
    return low, high
