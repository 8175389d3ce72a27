"""Clusters against classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from manifact.backends import Array
from manifact.plot.figure_style import axes
from manifact.utils import checks
from manifact.utils.labels import NOWHERE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Cells of a larger table are too small for numbers.
LARGEST_WITH_NUMBERS = 25


def confusion(
    y: Any, labels: Any, *, ax: Axes | None = None, names: Any = None, normalize: str | None = None, cmap: Any = "Blues"
) -> Axes:
    """Draw how many samples of each class are in each cluster and return the Axes.

    Clusters stand in the order of the classes that the best one-to-one map gives them (`manifact.metrics.match`), so
    that the diagonal holds what agrees; what has no partner comes last. The title has `manifact.metrics.accuracy`.

    Parameters
    ----------
    y : array of n
        Classes.
    labels : array of n
        Clusters; −1 for a sample that is in none, as in a model's ``labels_``.
    ax : Axes, optional
        Where to draw; None makes a new figure.
    names : sequence of str or dict of class -> str, optional
        Names of the classes, in their sorted order.
    normalize : {None, "true", "pred"}, default=None
        Counts, or fractions of each class or of each cluster.
    cmap : colormap, default="Blues"

    Examples
    --------
    >>> from manifact import plot
    >>> ax = plot.confusion(["a", "a", "b", "b"], [7, 7, 3, 7])
    >>> ax.get_title(), [label.get_text() for label in ax.get_xticklabels()]
    ('accuracy 0.75 of 4 samples', ['7', '3'])
    """
    from manifact.metrics import accuracy

    checks.option("normalize", normalize, (None, "true", "pred"))
    y, labels = np.asarray(y), np.asarray(labels)
    if y.ndim != 1 or y.shape != labels.shape or not len(y):
        raise ValueError(
            f"y has shape {y.shape} and labels has {labels.shape}: give one class and one cluster per sample"
        )
    counts, classes, clusters = _matched(y, labels)
    written = _written(names, np.unique(y))
    shown = _shares(counts, normalize)
    side = float(np.clip(0.42 * max(counts.shape) + 1.4, 3.2, 9.0))
    ax = axes(ax, side, side)
    image = ax.imshow(shown, cmap=cmap, vmin=0, vmax=1 if normalize else None, interpolation="nearest")
    if max(counts.shape) <= LARGEST_WITH_NUMBERS:
        _write(ax, shown, image, "d" if normalize is None else ".2f")
    told = ["none" if cluster == NOWHERE else str(cluster) for cluster in clusters.tolist()]
    ax.set_xticks(range(len(clusters)), told)
    ax.set_yticks(range(len(classes)), [written[name] for name in classes.tolist()])
    unit = {None: "samples", "true": "share of the class", "pred": "share of the cluster"}[normalize]
    ax.set(xlabel=f"cluster ({unit})", ylabel="class", title=f"accuracy {accuracy(y, labels):.3g} of {len(y)} samples")
    return ax


def _matched(y: Array, labels: Array) -> tuple[Array, Array, Array]:
    """Counts with matched classes and clusters first, in the order of the classes, and both their names."""
    from sklearn.metrics.cluster import contingency_matrix

    from manifact.metrics import match

    classes, clusters = np.unique(y), np.unique(labels)
    of_class = {target: cluster for cluster, target in match(y, labels).items()}
    pairs = [(row, np.searchsorted(clusters, of_class[name])) for row, name in enumerate(classes) if name in of_class]
    rows, columns = (
        _then_the_rest([pair[side] for pair in pairs], len(all_)) for side, all_ in enumerate((classes, clusters))
    )
    return contingency_matrix(y, labels)[np.ix_(rows, columns)], classes[rows], clusters[columns]


def _then_the_rest(first: list[int], n: int) -> Array:
    return np.array([*first, *sorted(set(range(n)) - set(first))])


def _written(names: Any, classes: Array) -> dict[Any, str]:
    keys = classes.tolist()
    if names is None:
        return {key: str(key) for key in keys}
    if isinstance(names, Mapping):
        missing = [key for key in keys if key not in names]
        if missing:
            raise ValueError(f"names has no name for class {missing[0]!r}: give one for each class")
        return {key: str(names[key]) for key in keys}
    if isinstance(names, str) or len(names) != len(keys):
        size = f"{names!r}" if isinstance(names, str) else f"of length {len(names)}"
        raise ValueError(f"names {size} must hold one name for each of the {len(keys)} classes")
    return dict(zip(keys, map(str, names), strict=True))


def _shares(counts: Array, normalize: str | None) -> Array:
    if normalize is None:
        return counts
    return counts / counts.sum(axis=1 if normalize == "true" else 0, keepdims=True)


def _write(ax: Axes, shown: Array, image: Any, form: str) -> None:
    """The number of each cell that has one, in white where the cell is dark."""
    for row, column in np.argwhere(shown > 0):
        red, green, blue, _ = image.cmap(image.norm(shown[row, column]))
        bright = 0.299 * red + 0.587 * green + 0.114 * blue
        text = format(shown[row, column], form)
        ax.text(column, row, text, ha="center", va="center", fontsize=8, color="black" if bright > 0.5 else "white")
