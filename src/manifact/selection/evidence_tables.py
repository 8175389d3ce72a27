"""What a choice was made from, as tables of a person's size: one of graphs, one of numbers of components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class EvidenceTable:
    """Cells as they are shown, and whether each row is what was chosen."""

    title: str
    columns: list[str]
    rows: list[tuple[list[str], bool]]
    #: Whether the first column holds words.
    named: bool = False


def evidence_tables(candidates: Sequence[Row], best: Row) -> list[EvidenceTable]:
    """The tables that there is something for."""
    found = [_graphs(candidates), _neighbours(candidates), _components(candidates, best)]
    return [table for table in found if table is not None]


def compared(candidates: Sequence[Row]) -> list[Row]:
    """The rows that tell graphs apart."""
    return [row for row in candidates if row.get("bits") is not None]


def common_sizes(candidates: Sequence[Row]) -> list[int]:
    """The numbers of components at which the most graphs were compared.

    >>> rows = [{"n_components": k, "bits": 1.0} for k in (3, 3, 8)]
    >>> common_sizes(rows)
    [3]
    """
    found = [row["n_components"] for row in compared(candidates)]
    most = max(map(found.count, found), default=0)
    return sorted({k for k in found if found.count(k) == most})


def by_graph(rows: Sequence[Row]) -> dict[tuple[str, int], dict[int, Row]]:
    """Features and number of neighbours -> number of components -> row."""
    graphs: dict[tuple[str, int], dict[int, Row]] = {}
    for row in sorted(rows, key=_plainness):
        graphs.setdefault((row["features"], row["n_neighbors"]), {})[row["n_components"]] = row
    return graphs


def _plainness(row: Row) -> tuple[Any, ...]:
    """Features as they are first, then their roots, then directions."""
    directions = row.get("directions")
    balance, count = row.get("balance") or 0.0, row["n_neighbors"]
    return directions is not None, bool(row.get("roots")), balance, -(directions or 0), count


def by_components(candidates: Sequence[Row]) -> list[Row]:
    """The rows of the chosen graph that tell numbers of components apart, the smallest first."""
    own = [row for row in candidates if row.get("chosen", True) and row.get("share") is not None]
    return sorted(own, key=lambda row: row["n_components"])


def _graphs(candidates: Sequence[Row]) -> EvidenceTable | None:
    graphs, sizes = by_graph(compared(candidates)), common_sizes(candidates)
    if not graphs:
        return None
    rows = [
        ([features, str(count), *_bits(found, sizes)], _chosen(found))
        for (features, count), found in graphs.items()
        if any(k in found for k in sizes)
    ]
    title = "Graphs: bits that two halves of the features say alike, ± standard error"
    return EvidenceTable(title, ["features", "neighbours", *_headings(sizes)], rows, named=True)


def _neighbours(candidates: Sequence[Row]) -> EvidenceTable | None:
    """Numbers of neighbours are compared at those of components that each speaks for."""
    features = next((row["features"] for row in candidates if row.get("chosen") and row.get("features")), None)
    own = [row for row in compared(candidates) if row["features"] == features]
    sizes = sorted({row["n_components"] for row in own} - set(common_sizes(candidates)))
    if not sizes:
        return None
    rows = [([str(count), *_bits(found, sizes)], _chosen(found)) for (_, count), found in by_graph(own).items()]
    return EvidenceTable(f"Numbers of neighbours in {features}", ["neighbours", *_headings(sizes)], rows)


def _components(candidates: Sequence[Row], best: Row) -> EvidenceTable | None:
    rows = by_components(candidates)
    if not rows:
        return None
    cells = [
        (
            [
                str(row["n_components"]),
                *(f"{value:.3f}" for value in (row["share"], row["modularity"], row["share"] + row["modularity"])),
            ],
            row["n_components"] == best["n_components"],
        )
        for row in rows
    ]
    return EvidenceTable("Numbers of components, for the chosen graph", ["k", *SCORES], cells)


#: What speaks for a number of components.
SCORES = ("share", "modularity", "sum")


def _headings(sizes: Sequence[int]) -> list[str]:
    return [f"k = {k}" for k in sizes]


def _bits(found: Mapping[int, Row], sizes: Sequence[int]) -> list[str]:
    return [f"{found[k]['bits']:.2f} ± {found[k]['bits_error']:.2f}" if k in found else "–" for k in sizes]


def _chosen(found: Mapping[int, Row]) -> bool:
    return any(row.get("chosen") for row in found.values())
