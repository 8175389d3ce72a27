"""With only the number of parts and a seed, no model puts most samples into one part or makes two parts alike."""

import gzip
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from threadpoolctl import threadpool_limits

from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.backends import threads
from manifact.datasets import load, load_digits, load_stdlib_docs, tfidf, unit_length

MODELS = {cls.__name__: cls for cls in (NMF, GNMF, LPNMF, ALPNMF, SPNMF, LCCF, CF, LCF, AffinityNMF)}
#: The largest part may hold so many times what it does in a plain NMF, or in the classes.
TIMES = 1.5
#: Cosine of two parts of a text; parts of images are compared with the means of the classes.
ALIKE = 0.95
#: What is known to be otherwise, and how far: class means of COIL20 have .962, the closest concepts of LCCF .988.
#: A-LPNMF's landmarks leave a third of the standard library in one part with every second seed.
EXCEPTIONS = {("LCCF", "coil20"): {"closest": 0.99}, ("ALPNMF", "stdlib_docs"): {"share": 0.37}}


@cache
def samples(name, home=None):
    """X as the papers prepare it, classes from 0, and what two parts may be alike."""
    if name == "bbc":
        with gzip.open(home / "bbc_news.tsv.gz", "rt", encoding="utf-8") as lines:
            texts, _, y = zip(*(line.rstrip("\n").split("\t")[:3] for line in lines), strict=True)
        X = tfidf(CountVectorizer(analyzer=str.split).fit_transform(texts))
    elif name == "stdlib_docs":
        X, y = tfidf(load_stdlib_docs().X), load_stdlib_docs().y
    else:
        data = load_digits() if name == "digits" else load(name, home)
        X, y = unit_length(np.asarray(data.X, dtype=np.float32)), data.y
    y = np.unique(y, return_inverse=True)[1]
    alike = ALIKE if sparse.issparse(X) else closest(np.array([X[y == label].mean(axis=0) for label in set(y)]))
    return X.astype(np.float32), y, alike


def closest(parts):
    """The largest cosine of two rows."""
    parts = parts / np.linalg.norm(parts, axis=1, keepdims=True)
    return float((parts @ parts.T - 2 * np.eye(len(parts))).max())


@cache
def fitted(model, name, home):
    X, y, _ = samples(name, home)
    with threadpool_limits(1), threads.limit(1):
        return MODELS[model](int(y.max()) + 1, random_state=0).fit(X)


def share(model, name, home):
    """Of the samples, those whose largest part is the most common one."""
    return np.bincount(fitted(model, name, home).representation_.argmax(axis=1)).max() / len(samples(name, home)[1])


def check(model, name, home=None):
    _, y, alike = samples(name, home)
    most = TIMES * max(share("NMF", name, home), np.bincount(y).max() / len(y))
    found = {"share": share(model, name, home), "closest": closest(fitted(model, name, home).components_)}
    bounds = {"share": most, "closest": alike}
    known = EXCEPTIONS.get((model, name), {})
    for what, value in found.items():
        if what in known:
            assert value < known[what]
            # What hangs on a seed may hold as well; what is closest does not.
            assert what == "share" or value > bounds[what]
        else:
            assert value <= bounds[what], what


@pytest.mark.parametrize("name", ["digits", "stdlib_docs"])
@pytest.mark.parametrize("model", MODELS)
def test_no_model_collapses(model, name):
    check(model, name)


@pytest.mark.parametrize("name", ["yale", "umist", "bbc"])
@pytest.mark.parametrize("model", MODELS)
def test_no_model_collapses_on_what_the_papers_use(model, name, home):
    check(model, name, home)


@pytest.mark.parametrize(("model", "name"), EXCEPTIONS)
def test_exceptions_are_no_worse_than_known(model, name, home):
    check(model, name, home)
