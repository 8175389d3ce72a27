"""What a choice was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manifact.plot.figure_style import GREY, axes, colour, open_frame
from manifact.plot.sensitivity_plot import sensitivity

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def selection(chosen: Any, ax: Axes | None = None) -> Axes:
    """Draw the bits that halves say alike, for each graph of a `Selection`, and return the Axes.

    Against the number of components, where there was a choice, with a line at the chosen one; else as bars.

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
    >>> rows = [{"n_components": k, "bits": bits} for k, bits in ((2, 0.5), (4, 1.2), (8, 0.9))]
    >>> ax = plot.selection(Selection(rows, {"n_components": 4}, None))
    >>> ax.get_legend().get_texts()[0].get_text()
    'chosen: 4'
    """
    scored = [row for row in chosen.candidates if row["bits"] is not None]
    if not scored:
        raise ValueError("there is nothing to plot: graph and n_components were given, so no other was looked at")
    sizes = list(dict.fromkeys(row["n_components"] for row in scored))
    curves: dict[str, list[float]] = {}
    for row in scored:
        curves.setdefault(_name(row), []).append(row["bits"])
    if len(sizes) == 1:
        return _bars(scored, chosen, ax)
    # Those of the chosen graph last, above the others.
    own = _name(next(row for row in scored if chosen.is_best(row)))
    curves = {name: curves[name] for name in [*(name for name in curves if name != own), own]}
    ax = sensitivity(sizes, curves, ax=ax, parameter="components", score="bits said alike")
    k = chosen.best["n_components"]
    height = next(row["bits"] for row in scored if chosen.is_best(row))
    ax.axvline(k, color=GREY, linestyle=":", linewidth=1.2)
    ax.plot([k], [height], "o", markersize=11, markerfacecolor="none", color=GREY, label=f"chosen: {k}")
    ax.legend(frameon=False, fontsize="small")
    return ax


def _name(row: Any) -> str:
    return f"{row['features']}, {row['n_neighbors']} neighbours" if "features" in row else ""


def _bars(rows: Any, chosen: Any, ax: Axes | None) -> Axes:
    """One graph each, with its standard error; the chosen one is dark."""
    ax = axes(ax, width=7, height=0.8 + 0.28 * len(rows))
    colors = [colour(0) if chosen.is_best(row) else GREY for row in rows]
    errors = [row.get("bits_error", 0.0) for row in rows]
    ax.barh([_name(row) for row in rows], [row["bits"] for row in rows], xerr=errors, color=colors)
    ax.invert_yaxis()
    open_frame(ax)
    ax.set_xlabel(f"bits said alike, {chosen.best['n_components']} components")
    return ax
