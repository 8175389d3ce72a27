"""How figures look, and where they are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Okabe and Ito's colours, which the colour-blind can tell apart, without their yellow.
PALETTE = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
#: The same with black last: a cloud of black points hides the others.
CLOUDS = (*PALETTE[1:], PALETTE[0])
GREY = "#777777"
PALE = "#e4e4e8"
MARKERS = "os^DvPX"
DASHES = ("--", ":", "-.", (0, (6, 1.5)))


def colour(number: int | None) -> str:
    """A colour of the palette, counting round; None is grey."""
    return GREY if number is None else PALETTE[number % len(PALETTE)]


def axes(ax: Axes | None, width: float = 5.2, height: float = 3.6) -> Axes:
    """``ax``, or the Axes of a new figure of so many inches."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("manifact.plot needs matplotlib: pip install matplotlib") from error
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def open_frame(ax: Axes) -> None:
    """Only the left and the lower line of the frame."""
    ax.spines[["top", "right"]].set_visible(False)


def bare(ax: Axes) -> None:
    """No frame and no ticks: what is drawn has no scale."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
