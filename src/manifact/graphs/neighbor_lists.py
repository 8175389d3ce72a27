"""The nearest neighbours of samples as a list: found once for the most, and cut to fewer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from manifact.backends import Array, backend_of, on_host
from manifact.graphs.copies import Copies
from manifact.utils.errors import MissingPackageError
from manifact.utils.progress import steps


class Pairs(NamedTuple):
    """Samples, their neighbours, and the squared distances of both; None where the search does not tell."""

    rows: Array
    columns: Array
    squares: Array | None


@dataclass(frozen=True)
class NeighborList:
    """The neighbours of the samples ``inside`` (those that can have any), best first.

    Rows of ``index`` and ``squares`` are samples, or groups of copies, numbered among those inside.
    """

    index: Array
    squares: Array | None
    inside: Array
    #: Which samples are copies of others; None where each counts.
    copies: Copies | None
    #: All samples.
    n: int

    def cut(self, n_neighbors: int) -> NeighborList:
        """The first so many neighbours."""
        squares = None if self.squares is None else self.squares[:, :n_neighbors]
        return replace(self, index=self.index[:, :n_neighbors], squares=squares)

    def pairs(self) -> Pairs:
        """Every sample beside each of its neighbours, and copies in a ring."""
        reach = self.index.shape[1]
        if self.copies is None:
            rows, columns = np.repeat(np.arange(len(self.index)), reach), self.index.ravel()
            squares = None if self.squares is None else self.squares.ravel()
        else:
            rows, columns = self.copies.spread(self.index)
            squares = None
            if self.squares is not None:
                apart = self.squares[self.copies.group].ravel()
                squares = np.concatenate([apart, np.zeros(len(rows) - len(apart))])
        return Pairs(self.inside[rows], self.inside[columns], squares)

    @property
    def heads(self) -> Array | None:
        """The samples that stand for their copies; None where nobody has any."""
        return None if self.copies is None else self.inside[self.copies.heads]

    def radii(self, n_neighbors: int) -> Array | None:
        """The squared distance of each sample's farthest neighbour, if it is known.

        Infinite where all others are neighbours, and 0 where none can be.
        """
        if self.squares is None:
            return None
        radii = np.zeros(self.n)
        if len(self.inside):
            group = slice(None) if self.copies is None else self.copies.group
            radii[self.inside] = self.squares[group, -1] if self.index.shape[1] == n_neighbors else np.inf
        return radii


def find_neighbors(
    X: Any,
    n_neighbors: int,
    metric: str = "euclidean",
    search: str = "exact",
    copies: str = "once",
    random_state: int | None = 0,
) -> NeighborList:
    """The nearest neighbours of the rows of X.

    ``metric`` is "euclidean"; "cosine"; or "unit", for rows that are at unit length already. With the last two rows
    without entries have no neighbours.
    """
    compared, inside = comparable(X, metric)
    if not len(inside):
        nothing = np.empty((0, 0))
        return NeighborList(nothing.astype(np.int64), nothing, inside, None, X.shape[0])
    equal = Copies(compared) if copies == "once" else None
    equal = None if equal is None or equal.none else equal
    compared = compared if equal is None else backend_of(X).rows.taken(compared, equal.heads)
    index, squares = _search(compared, n_neighbors, search, random_state)
    return NeighborList(index, squares, inside, equal, X.shape[0])


def comparable(X: Any, metric: str) -> tuple[Any, Array]:
    """Samples as the search compares them, and which they are."""
    if metric == "euclidean":
        return X, np.arange(X.shape[0])
    # On unit vectors distance and cosine order alike; a sample without entries is near nobody.
    rows = backend_of(X).rows
    inside = np.flatnonzero(~rows.empty(X))
    some = X if len(inside) == X.shape[0] else rows.taken(X, inside)
    return (some if metric == "unit" else rows.at_unit_length(some)), inside


def _search(X: Any, n_neighbors: int, search: str, random_state: int | None) -> tuple[Array, Array | None]:
    """The rows of X nearest to each, and how far they are, squared."""
    if search == "approximate" and X.shape[0] > n_neighbors + 1:
        return _approximate(on_host(X), n_neighbors, random_state), None
    if search == "projection":
        found = backend_of(X).nearest_by_projection(X, n_neighbors, random_state, progress=steps)
    else:
        found = backend_of(X).nearest(X, n_neighbors, progress=steps)
    return on_host(found[0]), on_host(found[1])


def _approximate(X: Any, n_neighbors: int, seed: int | None) -> Array:
    try:
        from pynndescent import NNDescent
    except ImportError as error:
        raise MissingPackageError(
            "{search}='approximate' needs pynndescent: pip install pynndescent, or use {search}='exact'"
        ) from error
    found, _ = NNDescent(X.astype(np.float32), n_neighbors=n_neighbors + 1, random_state=seed).neighbor_graph
    # Each sample finds itself, not always first; a sample that did not gives up its farthest neighbour.
    own = found == np.arange(X.shape[0])[:, None]
    own[~own.any(axis=1), -1] = True
    index = found[np.arange(n_neighbors + 1) != np.argmax(own, axis=1)[:, None]].reshape(-1, n_neighbors)
    if (index < 0).any():
        lost = int((index < 0).any(axis=1).sum())
        raise RuntimeError(f"the approximate search found too few neighbours for {lost} samples: use search='exact'")
    return index.astype(np.int64)
