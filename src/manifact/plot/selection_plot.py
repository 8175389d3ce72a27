"""What a choice was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from manifact.plot.figure_style import GREY, MARKERS, PALE, axes, colour, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches: of the curves, and of the graphs, for each of them and around them.
CURVES, GRAPHS, ROW, AROUND = 4.8, 6.2, 0.27, 1.0


def selection(chosen: Any, ax: Axes | None = None) -> Axes:
    """Draw what speaks for the numbers of components and for the graphs of a `Selection`, and return the Axes.

    Where the number of components was open: the two shares that it was chosen by, against it. Where graphs were
    compared: the bits that two halves of the features say alike, with their standard errors, the chosen graph dark. A
    new figure has both, side by side, and the Axes of the first are returned; ``ax`` gets the first that there is.

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
    >>> found = ((2, 0.9, 0.4), (4, 0.9, 0.8), (8, 0.5, 0.7))
    >>> rows = [{"n_components": k, "share": share, "modularity": inside} for k, share, inside in found]
    >>> ax = plot.selection(Selection(rows, {"n_components": 4}, None))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['said alike', 'inside clusters (modularity)', 'mean of both, highest at 4']
    """
    from manifact.selection.evidence_tables import by_components, by_graph, common_sizes, compared

    counts, graphs = by_components(chosen.candidates), by_graph(compared(chosen.candidates))
    if not counts and not graphs:
        raise ValueError("there is nothing to plot: graph and n_components were given, so no other was looked at")
    sizes = common_sizes(chosen.candidates)
    graphs = {name: found for name, found in graphs.items() if any(k in found for k in sizes)}
    if ax is None and counts and graphs:
        ax, beside = _two(len(graphs) * len(sizes))
        _draw_graphs(beside, graphs, sizes)
    if counts:
        ax = axes(ax)
        _draw_counts(ax, counts, chosen.best["n_components"])
    else:
        ax = axes(ax, GRAPHS, AROUND + ROW * len(graphs) * len(sizes))
        _draw_graphs(ax, graphs, sizes)
    return ax


def _two(bars: int) -> tuple[Axes, Axes]:
    """Axes for numbers of components, and for graphs, in one figure."""
    left = axes(None, CURVES + GRAPHS, max(3.6, AROUND + 0.6 * ROW * bars))
    grid = left.figure.add_gridspec(1, 2, width_ratios=[CURVES, GRAPHS])
    left.set_subplotspec(grid[0])
    return left, left.figure.add_subplot(grid[1])


def _draw_counts(ax: Axes, rows: Sequence[Mapping[str, Any]], k: int) -> None:
    """The two shares and their mean, which is highest where their sum is."""
    sizes = [row["n_components"] for row in rows]
    share, inside = ([row[name] for row in rows] for name in ("share", "modularity"))
    mean = [(one + other) / 2 for one, other in zip(share, inside, strict=True)]
    for number, (name, values) in enumerate((("said alike", share), ("inside clusters (modularity)", inside)), 1):
        ax.plot(sizes, values, color=colour(number), marker=MARKERS[number], markersize=4, linewidth=1.2, label=name)
    name = f"mean of both, highest at {k}"
    ax.plot(sizes, mean, color=colour(0), marker=MARKERS[0], markersize=5, linewidth=2, label=name)
    ax.axvline(k, color=GREY, linestyle=":", linewidth=1.2)
    ax.plot([k], [mean[sizes.index(k)]], "o", markersize=12, markerfacecolor="none", color=GREY)
    ax.set_xscale("log")
    few = _spread_out(sizes, k)
    ax.set_xticks(few, [str(size) for size in few])
    ax.minorticks_off()
    ax.set(xlabel="components", ylabel="share beyond chance")
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small")


def _spread_out(sizes: Sequence[int], k: int) -> list[int]:
    """Numbers that leave each other room on a logarithmic axis, the chosen one among them."""
    kept = [k]
    for size in sizes:
        if all(max(size / other, other / size) > 1.35 for other in kept):
            kept.append(size)
    return sorted(kept)


def _draw_graphs(ax: Axes, graphs: Mapping[Any, Mapping[int, Any]], sizes: Sequence[int]) -> None:
    """A bar for each graph and number of components, with its standard error; those of the chosen graph are dark.

    From 0: that shows how much, or how little, graphs differ.
    """
    thick = 0.8 / len(sizes)
    for number, k in enumerate(sizes):
        places = [place for place, found in enumerate(graphs.values()) if k in found]
        rows = [found[k] for found in graphs.values() if k in found]
        ax.barh(
            [place + (number - (len(sizes) - 1) / 2) * thick for place in places],
            [row["bits"] for row in rows],
            height=0.92 * thick,
            xerr=[row.get("bits_error") or 0.0 for row in rows],
            error_kw={"ecolor": GREY, "elinewidth": 1.0, "capsize": 2},
            color=[colour(0) if row.get("chosen") else PALE for row in rows],
        )
    ax.set_yticks(range(len(graphs)), [f"{features}, {count} neighbours" for features, count in graphs])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    open_frame(ax)
    at = ", ".join(map(str, sizes))
    ax.set_xlabel(f"bits said alike, k = {at}{' from above' if len(sizes) > 1 else ''}")
