"""Forms of an objective in one block that exact solvers know how to lower; forms of several terms add up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from manifact.backends import Array, backend_of, device_of, namespace, on_host, smallest_normal
from manifact.graphs.operators import Graph, SumOfGraphs


def _both(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one + other


@dataclass(frozen=True)
class RowQuadratic:
    """Σ_j scale_j p_jᵀGp_j − 2 b_jᵀp_j + 2 l1 Σ_k p_jk + shift_j p_jᵀp_j + λ Tr(PᵀLP) over the rows p_j of a block P.

    Rows know of each other only through the graph. ``scale`` None stands for 1; G, B and the graph may be missing.
    """

    G: Any = None
    B: Any = None
    scale: Any = None
    shift: Any = 0.0
    graph: Graph | None = None
    lam: float = 1.0
    l1: float = 0.0

    def __add__(self, other: RowQuadratic) -> RowQuadratic:
        if self.G is not None and other.G is not None and self.scale is not other.scale:
            raise TypeError("two terms with a matrix of their own need the same weights of rows to be added")
        graph, lam = _joined(self, other)
        first = self if self.G is not None else other
        return RowQuadratic(
            _both(self.G, other.G), _both(self.B, other.B), first.scale, self.shift + other.shift, graph, lam,
            self.l1 + other.l1,
        )  # fmt: skip

    def multiplied(self, P: Array) -> Array:
        """P after a multiplicative step: what draws (B and W) over what holds back (G, shift, l1 and D), all ≥ 0."""
        backend = backend_of(P)
        scale, held, B = 1.0 if self.scale is None else self.scale, self.shift, 0.0 if self.B is None else self.B
        edges = None
        if self.graph is not None:
            held, edges = held + self.lam * self.graph.vector(P), self.graph.edges
            if edges is None:
                B = B + self.lam * self.graph.adjacency(P)
        return backend.multiply_rows(P, self.G, B, scale, held, self.l1, edges, self.lam)

    def lowered(self, P: Array, sweeps: int, graph_sweeps: int | None = None) -> Array:
        """P ≥ 0 after ``sweeps`` rounds of exact coordinate steps; ``graph_sweeps`` where a graph ties the rows.

        Rows without edges between them move together and see the others' new values. Where the graph has no such groups
        to offer, W is bounded by one that is positive semi-definite: −Tr(PᵀWP) lies below its tangent, so rows may be
        improved one by one with W P held still.
        """
        backend, B = backend_of(P), self.right(P)
        scale = 1.0 if self.scale is None else self.scale
        if self.graph is None:
            return backend.sweep_rows(P, self.G, B, scale, self.shift, sweeps)
        rounds = sweeps if graph_sweeps is None else graph_sweeps
        groups, edges = self.graph.groups(), self.graph.edges
        if groups is None or edges is None:
            diagonal, pull = self.graph.majorizer(P)
            held = self.shift + self.lam * diagonal
            return backend.sweep_rows(P, self.G, B + self.lam * pull, scale, held, rounds)
        held = self.shift + self.lam * self.graph.vector(P)
        return backend.sweep_rows(P, self.G, B, scale, held, rounds, edges, self.lam, groups)

    def column_costs(self, P: Array) -> Array:
        """What each column of P costs, in float64, −2 bᵀp counted half: how costs grow with the square of a scale."""
        backend, xp = backend_of(P), namespace(P)
        costs: Any = xp.zeros((P.shape[1],), dtype=xp.float64, device=device_of(P))
        if not (isinstance(self.shift, float) and self.shift == 0):
            costs = costs + backend.column_products(P, P * _column(self.shift))
        if self.B is not None or self.l1:
            costs = costs - backend.column_products(P, self.right(P))
        if self.G is not None:
            scaled = P if self.scale is None else P * _column(self.scale)
            costs = costs + backend.column_products(scaled @ xp.astype(self.G, P.dtype, copy=False), P)
        return costs if self.graph is None else costs + self.lam * self.graph.energies(P, P)

    def best_scale(self, P: Array) -> float | None:
        """The c > 0 with the lowest value at cP; None where there is none."""
        slope = backend_of(P).inner(self.right(P), P)
        square = float(on_host(replace(self, B=None, l1=0.0).column_costs(P)).sum())
        return slope / square if slope > 0 and square > 0 else None

    def right(self, P: Array) -> Any:
        """B − l1, n x k."""
        if getattr(self.B, "shape", ()) == P.shape:
            return self.B - self.l1 if self.l1 else self.B
        return namespace(P).zeros_like(P) + ((0.0 if self.B is None else self.B) - self.l1)


@dataclass(frozen=True)
class LogBound:
    """Σ a_jk p_jk − c_jk log p_jk + l2_j/2 p_jk² + λ Tr(PᵀL log P): convex, and separate for each column of P."""

    a: Any = 0.0
    c: Any = 0.0
    l2: Any = 0.0
    graph: Graph | None = None
    lam: float = 1.0

    def __add__(self, other: LogBound) -> LogBound:
        return LogBound(self.a + other.a, self.c + other.c, self.l2 + other.l2, *_joined(self, other))

    def minimum(self) -> Array:
        """Argmin a p − c log p + l2/2 p² for each entry: where no graph ties them."""
        xp, tiny = namespace(self.c), smallest_normal(self.c)
        if isinstance(self.l2, float) and self.l2 == 0:
            least: Array = self.c / xp.maximum(self.a, tiny)
            return least
        root = xp.sqrt(self.a * self.a + 4 * self.l2 * self.c)
        least = 2 * self.c / xp.maximum(self.a + root, tiny)
        return least


def _joined(one: Any, other: Any) -> tuple[Graph | None, float]:
    """λL of both, as a graph and its strength."""
    if one.graph is None or other.graph is None:
        return (other.graph, other.lam) if one.graph is None else (one.graph, one.lam)
    return SumOfGraphs([one.graph, other.graph], [one.lam, other.lam]), 1.0


def _column(rows: Any) -> Any:
    return rows[:, None] if getattr(rows, "ndim", 0) == 1 else rows
