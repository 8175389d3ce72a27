from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifact import NMF, plot


def topics(ax, n_words):
    """Lengths of the bars and words of each topic."""
    bars = [bar.get_width() for bar in ax.patches]
    return [bars[start : start + n_words] for start in range(0, len(bars), n_words)]


def written(ax):
    return [text.get_text() for text in ax.texts if not text.get_text().startswith("topic")]


@given(st.integers(1, 7), st.integers(1, 9), st.integers(1, 5), st.integers(0, 50))
def test_bars_are_the_weights_of_unit_topics_heaviest_first_at_relevance_1(k, m, n_words, seed):
    import matplotlib.pyplot as plt

    P = np.random.default_rng(seed).random((k, m)) * 10 + 0.1
    ax = plot.topics(P, n_words=n_words, relevance=1)
    plt.close(ax.figure)
    n_words = min(n_words, m)
    expected = -np.sort(-P / np.linalg.norm(P, axis=1, keepdims=True), axis=1)[:, :n_words]
    np.testing.assert_allclose(topics(ax, n_words), expected)
    assert written(ax) == [f"feature {word}" for part in P for word in np.argsort(-part, kind="stable")[:n_words]]


def test_topics_never_overlap(ax, rng):
    assert plot.topics(rng.random((7, 20)), ax=ax, n_words=4, columns=3) is ax
    boxes = [bar.get_bbox() for bar in ax.patches]
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])
    low, high = ax.get_xlim()
    assert all(low <= box.x0 and box.x1 <= high for box in boxes)


def test_chosen_parts_in_their_order(rng):
    P = rng.random((4, 6))
    ax = plot.topics(P, parts=[2, 0], n_words=1, relevance=1)
    assert [text.get_text() for text in ax.texts if text.get_text().startswith("topic")] == ["topic 2", "topic 0"]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], (P.max(1) / np.linalg.norm(P, axis=1))[[2, 0]])


def test_words_come_from_the_data(rng):
    table = pd.DataFrame(rng.random((9, 3)), columns=["tree", "leaf", "graph"])
    model = NMF(2, max_iter=5, random_state=0).fit(table)
    assert set(written(plot.topics(model))) <= {"tree", "leaf", "graph"}
    model.preparation_ = SimpleNamespace(feature_names=["Baum", "Blatt", "Graph"])
    assert set(written(plot.topics(model))) <= {"Baum", "Blatt", "Graph"}


def test_words_are_those_of_the_model(rng):
    table = pd.DataFrame(rng.random((30, 12)) ** 4, columns=[f"word {i}" for i in range(12)])
    model = NMF(3, max_iter=50, random_state=0).fit(table)
    for relevance in (0.2, 0.6):
        expected = model.top_features(5, relevance)
        ax = plot.topics(model, n_words=5, relevance=relevance)
        assert written(ax) == [word for part in expected for word in part]
    assert written(plot.topics(model, n_words=5)) == [word for part in model.top_features(5) for word in part]
    with pytest.raises(ValueError, match=r"relevance=1.5 must be a finite number >= 0 and <= 1"):
        plot.topics(model, relevance=1.5)


def test_words_without_weight_are_not_named():
    assert written(plot.topics(np.array([[1.0, 0.0]]), ["tree", "leaf"])) == ["tree"]


def test_negative_entries_have_no_bar():
    ax = plot.topics(np.array([[4.0, -3.0], [-1.0, -1.0]]), ["tree", "leaf"])
    np.testing.assert_allclose(topics(ax, 1), [[0.8]])
    assert written(ax) == ["tree"]


def test_bad_input_is_refused(rng):
    P = rng.random((3, 5))
    with pytest.raises(ValueError, match="feature_names holds 2 names but the components have 5 features"):
        plot.topics(P, ["tree", "leaf"])
    with pytest.raises(ValueError, match=r"parts=\[3\] holds 3: there are parts 0 to 2"):
        plot.topics(P, parts=[3])
    with pytest.raises(ValueError, match="parts is empty"):
        plot.topics(P, parts=[])
    with pytest.raises(ValueError, match="n_words=0 must be an integer >= 1"):
        plot.topics(P, n_words=0)
