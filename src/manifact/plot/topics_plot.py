"""Topics by their words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from manifact.backends import Array
from manifact.models import feature_names as naming
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
) -> Axes:
    """Draw the heaviest words of each topic as bars, topic beside topic, and return the Axes.

    A bar is as long as the word's weight in a basis vector of length 1, on one scale for all topics.

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

    Examples
    --------
    >>> import numpy as np
    >>> from manifact import plot
    >>> ax = plot.topics(np.array([[3.0, 4.0, 0.0], [0.0, 5.0, 12.0]]), ["tree", "leaf", "graph"], n_words=2)
    >>> [f"{bar.get_width():.2f}" for bar in ax.patches]
    ['0.80', '0.60', '0.92', '0.38']
    """
    P = components(model)
    words = _words(model, feature_names, P.shape[1])
    chosen = selected(parts, len(P))
    checks.integer("n_words", n_words, at_least=1)
    n_words = min(n_words, P.shape[1])
    if columns is None:
        columns = -(-len(chosen) // -(-len(chosen) // WIDEST))
    checks.integer("columns", columns, at_least=1)
    columns = min(columns, len(chosen))
    rows = -(-len(chosen) // columns)
    lengths = np.linalg.norm(P, axis=1, keepdims=True)
    # Concepts of signed data have negative entries: words that a topic is not about.
    P = np.maximum(P, 0) / np.where(lengths > 0, lengths, 1)
    longest = float(P[chosen].max()) or 1.0
    ax = axes(ax, 1.75 * columns, 0.21 * rows * (n_words + 2) + 0.1)
    for number, part in enumerate(chosen):
        row, column = divmod(number, columns)
        _topic(ax, P[part], words, n_words, f"topic {part}", column * longest * (1 + GAP), row * (n_words + 2))
    bare(ax)
    ax.set_xlabel(f"weight in a topic of length 1; the longest bar is {longest:.2g}", fontsize=8, color=GREY)
    ax.set(xlim=(0, longest * (columns * (1 + GAP) - GAP)), ylim=(rows * (n_words + 2) - 1.4, -1.6))
    return ax


def _topic(ax: Axes, part: Array, words: list[str], n_words: int, title: str, left: float, top: float) -> None:
    heaviest = np.argsort(-part, kind="stable")[:n_words]
    places = top + np.arange(len(heaviest))
    ax.barh(places, part[heaviest], left=left, height=0.82, color=PALETTE[6], alpha=0.55)
    ax.plot([left, left], [top - 0.5, top + n_words - 0.5], color=GREY, linewidth=0.8)
    ax.text(left, top - 0.95, title, va="center", fontsize=9, fontweight="bold")
    for place, word in zip(places, heaviest, strict=True):
        # A word without weight says nothing about its topic.
        if part[word] > 0:
            ax.annotate(words[word], (left, place), (3, 0), textcoords="offset points", va="center", fontsize=8.5)


def _words(model: Any, feature_names: Any, m: int) -> list[str]:
    for names in (feature_names, naming.feature_names(model)):
        if names is not None:
            if isinstance(names, str) or len(names) != m:
                raise ValueError(f"feature_names holds {len(names)} names but the components have {m} features")
            return [str(name) for name in names]
    return [f"feature {number}" for number in range(m)]
