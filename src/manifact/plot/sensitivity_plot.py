"""A score against a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from manifact.backends import Array
from manifact.plot.figure_style import DASHES, GREY, MARKERS, axes, colour, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_TICKS = 9


def sensitivity(
    values: Any,
    scores: Any,
    *,
    ax: Axes | None = None,
    parameter: str = "λ",
    score: str = "NMI",
    log: bool = True,
    reference: Any = None,
) -> Axes:
    """Draw how a score changes with a parameter and return the Axes.

    Parameters
    ----------
    values : array of q
        Values of the parameter.
    scores : array of q or q x repeats, or dict of name -> such arrays
        Scores at these values. Of repeats the mean is drawn, in a band of one standard deviation to both sides. A
        dict gives several curves.
    ax : Axes, optional
        Where to draw; None makes a new figure.
    parameter, score : str
        What the axes are called.
    log : bool, default=True
        Whether the parameter's axis is logarithmic.
    reference : float, array of repeats, or dict of name -> such values, optional
        Methods that do not have the parameter: dashed lines at the means.

    Examples
    --------
    >>> from manifact import plot
    >>> ax = plot.sensitivity([1, 10, 100], [[0.70, 0.72], [0.75, 0.77], [0.80, 0.78]], reference={"k-means": 0.7})
    >>> ax.lines[0].get_ydata().round(2).tolist(), ax.get_ylabel()
    ([0.71, 0.76, 0.79], 'NMI (mean ± sd of 2)')
    """
    x = _values(values, log)
    named: Mapping[str, Any] = scores if isinstance(scores, Mapping) else {"": scores}
    curves = {str(name): _scores(name, curve, len(x)) for name, curve in named.items()}
    if not curves:
        raise ValueError("scores is empty: give at least one curve")
    ax = axes(ax)
    ascending = np.argsort(x, kind="stable")
    for number, (name, curve) in enumerate(curves.items()):
        _draw(ax, x[ascending], curve[ascending], name, number)
    for number, (name, value) in enumerate(_references(reference).items()):
        ax.axhline(value, label=name, color=GREY, linestyle=DASHES[number % len(DASHES)], linewidth=1.2)
    if log:
        _log(ax, x)
    repeats = {curve.shape[1] for curve in curves.values()} - {1}
    spread = f" (mean ± sd of {' or '.join(map(str, sorted(repeats)))})" if repeats else ""
    ax.set(xlabel=parameter, ylabel=score + spread)
    open_frame(ax)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(frameon=False)
    return ax


def _draw(ax: Axes, x: Array, curve: Array, name: str, number: int) -> None:
    mean, hue = curve.mean(axis=1), colour(number)
    ax.plot(x, mean, color=hue, marker=MARKERS[number % len(MARKERS)], markersize=5, linewidth=1.6, label=name or None)
    if curve.shape[1] > 1:
        spread = curve.std(axis=1, ddof=1)
        ax.fill_between(x, mean - spread, mean + spread, color=hue, alpha=0.15, linewidth=0)


def _log(ax: Axes, x: Array) -> None:
    """A logarithmic axis, with the values themselves on it where they are few enough to be read."""
    ax.set_xscale("log")
    if len(x) <= MOST_TICKS:
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.minorticks_off()


def _values(values: Any, log: bool) -> Array:
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or not len(x):
        raise ValueError(f"values has shape {x.shape} but must be a list of numbers")
    if log and not (x > 0).all():
        raise ValueError(
            f"values holds {x.min():g}, which a logarithmic axis cannot show: leave it out or set log=False"
        )
    return x


def _scores(name: Any, scores: Any, q: int) -> Array:
    """q x repeats."""
    whose = f"scores[{name!r}]" if name else "scores"
    try:
        curve = np.asarray(scores, dtype=float)
    except ValueError as error:
        raise ValueError(f"{whose} must hold as many repeats for every value") from error
    if curve.ndim not in (1, 2) or curve.shape[0] != q or not curve.size:
        raise ValueError(f"{whose} has shape {curve.shape} but there are {q} values: give {q} scores or {q} x repeats")
    return curve.reshape(q, -1)


def _references(reference: Any) -> dict[str, float]:
    if reference is None:
        return {}
    named = reference if isinstance(reference, Mapping) else {"reference": reference}
    return {str(name): float(np.mean(value)) for name, value in named.items()}
