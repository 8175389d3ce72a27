"""What a choice was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manifact.plot.figure_style import GREY
from manifact.plot.sensitivity_plot import sensitivity

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def selection(chosen: Any, ax: Axes | None = None) -> Axes:
    """Draw the net bits of a `Selection` against the number of components, mark the choice, and return the Axes.

    Parameters
    ----------
    chosen : Selection
        What `manifact.select` returned, or a model's ``selection_``.
    ax : Axes, optional
        Where to draw; None makes a new figure.

    Examples
    --------
    >>> from manifact import plot
    >>> from manifact.selection import Selection
    >>> known = {"n_neighbors": 5, "tau": 2.0}
    >>> rows = [{"n_components": k, "net": net, **known} for k, net in ((2, 0.5), (4, 1.2), (8, 0.9))]
    >>> ax = plot.selection(Selection(rows, {"n_components": 4, **known}, None))
    >>> ax.get_legend().get_texts()[0].get_text()
    'chosen: 4'
    """
    scored = [row for row in chosen.candidates if row["net"] is not None]
    if not scored:
        raise ValueError("there is nothing to plot: n_components was given, so no other was looked at")
    neighbors = list(dict.fromkeys(row["n_neighbors"] for row in scored))
    curves = {
        f"{count} neighbours" if len(neighbors) > 1 else "": [
            row["net"] for row in scored if row["n_neighbors"] == count
        ]
        for count in neighbors
    }
    k = chosen.best["n_components"]
    sizes = list(dict.fromkeys(row["n_components"] for row in scored))
    ax = sensitivity(sizes, curves, ax=ax, parameter="components", score="net reproducible bits")
    height = next(row["net"] for row in scored if chosen.is_best(row))
    ax.axvline(k, color=GREY, linestyle=":", linewidth=1.2)
    ax.plot([k], [height], "o", markersize=11, markerfacecolor="none", color=GREY, label=f"chosen: {k}")
    ax.legend(frameon=False)
    return ax
