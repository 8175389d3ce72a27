import numpy as np
import pytest

from manifact import CF, NMF
from manifact.metrics import coherence, diversity
from manifact.report.page_payload import topics
from manifact.report.report_inputs import checked
from manifact.report.topic_measures import topic_measures


def test_they_are_those_of_the_metrics(documents):
    names = list(documents.given["feature_names"])
    words = documents.model.top_features(10, names=names)
    near, distinct = topic_measures(documents.model, documents.X)
    assert near == pytest.approx(coherence(words, documents.X, window=None, names=names))
    assert distinct == diversity(words)
    assert topic_measures(documents.model) == (None, distinct)


def test_columns_of_one_name_are_two_columns(rng):
    import pandas as pd

    X = pd.DataFrame(rng.random((20, 4)), columns=["a", "a", "b", "c"])
    model = NMF(2, random_state=0).fit(X.to_numpy())
    near, distinct = topic_measures(model, X.to_numpy())
    assert np.isfinite(near)
    assert distinct == 0.5


def test_what_has_no_words_has_no_measures(rng):
    X = rng.random((20, 4))
    assert topic_measures(CF(2, kernel="rbf", random_state=0).fit(X), X) == (None, None)


def test_pages_of_documents_have_them_and_others_do_not(documents, table):
    given = checked(documents.model, documents.X, **documents.given)
    near, distinct = topic_measures(documents.model, documents.X)
    assert topics(documents.model, given) == {"coherence": near, "diversity": distinct}
    assert topics(table.model, checked(table.model, table.X)) is None
