"""Coherence and diversity of words: gensim's and OCTIS' numbers."""

import random

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from manifact.metrics import coherence, diversity

TOPICS = [["cat", "dog", "bird", "fish"], ["nail", "saw", "rain", "the"], ["sun", "rain", "snow", "wind", "and"]]
#: Window -> what gensim 4.4.0 (NumPy 2.4.6, SciPy 1.17.1, Python 3.11) gives for each topic:
#:     CoherenceModel(topics=TOPICS, texts=corpus(), dictionary=Dictionary(corpus()), coherence="c_npmi",
#:                    window_size=window, processes=1).get_coherence_per_topic()
#: A window of 1,000 words is wider than any text, so that it holds whole documents.
GENSIM = {
    10: [0.558275458192, -0.21870751154, 0.292915333596],
    3: [0.250112886099, -0.282099299844, 0.071612548697],
    1000: [0.770647845528, -0.128752627671, 0.420988929155],
}


def corpus(seed=0, n=40):
    """Texts of 1 to 29 words, in which the same word often stands twice within a window."""
    rng = random.Random(seed)
    groups = ["cat dog bird fish", "nail saw hammer drill", "sun rain snow wind"]
    return [rng.choices([*rng.choice(groups).split(), "the", "and"], k=rng.randrange(1, 30)) for _ in range(n)]


@pytest.mark.parametrize("window", GENSIM)
def test_the_numbers_that_gensim_gave(window):
    np.testing.assert_allclose(coherence(TOPICS, corpus(), window, per_topic=True), GENSIM[window], rtol=1e-10)
    assert coherence(TOPICS, corpus(), window) == pytest.approx(np.mean(GENSIM[window]))


@pytest.mark.parametrize("window", [1, 2, 7, 10, 1000])
def test_gensim_itself(window):
    models = pytest.importorskip("gensim.models", reason="gensim is not installed")
    from gensim.corpora import Dictionary

    texts = [*corpus(1), [], ["cat"], ["saw"] * 12]
    theirs = models.CoherenceModel(
        topics=TOPICS,
        texts=texts,
        dictionary=Dictionary(texts),
        coherence="c_npmi",
        window_size=window,
        processes=1,
    )
    ours = coherence(TOPICS, texts, window, per_topic=True)
    np.testing.assert_allclose(ours, theirs.get_coherence_per_topic(), rtol=1e-10)


def seen_one_by_one(texts, window):
    """Windows as sets of words, sliding word by word as gensim's accumulator does."""
    for text in texts:
        seen = set(text[:window])
        yield set(seen)
        for start in range(1, len(text) - window + 1):
            seen.discard(text[start - 1])
            seen.add(text[start + window - 1])
            yield set(seen)


@pytest.mark.parametrize("window", [1, 2, 5, 10, 40])
def test_windows_slide_as_gensims_do(window):
    texts = [*corpus(2), [], ["and"]]
    found = list(seen_one_by_one(texts, window))
    p = {w: np.mean([w in seen for seen in found]) for w in TOPICS[2]}
    expected = []
    for v in TOPICS[2]:
        for w in TOPICS[2]:
            if v != w:
                both = np.mean([v in seen and w in seen for seen in found]) + 1e-12
                expected.append(np.log(both / (p[v] * p[w])) / -np.log(both))
    assert coherence(TOPICS[2:], texts, window) == pytest.approx(np.mean(expected), rel=1e-10)


def test_documents_from_texts_and_from_a_matrix():
    texts = corpus()
    counter = CountVectorizer(analyzer=list)
    X = counter.fit_transform(texts)
    names = counter.get_feature_names_out()
    expected = pytest.approx(np.mean(GENSIM[1000]))
    assert coherence(TOPICS, texts, window=None) == expected
    assert coherence(TOPICS, [" ".join(text) for text in texts], window=None) == expected
    assert coherence(TOPICS, X, window=None, names=names) == expected
    assert coherence(TOPICS, sparse.csc_matrix(0.1 * X), window=None, names=list(names)) == expected
    assert coherence(TOPICS, X.toarray(), window=None, names=names) == expected
    numbers = [[list(names).index(word) for word in topic] for topic in TOPICS]
    assert coherence(numbers, X, window=None) == expected


def test_words_that_the_corpus_lacks_are_left_out():
    texts = corpus()
    known = coherence(TOPICS[:1], texts)
    assert coherence([[*TOPICS[0], "unheard"]], texts) == known
    assert coherence([*TOPICS[:1], ["unheard", "cat"], []], texts) == known
    assert np.isnan(coherence([["unheard"], []], texts))
    assert np.isnan(coherence([], texts))


def test_words_that_are_everywhere_say_nothing():
    assert coherence([["a", "b"]], ["a b", "b a c"]) == 0


def test_diversity_is_the_distinct_share():
    assert diversity([["a", "b"], ["a", "c"], ["d"]]) == pytest.approx(4 / 5)
    assert diversity(np.array([["a", "b"], ["a", "b"]])) == 0.5
    assert np.isnan(diversity([]))


def test_what_cannot_be_is_refused_in_one_sentence():
    X = sparse.csr_array(np.eye(3))
    with pytest.raises(ValueError, match="window=10 needs texts, a matrix has no order of words: set window=None"):
        coherence([[0, 1]], X)
    with pytest.raises(ValueError, match="window=0 must be an integer >= 1"):
        coherence([["a", "b"]], ["a b"], window=0)
    with pytest.raises(ValueError, match="topics hold 'a', which no column of the matrix is called"):
        coherence([["a", "b"]], X, window=None)
    with pytest.raises(ValueError, match="names holds 2 names but the matrix has 3 columns"):
        coherence([["a", "b"]], X, window=None, names=["a", "b"])
    with pytest.raises(ValueError, match="leave names out"):
        coherence([["a", "b"]], ["a b"], names=["a", "b"])
    for topics in ("cat dog", ["cat dog"]):
        with pytest.raises(TypeError, match="not a text: split it into words"):
            coherence(topics, ["cat dog"])
        with pytest.raises(TypeError, match="not a text: split it into words"):
            diversity(topics)
    with pytest.raises(TypeError, match="not one text: put it into a list"):
        coherence([["cat", "dog"]], "cat dog")
