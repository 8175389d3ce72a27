"""The objective against iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manifact.backends import Array
from manifact.plot.figure_style import axes, colour, open_frame
from manifact.plot.model_arrays import read
from manifact.utils import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = {None: "objective", "start": "objective / its first value", "best": "objective / lowest objective − 1"}


def convergence(
    models: Any,
    *,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    relative: str | None = None,
    log: bool = False,
) -> Axes:
    """Draw ``objective_`` of one or several fitted models against the iteration and return the Axes.

    The last point of a run is filled where its tolerance was reached, and open where it was stopped.

    Parameters
    ----------
    models : fitted model, sequence of them, or dict of name -> model
    ax : Axes, optional
        Where to draw; None makes a new figure.
    labels : sequence of str, optional
        One for each model; None means the names of a dict, or the class and solver of each of several models.
    relative : {None, "start", "best"}, default=None
        The objective itself; over its value at the start, so that different objectives fit into one picture; or how
        far it is above the lowest one of all runs, as a fraction of that, for solvers of the same objective.
    log : bool, default=False
        Whether the objective's axis is logarithmic.

    Examples
    --------
    >>> from manifact import NMF, datasets, plot
    >>> X = datasets.load_digits().X
    >>> runs = {solver: NMF(10, solver=solver, max_iter=20, random_state=0).fit(X) for solver in ("mu", "bcd")}
    >>> ax = plot.convergence(runs, relative="best", log=True)
    >>> [line.get_label() for line in ax.lines]
    ['mu', 'bcd']
    """
    checks.option("relative", relative, LABELS)
    names, found = _named(models, labels)
    traces = _scaled([np.asarray(read(model, "objective_"), dtype=float) for model in found], relative)
    ax = axes(ax)
    for number, (name, trace, model) in enumerate(zip(names, traces, found, strict=True)):
        hue = colour(number)
        ax.plot(
            np.arange(len(trace)),
            trace,
            label=name,
            color=hue,
            linewidth=1.6,
            marker="o",
            markevery=[len(trace) - 1],
            markerfacecolor=hue if getattr(model, "converged_", False) else "white",
        )
    ax.set(xlabel="iteration", ylabel=LABELS[relative])
    if log:
        ax.set_yscale("log")
    open_frame(ax)
    if any(name is not None for name in names):
        ax.legend(frameon=False)
    return ax


def _named(models: Any, labels: Sequence[str] | None) -> tuple[list[str | None], list[Any]]:
    """A name for each model, and the models."""
    names: list[str | None]
    if isinstance(models, Mapping):
        names, found = [str(name) for name in models], list(models.values())
    elif isinstance(models, list | tuple):
        names, found = [_title(model) for model in models], list(models)
    else:
        names, found = [None], [models]
    if not found:
        raise ValueError("models is empty: give at least one fitted model")
    if labels is not None:
        if isinstance(labels, str) or len(labels) != len(found):
            raise ValueError(f"labels={labels!r} must hold one name for each of the {len(found)} models")
        names = [str(label) for label in labels]
    return names, found


def _title(model: Any) -> str:
    solver = getattr(model, "solver_", None)
    return type(model).__name__ + (f", {solver}" if solver else "")


def _scaled(traces: list[Array], relative: str | None) -> list[Array]:
    if relative is None:
        return traces
    if relative == "start":
        return [trace / trace[0] if trace[0] else trace for trace in traces]
    lowest = min(float(trace.min()) for trace in traces)
    return [(trace - lowest) / (abs(lowest) or 1.0) for trace in traces]
