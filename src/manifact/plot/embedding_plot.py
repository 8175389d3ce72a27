"""Samples in the plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manifact.backends import Array, on_host
from manifact.plot.figure_style import CLOUDS, GREY, MARKERS, axes, open_frame
from manifact.plot.model_arrays import matrix
from manifact.utils import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS = (None, "pca", "tsne")
#: More names than this are no longer read.
LONGEST_LEGEND = 30


def embedding(
    model: Any,
    labels: Any = None,
    *,
    ax: Axes | None = None,
    dims: tuple[int, int] = (0, 1),
    method: str | None = None,
    random_state: Any = 0,
) -> Axes:
    """Draw every row of V as a point, coloured by its label, and return the Axes.

    Parameters
    ----------
    model : fitted model or array n x k
        A model gives the V of its training samples.
    labels : array of n, optional
        Clusters or classes, of any type; the integer −1 means unknown and is grey. None means the model's ``labels_``,
        of an array one colour.
    ax : Axes, optional
        Where to draw; None makes a new figure.
    dims : (int, int), default=(0, 1)
        Which two columns to draw, of V or of what ``method`` makes of it.
    method : {None, "pca", "tsne"}, default=None
        Columns of V themselves, its principal components, or t-SNE of V. Distances between clusters mean nothing in
        t-SNE, which is why its axes have no numbers.
    random_state : int, RandomState or None, default=0
        Seed of t-SNE.

    Examples
    --------
    >>> from manifact import GNMF, datasets, plot
    >>> data = datasets.three_gaussians(random_state=0)
    >>> model = GNMF(n_components=3, random_state=0).fit(data.X)
    >>> ax = plot.embedding(model)
    >>> ax.get_xlabel(), ax.get_ylabel(), len(ax.collections)
    ('part 0', 'part 1', 3)
    """
    checks.option("method", method, METHODS)
    V = matrix(model, "representation_", "V")
    known = _labels(getattr(model, "labels_", None) if labels is None else labels, len(V))
    points, names = _points(V, dims, method, random_state)
    ax = axes(ax)
    size = float(np.clip(12000 / len(V), 5, 30))
    if known is None:
        ax.scatter(points[:, 0], points[:, 1], s=size, color=CLOUDS[0], linewidths=0, alpha=0.8)
    else:
        _clouds(ax, points, known, size)
    ax.set(xlabel=names[0], ylabel=names[1])
    if method == "tsne":
        ax.set(xticks=[], yticks=[])
    open_frame(ax)
    return ax


def _labels(labels: Any, n: int) -> Array | None:
    if labels is None:
        return None
    labels = np.asarray(on_host(labels))
    if labels.shape != (n,):
        raise ValueError(f"labels has shape {labels.shape} but V has {n} rows: give one label for each")
    return labels


def _points(V: Array, dims: tuple[int, int], method: str | None, random_state: Any) -> tuple[Array, list[str]]:
    """Two columns and their names."""
    columns = V.shape[1] if method is None else 2 if method == "tsne" else min(V.shape)
    if len(dims) != 2 or not all(isinstance(d, int | np.integer) and 0 <= d < columns for d in dims):
        what = "V" if method is None else f"method={method!r}"
        raise ValueError(f"dims={dims!r} must be two of the columns 0 to {columns - 1} that {what} has")
    chosen = list(dims)
    if method is None:
        return V[:, chosen], [f"part {d}" for d in chosen]
    if method == "pca":
        from sklearn.decomposition import PCA

        pca = PCA(max(chosen) + 1, svd_solver="full")
        points = pca.fit_transform(V)[:, chosen]
        return points, [f"principal component {d} ({pca.explained_variance_ratio_[d]:.0%} of variance)" for d in chosen]
    from sklearn.manifold import TSNE

    if len(V) < 4:
        raise ValueError(f"method='tsne' needs at least 4 samples, got {len(V)}: use method=None")
    points = TSNE(perplexity=min(30.0, (len(V) - 1) / 3), random_state=random_state).fit_transform(V)
    return points[:, chosen], [f"t-SNE {d}" for d in chosen]


def _clouds(ax: Axes, points: Array, labels: Array, size: float) -> None:
    """A cloud for each label; a second round through the colours has another marker."""
    unknown = labels == -1 if labels.dtype.kind == "i" else np.zeros(len(labels), dtype=bool)
    look: dict[str, Any] = {"s": size, "linewidths": 0, "alpha": 0.8}
    if unknown.any():
        ax.scatter(points[unknown, 0], points[unknown, 1], color=GREY, label="unknown", **look)
    names = np.unique(labels[~unknown])
    for number, name in enumerate(names):
        turn, hue = divmod(number, len(CLOUDS))
        here = points[labels == name]
        ax.scatter(
            here[:, 0], here[:, 1], color=CLOUDS[hue], marker=MARKERS[turn % len(MARKERS)], label=str(name), **look
        )
    if 1 < len(names) <= LONGEST_LEGEND:
        ax.legend(
            frameon=False,
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            ncols=-(-len(names) // 12),
            handletextpad=0.2,
            markerscale=float(np.sqrt(30 / size)),
        )
