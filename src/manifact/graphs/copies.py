"""Equal samples in a graph of neighbours: they count as one, so that copies do not fill each other's neighbourhoods."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array, backend_of
from manifact.utils.cached_properties import cached_property


class Copies:
    """Which samples are equal. Of each group the first stands for all.

    Were a sample with 20 copies to look for 5 neighbours, it would find copies and nothing else, and the graph would
    fall into as many pieces as there are different samples.

    >>> copies = Copies(np.array([[1.0], [2.0], [1.0], [5.0]]))
    >>> copies.heads
    array([0, 1, 3])
    >>> rows, columns = copies.spread(np.array([[1], [0], [1]]))
    >>> sorted(zip(rows.tolist(), columns.tolist()))
    [(0, 1), (0, 2), (1, 0), (2, 0), (2, 1), (3, 1)]
    """

    def __init__(self, X: Any) -> None:
        self.heads, self.group = np.unique(backend_of(X).rows.first_equal(X), return_inverse=True)

    @property
    def none(self) -> bool:
        """Whether all samples differ."""
        return len(self.heads) == len(self.group)

    def spread(self, index: Array) -> tuple[Array, Array]:
        """Pairs of samples from the neighbours of each group, given as groups.

        Of a neighbour with copies each sample takes the next one in turn: no copy is nearer than another, and none
        ends up with all the edges. Copies of one sample are joined in a ring, since they belong together.
        """
        n, reach = len(self.group), index.shape[1]
        neighbours = index[self.group]
        turn = (self._turn[:, None] + np.arange(reach)) % self._sizes[neighbours]
        rows, columns = np.repeat(np.arange(n), reach), self._order[self._starts[neighbours] + turn].ravel()
        ring = np.flatnonzero(self._sizes[self.group] > 1)
        groups = self.group[ring]
        following = self._order[self._starts[groups] + (self._turn[ring] + 1) % self._sizes[groups]]
        return np.concatenate([rows, ring]), np.concatenate([columns, following])

    @cached_property
    def _sizes(self) -> Array:
        return np.bincount(self.group)

    @cached_property
    def _starts(self) -> Array:
        return np.cumsum(self._sizes) - self._sizes

    @cached_property
    def _order(self) -> Array:
        """All samples, group by group."""
        return np.argsort(self.group, kind="stable")

    @cached_property
    def _turn(self) -> Array:
        """The place of each sample in its group."""
        turn = np.empty(len(self.group), dtype=np.int64)
        turn[self._order] = np.arange(len(self.group)) - np.repeat(self._starts, self._sizes)
        return turn
