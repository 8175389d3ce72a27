"""Exact steps for the Kullback-Leibler models: a basis on the simplex, and Newton's method where a graph couples V.

The divergence is bounded above by Σ a_jk v_jk − c_jk log v_jk with c = V ∘ (X/Y) U (the step of `mu`). Where V has a
penalty, Σ_i u_ik = 1: the basis cannot take over scale from V, a_jk is the sample's weight, and the minimiser over U of
its own bound is c normalised to sum 1. With the graph's penalty the bound is convex in V and separate for each column.
"""

from __future__ import annotations

import numpy as np

from manifact.backends import Array
from manifact.solvers.engine import Step
from manifact.solvers.parts import Parts
from manifact.terms import EntropicSmoothness, KullbackLeibler, Term, total
from manifact.terms.state import Momentum, State

#: How far the linear system of a Newton step is solved.
FORCING = 0.3
#: An entry grows at most by this factor in one step, and stays above this share of the largest.
MOST_GROWTH = 10.0
FLOOR = 1e-12
HALVINGS = 20
#: Over-relaxation: its start, growth, bounds, and what a failure multiplies it by.
FIRST, GROWTH, LEAST, MOST, DECAY = 0.5, 1.2, 0.1, 10.0, 0.5


def _parts(terms: list[Term]) -> Parts:
    return Parts.of(terms, KullbackLeibler, EntropicSmoothness)


def exact_bounds(terms: list[Term]) -> Step:
    """One iteration: the bounds minimised over V, then over U, and both moved on the same way as far as that pays."""
    parts = _parts(terms)

    def step(start: State) -> State:
        rate, before = FIRST if start.momentum is None else start.momentum.rate, total(terms, start)
        s = _sized(parts, start) if start.momentum is None else start
        new = _iterate(parts, s)
        further = _further(parts, s, new, rate)
        # The objective there comes with the product that the next iteration starts with: only a failure costs one.
        if total(terms, further) <= before:
            further.momentum = Momentum(None, min(MOST, GROWTH * rate), MOST)
            return further
        # Only rounding can raise it: then this is as far as the digits go.
        kept = new if total(terms, new) <= before else start.alone()
        kept.momentum = Momentum(None, max(LEAST, DECAY * rate), MOST)
        return kept

    return step


def _iterate(parts: Parts, s: State) -> State:
    s = s.replace("V", _step_V(parts, s))
    c = s.U * s.ratio_V
    if parts.holds_basis:
        return s.replace("U", _to_simplex(c, s.data.sums(c).astype(c.dtype), s.U))
    l1, l2 = parts.U_penalty
    return s.replace("U", _minimum(s.V_sums[None, :] + c.dtype.type(l1), l2, c))


def _further(parts: Parts, old: State, new: State, rate: float) -> State:
    """P ∘ (P / P_old)^rate for both factors: bounds are cautious, and steps all point the same way for long."""
    V, U = (_overrelaxed(old[block], new[block], rate) for block in ("V", "U"))
    if parts.holds_basis:
        U = _to_simplex(U, new.data.sums(U).astype(U.dtype), new.U)
    return new.replace("V", V).replace("U", U)


def _overrelaxed(old: Array, new: Array, rate: float) -> Array:
    change = new / np.maximum(old, np.finfo(old.dtype).tiny)
    further = new * np.clip(change, 1 / MOST_GROWTH, MOST_GROWTH) ** new.dtype.type(rate)
    # Steps are multiplicative: what has become 0 here could never return.
    return np.maximum(further, np.minimum(new, new.dtype.type(FLOOR) * new.max(axis=0)))


def _to_simplex(c: Array, sums: Array, otherwise: Array) -> Array:
    """Columns divided by their sums; a part that nobody uses keeps its basis vector."""
    scale = np.where(sums > 0, sums, 1)
    return c / scale if (sums > 0).all() else np.where(sums > 0, c / scale, otherwise)


def feasible(terms: list[Term], s: State) -> State:
    """The state to start from: basis vectors that sum to 1, where they have to."""
    if not _parts(terms).holds_basis:
        return s
    return s.rescaled(np.where(s.U_sums > 0, s.U_sums, 1))


