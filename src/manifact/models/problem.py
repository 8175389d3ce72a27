"""What a model is fitted to, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manifact.backends import Array, backend_of, comes_in_blocks, host_dtype, on_host
from manifact.graphs import Graph
from manifact.solvers.solver import Solver
from manifact.terms import Term
from manifact.utils.cached_properties import cached_property


@dataclass(frozen=True)
class Problem:
    """The samples, validated, with all that is built on them before the first iteration."""

    X: Any
    y: Any
    #: Of each sample, on the host; None where all count alike.
    weight: Array | None
    data: Any
    graph: Graph | None
    rng: np.random.RandomState
    #: The number of parts.
    k: int

    @cached_property
    def samples(self) -> Any:
        """X on the host."""
        return on_host(self.X)

    def beside_data(self, P: Array) -> Array:
        """An array of the host where X lives."""
        return backend_of(self.X).like(P, self.X)

    def rows_beside_data(self, P: Array) -> Array:
        """The same for an array with a row for each sample."""
        return backend_of(self.X).like_rows(P, self.X)

    def placed(self, P: Array, by_rows: bool) -> Array:
        """Either of both."""
        return self.rows_beside_data(P) if by_rows else self.beside_data(P)

    def basis(self, U: Array) -> Array:
        """The same for a basis, in the type of X."""
        return U if comes_in_blocks(U) else self.beside_data(np.ascontiguousarray(U, dtype=host_dtype(self.X)))

    def factor(self, V: Array) -> Array:
        """The same for a representation."""
        if comes_in_blocks(V):
            return V
        return self.rows_beside_data(np.ascontiguousarray(V, dtype=host_dtype(self.X)))


@dataclass(frozen=True)
class Plan:
    """The objective as terms, who minimises it, and for how long."""

    solver: Solver
    terms: list[Term]
    max_iter: int
    tol: float
