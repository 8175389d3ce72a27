"""Topics of news stories and of short texts: do their words belong together, and has each topic words of its own?

    MANIFACT_DATA=<folder> python benchmarks/topics.py

News stories (`bbc_news.tsv.gz`) and short texts (`m10.tsv.gz`) as OCTIS prepares them. NPMI is gensim's `c_npmi` on the
corpus itself, diversity the share of distinct words, of 10 words a topic; means over 10, 20, 30, 40 and 50 topics, and
their standard deviation over 2 seeds. Models as constructed, with nothing set but the number of topics and the seed, on
(1 + log tf) idf at unit length; scikit-learn's LDA on counts. Words by weight (relevance 1) and by relevance 0.6. The
rows "printed" are from Grootendorst 2022 (BERTopic), by the same protocol; how its models were set is not known here.
NPMI alone can be had by the same good topic many times: read it beside diversity.
"""

from __future__ import annotations

import gzip
import os
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn import decomposition
from sklearn.feature_extraction.text import CountVectorizer

from manifact import ALPNMF, GNMF, LPNMF, NMF, AffinityNMF
from manifact.datasets import tfidf
from manifact.datasets.home import data_home
from manifact.experiments.result_tables import write
from manifact.metrics import coherence, diversity
from manifact.models.feature_relevance import ranked

FOLDER = data_home()
SETS = {"BBC News": "bbc_news.tsv.gz", "M10": "m10.tsv.gz"}
TOPICS, SEEDS, WORDS = (10, 20, 30, 40, 50), range(2), 10
OURS = {model.__name__: model for model in (AffinityNMF, NMF, GNMF, LPNMF, ALPNMF)}
OTHERS = ("NMF, scikit-learn", "LDA, scikit-learn")
RANKINGS = {"weight": 1.0, "relevance": 0.6}
#: NPMI and diversity, means over the same numbers of topics.
PRINTED = {
    "BBC News": {
        "LDA": (0.014, 0.577), "NMF": (0.012, 0.549), "CTM": (0.094, 0.819), "Top2Vec": (0.171, 0.792),
        "BERTopic": (0.167, 0.794),
    },
}  # fmt: skip


def corpus(data):
    """Lists of words, counts, and the words of the columns."""
    with gzip.open(FOLDER / SETS[data], "rt", encoding="utf-8") as lines:
        texts = [line.split("\t")[0].split() for line in lines]
    counter = CountVectorizer(analyzer=list)
    counts = counter.fit_transform(texts)
    return texts, counts, counter.get_feature_names_out()


def factors(method, counts, k, seed):
    """Components and representation."""
    if method in OURS:
        model = OURS[method](k, random_state=seed).fit(tfidf(counts))
        return model.components_, model.representation_
    if method == "LDA, scikit-learn":
        model = decomposition.LatentDirichletAllocation(k, random_state=seed)
        theta = model.fit_transform(counts)
        return model.components_ / model.components_.sum(axis=1, keepdims=True), theta * np.asarray(counts.sum(axis=1))
    model = decomposition.NMF(k, random_state=seed)
    V = model.fit_transform(tfidf(counts))
    return model.components_, V


def measured(data, method, k, seed):
    """NPMI and diversity for each ranking of words."""
    texts, counts, names = corpus(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's NMF stops at its own 200 iterations
        components, V = factors(method, counts, k, seed)
    found = {}
    for ranking, relevance in RANKINGS.items():
        topics = [names[row].tolist() for row in ranked(components, np.asarray(V), WORDS, relevance)]
        found[ranking] = coherence(topics, texts), diversity(topics)
    return (data, method, seed), found


def rows():
    jobs = [(data, method, k, seed) for data in SETS for method in (*OURS, *OTHERS) for k in TOPICS for seed in SEEDS]
    # The longest first, so that no core waits for the last of them.
    jobs.sort(key=lambda job: (job[1] not in ("LPNMF", "LDA, scikit-learn"), -job[2]))
    runs = Parallel(n_jobs=os.cpu_count(), verbose=1)(delayed(measured)(*job) for job in jobs)
    for data in SETS:
        for method in (*OURS, *OTHERS):
            for ranking in RANKINGS:
                seeds = [
                    np.mean([found[ranking] for key, found in runs if key == (data, method, seed)], axis=0)
                    for seed in SEEDS
                ]
                yield row(data, method, ranking, np.mean(seeds, axis=0), np.std(seeds, axis=0))
        for method, scores in PRINTED.get(data, {}).items():
            yield row(data, f"{method}, printed", "its own", scores)


def row(data, method, ranking, mean, spread=("", "")):
    shown = [f"{value:.3f}" if isinstance(value, float) else value for value in (*mean, *spread)]
    return {
        "data": data, "method": method, "words by": ranking, "NPMI": shown[0], "NPMI sd": shown[2],
        "diversity": shown[1], "diversity sd": shown[3],
    }  # fmt: skip


if __name__ == "__main__":
    print(write("topics", "Topics", (__doc__ or "").split("\n\n")[2].strip(), list(rows())))
