"""Drawings as SVG text for the pages.

The same numbers give the same text: no date, no random names, letters as letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.plot.figure_style import GREY, MARKERS, colour

#: Inches: an image that a phone shows without making its letters small.
WIDTH = 5.2
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "manifact",
    "font.family": "sans-serif",
    "font.size": 10.0,
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e8",
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
    "image.cmap": "gray",
}


class MissingMatplotlibError(Exception):
    """Figures cannot be drawn here."""


@dataclass(frozen=True)
class Line:
    """A curve; ``colour`` counts through the palette, None is grey. Without a label it is not in the legend."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    colour: int | None = 0
    dashed: bool = False
    marked: bool = True


@dataclass(frozen=True)
class Points:
    """Points in the plane."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    colour: int | None = 0
    diamonds: bool = False


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    x: str
    y: str
    lines: Sequence[Line] = ()
    points: Sequence[Points] = ()
    #: Which axes are logarithmic: "", "x", "y" or "xy".
    log: str = ""
    #: One unit is as long on both axes.
    equal: bool = False
    #: Where to draw an upright line.
    at: float | None = None
    ticks: Sequence[float] = ()


def require() -> None:
    """Refuse in one sentence where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise MissingMatplotlibError("figures need matplotlib, which is not installed: pip install matplotlib")


def chart(panels: Sequence[Panel], columns: int = 1, height: float = 2.3) -> str:
    """Panels row by row under one legend."""
    rows = -(-len(panels) // columns)
    with _figure(height * rows + 0.5) as (figure, text):
        grid = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, panel in zip(grid, panels, strict=False):
            _fill(axes, panel)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        found: dict[str, Any] = {}
        for axes in grid:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                found.setdefault(label, handle)
        if found:
            figure.legend(
                found.values(), found, loc="outside upper center", ncols=_legend_columns(found), frameon=False
            )
    return text[0]


def tiles(groups: Sequence[tuple[str, Sequence[Array]]], columns: int = 10) -> str:
    """Groups of grey images, each group under its title; every image has its own range from white (0) to black."""
    heights = [-(-len(images) // columns) for _, images in groups]
    side = WIDTH / columns
    with _figure(side * sum(heights) + 0.35 * len(groups)) as (figure, text):
        parts = figure.subfigures(len(groups), 1, height_ratios=heights, squeeze=False).ravel()
        for part, (title, images), rows in zip(parts, groups, heights, strict=True):
            part.suptitle(title, fontsize=STYLE["axes.titlesize"])
            for axes in (grid := part.subplots(rows, columns, squeeze=False).ravel()):
                axes.set_axis_off()
            for axes, image in zip(grid, images, strict=False):
                axes.imshow(-np.asarray(image), interpolation="nearest", rasterized=True)
    return text[0]


@contextmanager
def _figure(height: float) -> Iterator[tuple[Any, list[str]]]:
    """An empty figure, and the list that has its SVG text when the block is left."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    text: list[str] = []
    with matplotlib.rc_context():
        # The user's own style would make another file of the same numbers.
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        yield figure, text
        file = StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
        text.append(file.getvalue())


def _fill(axes: Any, panel: Panel) -> None:
    if panel.at is not None:
        axes.axvline(panel.at, color=GREY, linewidth=0.8, linestyle=":")
    look: dict[str, Any]
    for line in panel.lines:
        look = {"linestyle": "--", "linewidth": 1.1} if line.dashed else {}
        marker = MARKERS[(line.colour or 0) % len(MARKERS)] if line.marked else None
        axes.plot(line.x, line.y, label=line.label or None, color=colour(line.colour), marker=marker, **look)
    for points in panel.points:
        look = {"marker": "D", "markersize": 8.0} if points.diamonds else {"marker": ".", "markersize": 3.5}
        axes.plot(points.x, points.y, label=points.label or None, color=colour(points.colour), linestyle="none", **look)
    axes.set(title=panel.title, xlabel=panel.x, ylabel=panel.y)
    if "x" in panel.log:
        axes.set_xscale("log")
    if "y" in panel.log:
        axes.set_yscale("log")
    if panel.ticks:
        axes.set_xticks(list(panel.ticks), [f"{tick:g}" for tick in panel.ticks])
        axes.minorticks_off()
    if panel.equal:
        axes.set_aspect("equal")


def _legend_columns(labels: Sequence[str] | dict[str, Any]) -> int:
    """As many columns as fit with the longest label."""
    widest = max(len(label) for label in labels)
    return max(1, min(len(labels), 60 // (widest + 6)))