def _sized(parts: Parts, s: State) -> State:
    """V in the size that fits best: all summands are linear in it (without l2) but for Σ x log y."""
    if parts.V_penalty[1]:
        return s
    linear = float(s.U_sums @ s.V_sums) + parts.V_penalty[0] * float(s.V.sum(dtype=np.float64))
    if parts.smoothness is not None:
        linear += parts.smoothness.value(s)
    mass = s.data.entry_sum
    return s.replace("V", s.V * s.V.dtype.type(mass / linear)) if mass > 0 and linear > 0 else s


def _step_V(parts: Parts, s: State) -> Array:
    l1, l2 = parts.V_penalty
    c = s.V * s.ratio_U
    a = s.U_sums[None, :]
    a = (a if s.data.weight is None else s.data.weight[:, None] * a) + c.dtype.type(l1)
    if parts.smoothness is None:
        return _minimum(a, l2, c)
    return Bound(a, l2, c, parts.smoothness).improved(s.V)


def _minimum(a: Array, l2: float, c: Array) -> Array:
    """Argmin a v − c log v + l2/2 v² for each entry."""
    tiny = np.finfo(c.dtype).tiny
    if l2 == 0:
        return c / np.maximum(a, tiny)
    return 2 * c / np.maximum(a + np.sqrt(a * a + c.dtype.type(4 * l2) * c), tiny)


class Bound:
    """Φ(V) = Σ a v − c log v + l2/2 v² + λ Tr(VᵀL log V), convex and a sum over columns."""

    def __init__(self, a: Array, l2: float, c: Array, smoothness: EntropicSmoothness) -> None:
        self.a, self.l2, self.c = a, l2, c
        self.graph, self.lam = smoothness.graph, smoothness.lam

    def values(self, V: Array) -> Array:
        """Φ of each column."""
        log = np.log(V)
        own = np.sum(self.a * V - self.c * log + V.dtype.type(self.l2 / 2) * V * V, axis=0, dtype=np.float64)
        return own + self.lam * self.graph.energies(V, log)

    def improved(self, V: Array) -> Array:
        """V after one step: Newton's, shortened in each column until Φ falls there.

        In the variables z = (new − v) / √v the Hessian is diag(c/v + λ (d + Wv/v)) − λ W ∘ (√(v/v') + √(v'/v)), v' the
        neighbour's entry: near diag(c/v) + 2 λ L where V is smooth, and that is what is solved with.
        """
        number = V.dtype.type
        V = np.maximum(V, max(number(FLOOR) * V.max(), np.finfo(V.dtype).tiny))
        lam, degrees = number(self.lam), self.graph.degrees[:, None].astype(V.dtype)
        share, root = self.graph.adjacency(V) / V, np.sqrt(V)
        # A sample that nothing explains has no curvature of its own.
        own = np.maximum(self.c / V, number(FLOOR) * self.a)
        slope = self.a - own + number(self.l2) * V + lam * (self.graph.laplacian(np.log(V)) + degrees - share)
        if self.graph.factored and self.a.shape[0] == 1:
            # At the minimum c/v is near a: the factorisation that serves every λ serves this system.
            own = self.a
        else:
            # Where neighbours are larger the curvature is, too.
            own += number(self.l2) * V + lam * np.maximum(share - degrees, 0)
        relative = self.graph.solve(own, 2 * self.lam, -root * slope, np.zeros_like(V), reduction=FORCING) / root
        return self._shortened(V, relative)

    def _shortened(self, V: Array, relative: Array) -> Array:
        before, best = self.values(V), V
        length = np.ones(V.shape[1], dtype=V.dtype)
        for _ in range(HALVINGS):
            # Exact for a v − c log v: 1/v moves on a line, and v stays positive.
            trial = V / np.maximum(1 - length * relative, V.dtype.type(1 / MOST_GROWTH))
            rises = ~(self.values(trial) <= before)
            best = np.where(rises | (length == 0), best, trial)
            length = np.where(rises, length / 2, 0).astype(V.dtype)
            if not rises.any():
                break
        return best
