"""Topics by their words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from manifact.backends import Array, on_host
from manifact.models import feature_names as naming
from manifact.models.feature_relevance import RELEVANCE, is_signed, ranked
from manifact.plot.figure_style import GREY, PALETTE, axes, bare
from manifact.plot.model_arrays import components, selected
from manifact.utils import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Space between columns of topics, as a part of the longest bar.
GAP = 0.12
WIDEST = 5


def topics(
    model: Any,
    feature_names: Any = None,
    *,
    ax: Axes | None = None,
    n_words: int = 8,
    parts: Iterable[int] | None = None,
    columns: int | None = None,
    relevance: float = RELEVANCE,
) -> Axes:
    """Draw the words that tell most about each topic as bars, topic beside topic, and return the Axes.

    Words stand in the order of their relevance, as ``model.top_features`` ranks them. A bar is as long as the word's
    weight in a basis vector of length 1, on one scale for all topics.

    Parameters
    ----------
    model : fitted model or array k x m
    feature_names : sequence of m str, optional
        Words; None takes them from the data that the model was fitted to, where they are known.
    ax : Axes, optional
        Where to draw; None makes a new figure that is large enough.
    n_words : int, default=8
        Words for each topic.
    parts : sequence of int, optional
        Which topics, in this order; None means all.
    columns : int, optional
        Topics in a row; None means at most five.
    relevance : float, default=0.6
        1 ranks words by weight in the topic, 0 by how much they are this topic's alone. Of an array, which has no
        samples, every topic counts by its own weight. Topics with negative weights show the heaviest above zero.

    Examples
    --------
    >>> import numpy as np
    >>> from manifact import plot
    >>> ax = plot.topics(np.array([[3.0, 4.0, 0.0], [0.0, 5.0, 12.0]]), ["tree", "leaf", "graph"], n_words=2)
    >>> [f"{bar.get_width():.2f}" for bar in ax.patches]
    ['0.60', '0.80', '0.92', '0.38']
    """
    P = components(model)
    words = _words(model, feature_names, P.shape[1])
    chosen = selected(parts, len(P))
    checks.integer("n_words", n_words, at_least=1)
    checks.real("relevance", relevance, at_least=0, at_most=1)
    n_words = min(n_words, P.shape[1])
    if columns is None:
        columns = -(-len(chosen) // -(-len(chosen) // WIDEST))
    checks.integer("columns", columns, at_least=1)
    columns = min(columns, len(chosen))
    rows = -(-len(chosen) // columns)
    order = _ranked(model, P, n_words, relevance)
    lengths = np.linalg.norm(P, axis=1, keepdims=True)
    # Concepts of signed data have negative entries: words that a topic is not about.
    P = np.maximum(P, 0) / np.where(lengths > 0, lengths, 1)
    longest = float(P[chosen].max()) or 1.0
    ax = axes(ax, 1.75 * columns, 0.21 * rows * (n_words + 2) + 0.1)
    for number, part in enumerate(chosen):
        row, column = divmod(number, columns)
        left, top = column * longest * (1 + GAP), row * (n_words + 2)
        named = [words[feature] for feature in order[part]]
        _topic(ax, P[part, order[part]], named, n_words, f"topic {part}", left, top)
    bare(ax)
    ax.set_xlabel(f"weight in a topic of length 1; the longest bar is {longest:.2g}", fontsize=8, color=GREY)
    ax.set(xlim=(0, longest * (columns * (1 + GAP) - GAP)), ylim=(rows * (n_words + 2) - 1.4, -1.6))
    return ax


def _ranked(model: Any, P: Array, n_words: int, relevance: float) -> list[Array]:
    """The words of each topic, by relevance where weights are shares."""
    V = getattr(model, "representation_", None)
    V = np.ones((1, len(P))) if V is None else on_host(V)
    return ranked(np.maximum(P, 0), V, n_words, 1.0 if is_signed(P) else relevance)


def _topic(ax: Axes, weights: Array, words: list[str], n_words: int, title: str, left: float, top: float) -> None:
    places = top + np.arange(len(words))
    ax.barh(places, weights, left=left, height=0.82, color=PALETTE[6], alpha=0.55)
    ax.plot([left, left], [top - 0.5, top + n_words - 0.5], color=GREY, linewidth=0.8)
    ax.text(left, top - 0.95, title, va="center", fontsize=9, fontweight="bold")
    for place, word in zip(places, words, strict=True):
        ax.annotate(word, (left, place), (3, 0), textcoords="offset points", va="center", fontsize=8.5)


def _words(model: Any, feature_names: Any, m: int) -> list[str]:
    for names in (feature_names, naming.feature_names(model)):
        if names is not None:
            if isinstance(names, str) or len(names) != m:
                raise ValueError(f"feature_names holds {len(names)} names but the components have {m} features")
            return [str(name) for name in names]
    return [f"feature {number}" for number in range(m)]
