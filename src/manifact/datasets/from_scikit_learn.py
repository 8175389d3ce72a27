"""Data sets that scikit-learn downloads: faces, newsgroups, Reuters' newswire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from manifact.datasets.dataset import Dataset
from manifact.datasets.fetching import DownloadError
from manifact.datasets.home import Folder, data_home

#: The top of RCV1's tree of topics: companies, economy, government, markets.
RCV1_TOPICS = ("CCAT", "ECAT", "GCAT", "MCAT")


def load_olivetti(home: Folder = None) -> Dataset:
    """400 images of 40 faces, 64 x 64, values 0..1; downloaded once."""
    bunch = _fetched("fetch_olivetti_faces", home)
    return Dataset("olivetti", bunch.data, bunch.target.astype(np.int64), (64, 64))


def load_newsgroups(home: Folder = None) -> Dataset:
    """Term counts of the 18846 messages of 20 newsgroups, training messages first; downloaded once.

    Counted by scikit-learn, with every word: ``load("news20")`` is the smaller table that the papers use.
    """
    bunch = _fetched("fetch_20newsgroups_vectorized", home, subset="all", normalize=False)
    return Dataset(
        "newsgroups",
        sparse.csr_array(bunch.data),
        bunch.target.astype(np.int64),
        feature_names=np.asarray(bunch.feature_names),
        target_names=np.asarray(bunch.target_names),
    )


def load_rcv1(home: Folder = None) -> Dataset:
    """tf-idf of 804414 newswire stories; classes are the four topics at the top, −1 for a story of several or none.

    Downloaded once.
    """
    bunch = _fetched("fetch_rcv1", home)
    columns = [list(bunch.target_names).index(topic) for topic in RCV1_TOPICS]
    member = sparse.csr_array(bunch.target)[:, columns].toarray()
    y = np.where(member.sum(axis=1) == 1, member.argmax(axis=1), -1)
    return Dataset("rcv1", sparse.csr_array(bunch.data), y.astype(np.int64), target_names=np.array(RCV1_TOPICS))


def _fetched(function: str, home: Folder, **options: Any) -> Any:
    """What scikit-learn's function of that name returns, kept in our data home."""
    from sklearn import datasets

    folder = data_home(home) / "scikit_learn"
    fetch: Callable[..., Any] = getattr(datasets, function)
    try:
        return fetch(data_home=str(folder), **options)
    except OSError as problem:  # urllib's errors are of this kind
        raise DownloadError(
            f"scikit-learn's {function} could not download into {folder} ({problem}): try again with a network, "
            f"or put there the scikit_learn_data folder of a machine that has one"
        ) from problem
