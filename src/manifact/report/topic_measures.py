"""Whether the words of topics belong together and are their own, in numbers that a page or a program can hold."""

from __future__ import annotations

from typing import Any

from manifact.metrics import coherence, diversity

#: As many words a topic as coherence is printed for.
TOP_WORDS = 10


def topic_measures(model: Any, X: Any = None) -> tuple[float | None, float | None]:
    """NPMI within documents and the distinct share of words; the former only where X, the documents, is at hand.

    None for what cannot be said: parts without words have neither, and JSON has no NaN.
    """
    if not hasattr(model, "components_"):
        return None, None
    # By the numbers of columns: two columns may have one name.
    numbers = [str(column) for column in range(model.components_.shape[1])]
    words = model.top_features(TOP_WORDS, names=numbers)
    near = None if X is None else _known(coherence(words, X, window=None, names=numbers))
    return near, _known(diversity(words))


def _known(value: float) -> float | None:
    return value if value == value else None
