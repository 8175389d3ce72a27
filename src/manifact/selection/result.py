"""What was looked at and what was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import manifact
from manifact.selection.evidence_tables import EvidenceTable, evidence_tables
from manifact.utils.stored_classes import stored

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from manifact.models import AffinityNMF

#: How the number of components is found, and how the graph.
COUNTS = (
    "the number of components is the one with the largest sum of two shares: of what clusterings by two halves of the "
    "features say (of a graph that was given, each without a fifth of its edges), that which they say alike beyond "
    "chance, and of the edges those inside clusters beyond chance (modularity)"
)
GRAPHS = (
    "graphs are compared by the bits that clusterings of two halves of the features say alike beyond chance, at the "
    "same numbers of components; plain features and few neighbours stay unless others say clearly more"
)
CRITERION = f"{COUNTS}; {GRAPHS}"


def _are_plain(facts: Mapping[str, Any]) -> None:
    """What was chosen from is shown to people: rows of names and plain values, and nothing else."""
    rows, plain = facts["candidates"], str | bool | int | float | None
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and all(isinstance(name, str) and isinstance(value, plain) for name, value in row.items())
        for row in (*rows, facts["best"])
    ):
        raise ValueError("a selection and candidates that are no rows of a table")
    if not isinstance(facts.get("criterion", ""), str):
        raise ValueError(f"a selection by {facts['criterion']!r}")


@stored(
    _are_plain, candidates="candidates", best="best", graph="graph", random_state="random_state", criterion="criterion"
)
@dataclass(frozen=True, repr=False)
class Selection:
    """The values that `select` chose, and those it chose them from.

    Attributes
    ----------
    candidates : list of dict
        ``n_components``, and unless the graph was given ``features`` (in words, and as the parameters ``roots``,
        ``directions`` and ``balance`` of `KNNGraph`), ``n_neighbors`` and whether this graph was ``chosen``; ``bits``
        that halves of the features say alike and their standard error ``bits_error``; ``share`` and ``modularity``.
        None where it was not looked at.
    best : dict
        ``n_components`` and ``tau``, and unless the graph was given ``features`` and ``n_neighbors``.
    criterion : str
        By what the best was found; empty where there was nothing to choose.
    graph : graph builder or affinity
        The chosen graph's builder, or the graph as given.
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
        """Print the graphs, the numbers of components for the chosen one, and what was chosen by what."""
        from rich.table import Table

        from manifact.utils.terminal_text import safe_console

        console = safe_console(markup=False, highlight=False)
        for found in self.tables():
            console.print(f"{found.title}:")
            table = Table(box=None, header_style="bold")
            for number, name in enumerate(found.columns):
                table.add_column(name, justify="left" if found.named and number == 0 else "right")
            table.add_column("")
            for cells, chosen in found.rows:
                table.add_row(*cells, "←" if chosen else "", style="bold" if chosen else "")
            console.print(table)
            console.print()
        console.print(f"Chosen: {self.in_words}.", style="bold")
        if self.criterion:
            console.print(self.criterion[:1].upper() + self.criterion[1:] + ".", style="dim")

    @property
    def in_words(self) -> str:
        """The number of components, and the graph unless it was given.

        >>> Selection([], {"n_components": 6, "features": "all features", "n_neighbors": 5}, None).in_words
        '6 components, 5 neighbours in all features'
        """
        k, count = self.best["n_components"], self.best.get("n_neighbors")
        components = f"{k} component{'' if k == 1 else 's'}"
        if count is None:
            return components
        return f"{components}, {count} neighbour{'' if count == 1 else 's'} in {self.best['features']}"

    def tables(self) -> list[EvidenceTable]:
        """What `show` prints."""
        return evidence_tables(self.candidates, self.best)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what speaks for each number of components, and for each graph; see `manifact.plot.selection`."""
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
