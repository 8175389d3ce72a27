"""Documents of any number, for measuring time and memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from manifact.datasets.dataset import Dataset

#: Words of a document that come from its topic; the rest come from all topics alike.
FROM_TOPIC = 0.6
#: Rank of the commonest word: real corpora come without their stop words.
FIRST_RANK = 20
ROWS_AT_ONCE = 20_000


def synthetic_documents(
    n_samples: int,
    n_features: int = 36_771,
    n_words: int = 103,
    n_topics: int = 20,
    dtype: Any = np.float32,
    random_state: int | None = 0,
) -> Dataset:
    """Term counts of documents, each about one topic; words follow Zipf's law in an order of the topic's own.

    >>> data = synthetic_documents(100, n_features=500)
    >>> data.X.shape, data.n_classes
    ((100, 500), 20)
    """
    blocks = list(synthetic_document_blocks(n_samples, n_features, n_words, n_topics, dtype, random_state))
    y = np.arange(n_samples) % n_topics
    return Dataset("synthetic-documents", sparse.csr_array(sparse.vstack(blocks, format="csr")), y)


def synthetic_document_blocks(
    n_samples: int,
    n_features: int = 36_771,
    n_words: int = 103,
    n_topics: int = 20,
    dtype: Any = np.float32,
    random_state: int | None = 0,
) -> Iterator[Any]:
    """The same documents, some rows at a time, for more of them than fit into memory."""
    rng = np.random.default_rng(random_state)
    frequencies = np.cumsum(1.0 / (np.arange(n_features) + FIRST_RANK))
    frequencies /= frequencies[-1]
    orders = np.stack([rng.permutation(n_features) for _ in range(n_topics)]).astype(np.int32)
    for start in range(0, n_samples, ROWS_AT_ONCE):
        topics = np.arange(start, min(start + ROWS_AT_ONCE, n_samples)) % n_topics
        ranks = np.searchsorted(frequencies, rng.random((len(topics), n_words))).astype(np.int32)
        own = rng.random(ranks.shape) < FROM_TOPIC
        words = np.where(own, orders[topics[:, None], ranks], ranks)
        rows = np.arange(0, words.size + 1, n_words)
        block = sparse.csr_array(
            (np.ones(words.size, dtype=dtype), words.ravel(), rows), shape=(len(topics), n_features)
        )
        block.sum_duplicates()
        yield block
