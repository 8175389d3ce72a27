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
    "the number of components is the one with the largest sum of two shares: of what clusterings of the graph say, "
    "each without a fifth of its edges, that which they say alike beyond chance, and of the edges those inside "
    "clusters beyond chance (modularity); graphs are compared by the bits that clusterings of two halves of the "
    "features say alike"
)
#: Where the graph was given.
EDGES = CRITERION.partition(";")[0]
#: What a table shows of each candidate.
COLUMNS = ("features", "n_neighbors", "n_components", "bits", "share", "modularity")


@stored(candidates="candidates", best="best", graph="graph", random_state="random_state", criterion="criterion")
@dataclass(frozen=True, repr=False)
class Selection:
    """The values that `select` chose, and those it chose them from.

    Attributes
    ----------
    candidates : list of dict
        ``n_components``, and unless the graph was given ``features`` (in words, and as the parameters ``roots``,
        ``directions`` and ``balance`` of `KNNGraph`) and ``n_neighbors``; ``bits`` that halves say alike and
        their standard error ``bits_error``; ``share`` and ``modularity``. None where it was not looked at.
    best : dict
        ``n_components`` and ``tau``, and unless the graph was given ``features`` and ``n_neighbors``.
    criterion : str
        By what the best was found.
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

        names = [name for name in COLUMNS if any(name in row for row in self.candidates)] or ["n_components"]
        table = Table(*names, "", box=None, header_style="bold")
        for column in table.columns[:-1]:
            column.justify = "right"
        for row in self.candidates:
            chosen = self.is_best(row)
            table.add_row(
                *(_cell(row.get(name)) for name in names), "← chosen" if chosen else "", style="bold" if chosen else ""
            )
        console = Console()
        console.print(table)
        console.print(self.criterion[:1].upper() + self.criterion[1:] + ".", style="dim", highlight=False)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what halves say alike against the number of components, a curve for each graph, and the choice."""
        return manifact.plot.selection(self, ax)

    @property
    def others(self) -> list[int]:
        """Other numbers of components to look at: said alike to the largest share, and of the largest modularity.

        >>> rows = [{"n_components": k, "share": s, "modularity": m} for k, s, m in ((2, 0.9, 0.8), (9, 0.6, 0.9))]
        >>> Selection(rows, {"n_components": 2}, None).others
        [9]
        """
        scored = [row for row in self.chosen_graph if row.get("modularity") is not None]
        most = [max(scored, key=lambda row: row[what])["n_components"] for what in ("share", "modularity") if scored]
        return sorted(set(most) - {self.best["n_components"]})

    @property
    def chosen_graph(self) -> list[dict[str, Any]]:
        """The candidates of the chosen graph."""
        return [row for row in self.candidates if row.get("chosen", True)]

    def is_best(self, row: dict[str, Any]) -> bool:
        """Whether a candidate is what was chosen."""
        return bool(row.get("chosen", True)) and row["n_components"] == self.best["n_components"]


def _cell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or "–"
    return f"{value:.3f}" if isinstance(value, float) and not value.is_integer() else f"{value:g}"
