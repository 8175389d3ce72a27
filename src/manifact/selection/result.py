"""What was looked at and what was chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import manifact
from manifact.utils.stored_classes import stored

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from manifact.models import AffinityNMF

CRITERION = (
    "net reproducible bits: what two clusterings of the graph, each without a fifth of its edges, say alike of a "
    "sample beyond chance, less what they say differently; few clusters say little, and too many are cut at random "
    "(clear clusters are those that come near log2 k bits; elsewhere what is coarser than modularity, which merges "
    "small clusters, is left out)"
)


@stored(candidates="candidates", best="best", graph="graph", random_state="random_state", criterion="criterion")
@dataclass(frozen=True, repr=False)
class Selection:
    """The values that `select` chose, and those it chose them from.

    Attributes
    ----------
    candidates : list of dict
        ``n_components``, ``n_neighbors``, ``tau``, and (None where there was nothing to choose) ``modularity`` and in
        bits per sample ``agreed``, ``disagreed`` and ``net``.
    best : dict
        ``n_components``, ``n_neighbors`` (None where the graph was given) and ``tau``.
    criterion : str
        What ``net`` is and why the largest is best.
    graph : graph builder or affinity
        The graph with this many neighbours.
    random_state : int, RandomState or None
        As given; the model gets it too.
    seconds : float or None
        How long choosing took, the graph included; not kept in model files.
    """

    candidates: list[dict[str, Any]]
    best: dict[str, Any]
    graph: Any
    random_state: Any = 0
    criterion: str = CRITERION
    seconds: float | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"Selection({', '.join(f'{name}={value}' for name, value in self.best.items())})"

    def model(self, **parameters: Any) -> AffinityNMF:
        """An unfitted `AffinityNMF` with the chosen values; ``parameters`` add to them or replace them."""
        chosen = {"n_components": self.best["n_components"], "tau": self.best["tau"], "graph": self.graph}
        return manifact.AffinityNMF(**{**chosen, "random_state": self.random_state, **parameters})

    def show(self) -> None:
        """Print every candidate and the choice."""
        from rich.console import Console
        from rich.table import Table

        names = ["n_components", "n_neighbors", "tau", "modularity", "agreed", "disagreed", "net"]
        table = Table(*names, "", box=None, header_style="bold")
        for column in table.columns[:-1]:
            column.justify = "right"
        for row in self.candidates:
            chosen = self.is_best(row)
            table.add_row(
                *(_cell(row[name]) for name in names), "← chosen" if chosen else "", style="bold" if chosen else ""
            )
        console = Console()
        console.print(table)
        console.print(self.criterion[:1].upper() + self.criterion[1:] + ".", style="dim", highlight=False)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw net bits against the number of components, a curve for each number of neighbours, and the choice."""
        return manifact.plot.selection(self, ax)

    @property
    def others(self) -> list[int]:
        """Other numbers of components to look at: with the most net bits, and with the largest modularity.

        >>> rows = [{"n_components": k, "net": net, "modularity": m} for k, net, m in ((2, 0.9, 0.4), (9, 1.5, 0.8))]
        >>> Selection(rows, {"n_components": 2}, None).others
        [9]
        """
        scored = [row for row in self.candidates if row.get("net") is not None]
        most = [max(scored, key=lambda row: row[what])["n_components"] for what in ("net", "modularity") if scored]
        return sorted(set(most) - {self.best["n_components"]})

    def is_best(self, row: dict[str, Any]) -> bool:
        """Whether a candidate is what was chosen."""
        return all(row[name] == value for name, value in self.best.items())


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) and not value.is_integer() else f"{value:g}"
