"""A graph in words, for people who look at a model."""

from __future__ import annotations

from typing import Any, NamedTuple

from manifact.graphs.feature_halves import Features
from manifact.graphs.knn import NeighborGraph


class Neighbours(NamedTuple):
    """How a graph of nearest neighbours was built, and from how many it was chosen (0: it was not)."""

    features: str
    n_neighbors: int
    weight: str
    chosen_from: int

    def __str__(self) -> str:
        """As a person says it.

        >>> str(Neighbours("50 directions, equally long", 5, "local", 14))
        '5 neighbours in 50 directions, equally long (chosen from 14 graphs)'
        >>> str(Neighbours("all features", 1, "binary", 0))
        '1 neighbour in all features'
        """
        several = "" if self.n_neighbors == 1 else "s"
        chosen = f" (chosen from {self.chosen_from} graphs)" if self.chosen_from else ""
        return f"{self.n_neighbors} neighbour{several} in {self.features}{chosen}"


def neighbours(graph: Any) -> Neighbours | None:
    """Of a graph of nearest neighbours; None for any other."""
    if not isinstance(graph, NeighborGraph):
        return None
    builder = graph.builder
    ways = {(row.get("features"), row.get("n_neighbors")) for row in graph.candidates_}
    features = Features(builder.roots, builder.directions, builder.balance)
    return Neighbours(str(features), builder.n_neighbors, builder.weight, len(ways) if len(ways) > 1 else 0)
