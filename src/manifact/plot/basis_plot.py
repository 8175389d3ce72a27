"""Basis vectors as images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from manifact.backends import Array
from manifact.models.feature_names import prepared
from manifact.plot.figure_style import GREY, axes, bare
from manifact.plot.model_arrays import components
from manifact.utils import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Space between images, as a part of their longer side.
GAP = 0.08


def basis(
    model: Any,
    image_shape: tuple[int, ...] | None = None,
    *,
    ax: Axes | None = None,
    columns: int | None = None,
    order: str = "C",
    cmap: Any = None,
) -> Axes:
    """Draw every row of ``components_`` as an image, row by row, and return the Axes.

    Each image has its own range: from white (0) to black (its largest entry), or, where entries are negative, from
    blue through white (0) to orange, as far to both sides.

    Parameters
    ----------
    model : fitted model or array k x m
    image_shape : (height, width) or (height, width, 3), optional
        Shape of an image; None takes it from the data that the model was fitted to, where it is known.
    ax : Axes, optional
        Where to draw; None makes a new figure.
    columns : int, optional
        Images in a row; None fills all rows where that is possible.
    order : {"C", "F"}, default="C"
        How the pixels of an image lie in a sample: row by row, or column by column as MATLAB stores them.
    cmap : colormap, optional
        For grey images; None means "gray_r", or "PuOr_r" with negative entries.

    Examples
    --------
    >>> from manifact import NMF, datasets, plot
    >>> data = datasets.load_digits()
    >>> model = NMF(n_components=10, random_state=0).fit(data.X)
    >>> ax = plot.basis(model, data.image_shape)
    >>> len(ax.images)
    10
    """
    P = components(model)
    images = _images(P, prepared(model, "image_shape") if image_shape is None else image_shape, order)
    if columns is None:
        columns = _columns(len(images))
    checks.integer("columns", columns, at_least=1)
    columns = min(columns, len(images))
    rows = -(-len(images) // columns)
    height, width = images.shape[1:3]
    gap = GAP * max(height, width)
    across, down = columns * (width + gap) - gap, rows * (height + gap) - gap
    inches = min(1.1, 9.0 / columns) * columns
    ax = axes(ax, inches, max(0.6, inches * down / across))
    look = _look(bool((P < 0).any()), cmap)
    for number, image in enumerate(images):
        row, column = divmod(number, columns)
        left, top = column * (width + gap), row * (height + gap)
        _show(ax, image, (left, left + width, top + height, top), look)
    bare(ax)
    edge = gap / 2
    ax.set(xlim=(-edge, across + edge), ylim=(down + edge, -edge), aspect="equal")
    return ax


def _images(P: Array, shape: Any, order: str) -> Array:
    checks.option("order", order, ("C", "F"))
    if shape is None:
        raise ValueError(
            "image_shape is not known to this model: give (height, width), or (height, width, 3) for colour"
        )
    shape = tuple(int(side) for side in np.atleast_1d(shape))
    if len(shape) not in (2, 3) or min(shape) < 1 or shape[2:] not in ((), (1,), (3,)):
        raise ValueError(f"image_shape={shape} must be (height, width), or (height, width, 3) for colour")
    if np.prod(shape) != P.shape[1]:
        needed = " x ".join(map(str, shape))
        raise ValueError(
            f"image_shape={shape} needs {needed} = {np.prod(shape)} features but the components have {P.shape[1]}"
        )
    images = np.stack([np.reshape(part, shape, order=order) for part in P])  # type: ignore[call-overload]
    return images[..., 0] if shape[2:] == (1,) else images


def _columns(k: int) -> int:
    """A number that divides k if one makes the montage neither tall nor very wide, else a square."""
    fitting = [columns for columns in range(1, k + 1) if k % columns == 0 and k <= columns**2 <= 6 * k]
    return fitting[0] if fitting else int(np.ceil(np.sqrt(k)))


def _look(signed: bool, cmap: Any) -> dict[str, Any]:
    return {"signed": signed, "cmap": cmap or ("PuOr_r" if signed else "gray_r")}


def _show(ax: Axes, image: Array, extent: tuple[float, float, float, float], look: dict[str, Any]) -> None:
    top = float(np.abs(image).max()) or 1.0
    low = -top if look["signed"] else 0.0
    if image.ndim == 3:
        # Colours have no range of their own: 0 is black, or with negative entries the middle grey.
        ax.imshow((image - low) / (top - low), extent=extent, interpolation="nearest")
    else:
        ax.imshow(image, extent=extent, interpolation="nearest", vmin=low, vmax=top, cmap=look["cmap"])
    left, right, bottom, upper = extent
    # White images on white paper need an edge.
    ax.plot([left, right, right, left, left], [bottom, bottom, upper, upper, bottom], color=GREY, linewidth=0.4)
