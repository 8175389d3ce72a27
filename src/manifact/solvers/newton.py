"""Exact steps for the Kullback-Leibler models: a basis on the simplex, and Newton's method where a graph couples V.

The divergence is bounded above by Σ a_jk v_jk − c_jk log v_jk with c = V ∘ (X/Y) U (the step of `mu`). Where V has a
penalty, Σ_i u_ik = 1: the basis cannot take over scale from V, a_jk is the sample's weight, and the minimiser over U of
its own bound is c normalised to sum 1. With the graph's penalty the bound is convex in V and separate for each column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manifact.backends import Array, backend_of, namespace, on_host, smallest_normal
from manifact.solvers.line_search import backtrack
from manifact.solvers.solver import Memory, solver
from manifact.terms.constraints import SimplexBasis
from manifact.terms.forms import LogBound
from manifact.terms.losses import Loss
from manifact.terms.state import State
from manifact.terms.term import gather_forms, total

#: How far the linear system of a Newton step is solved.
FORCING = 0.1
#: An entry grows at most by this factor in one step, and stays above this share of the largest.
MOST_GROWTH = 10.0
FLOOR = 1e-12
HALVINGS = 20
#: Steps on one bound go on while they lower it by more than this share, so many at the most: they need no pass over X,
#: and far from the minimum one step does not get there.
PAYS, MOST_STEPS = 1e-3, 10
#: Over-relaxation: its start, growth, bounds, and what a failure multiplies it by. The first step has none: it goes
#: from a start that has nothing to do with the graph to one that has, and not twice as far.
FIRST, GROWTH, LEAST, MOST, DECAY = 1.0, 1.5, 0.1, 30.0, 0.5


def feasible(terms: Sequence[Any], s: State) -> State:
    """The state to start from: a basis of sum 1, where it has to be."""
    if not _holds_basis(terms, s):
        return s
    return s.rescaled(namespace(s.U).where(s.U_sums > 0, s.U_sums, 1.0))


@solver("newton", needs="bound", kinds=frozenset({"factors"}), begin=feasible, one_loss=True)
def newton(terms: Sequence[Any], start: State, memory: Memory) -> tuple[State, Memory]:
    """One iteration: the bounds minimised over V, then over U, and both moved on the same way as far as that pays.

    Remembered is how far that was.
    """
    rate = memory.get("rate", 0.0)
    s = start if memory else _smoothed(terms, _sized(terms, start))
    new = _iterate(terms, s)
    # The objective ahead comes with the product that the next iteration starts with: only a failure costs one.
    found = backtrack(
        lambda length: _further(terms, s, new, length) if length else new,
        lambda point: total(terms, point),
        total(terms, start),
        rate,
        shrink=0.0,
        tries=1,
    )
    # Without over-relaxation only rounding can raise it: then this is as far as the digits go.
    reached, taken = (start, 0.0) if found is None else found
    if not memory:
        return reached, {"rate": FIRST}
    paid = found is not None and taken == rate
    return reached, {"rate": min(MOST, GROWTH * rate) if paid else max(LEAST, DECAY * rate)}


def _penalties(terms: Sequence[Any], s: State, block: str) -> Any:
    return gather_forms([term for term in terms if not isinstance(term, Loss)], "bound", s, block)


def _holds_basis(terms: Sequence[Any], s: State) -> bool:
    """Whether basis vectors must keep a size: V has a penalty that shrinks while they grow, and they have none."""
    return _penalties(terms, s, "V") is not None and _penalties(terms, s, "U") is None


def _sized(terms: Sequence[Any], s: State) -> State:
    """V in the size that fits best: all summands are linear in it (without l2) but for Σ x log y."""
    held = _penalties(terms, s, "V")
    (loss,) = (term for term in terms if isinstance(term, Loss))
    linear = float(s.U_sums @ s.V_sums)
    if held is not None:
        if held.l2:
            return s
        linear += held.a * float(on_host(s.data.sums(s.V)).sum())
        if held.graph is not None:
            V = namespace(s.V).maximum(s.V, smallest_normal(s.V))
            linear += held.lam * float(held.graph.energy(V, namespace(V).log(V)))
    mass = loss.mass(s)  # type: ignore[attr-defined]
    return s.replace("V", s.V * (mass / linear)) if mass > 0 and linear > 0 else s


def _smoothed(terms: Sequence[Any], s: State) -> State:
    """V as the graph holds it, in columns where that lowers the bound.

    Where V is smooth, L log V is near LV / V and the bound's minimum near (A + 2 λ L)⁻¹ c: many of Newton's steps from
    a start that is not, such as clusters.
    """
    bound = gather_forms(terms, "bound", s, "V")
    if bound.graph is None:
        return s
    V, xp = _above_zero(s.V), namespace(s.V)
    # One number for each column, where it can be: a graph may have a factorisation for that.
    held = bound.a if isinstance(bound.l2, float) and bound.l2 == 0 else bound.a + bound.l2 * V
    smooth = bound.graph.solve(held, 2 * bound.lam, bound.c, V, reduction=FORCING)
    smooth = _above_zero(xp.maximum(smooth, 0.0))
    lower = column_values(bound, smooth) < column_values(bound, V)
    return s.replace("V", xp.where(backend_of(V).like(lower, V), smooth, V))


def _iterate(terms: Sequence[Any], s: State) -> State:
    s = s.replace("V", improved(gather_forms(terms, "bound", s, "V"), s.V))
    bound = gather_forms(terms, "bound", s, "U")
    if _holds_basis(terms, s):
        return s.replace("U", SimplexBasis().impose(bound.c, s.U))
    return s.replace("U", bound.minimum())


def _further(terms: Sequence[Any], old: State, new: State, rate: float) -> State:
    """P ∘ (P / P_old)^rate for both factors: bounds are cautious, and steps all point the same way for long."""
    V, U = (_overrelaxed(old[block], new[block], rate) for block in ("V", "U"))
    if _holds_basis(terms, new):
        U = SimplexBasis().impose(U, new.U)
    return new.replace("V", V).replace("U", U)


def _overrelaxed(old: Array, new: Array, rate: float) -> Array:
    # Steps are multiplicative: what has become 0 here could never return.
    return backend_of(new).overrelaxed(old, new, rate, MOST_GROWTH, FLOOR * namespace(new).max(new, axis=0))


def column_values(bound: LogBound, V: Array) -> Array:
    """The bound at V, column by column, in float64 on the host."""
    log, own = backend_of(V).log_costs(V, bound.a, bound.c, bound.l2)
    return np.asarray(on_host(own if bound.graph is None else own + bound.lam * bound.graph.energies(V, log)))


def improved(bound: LogBound, V: Array) -> Array:
    """V at the minimum of a bound without a graph; with one, after steps of Newton's that lower every column."""
    if bound.graph is None:
        return bound.minimum()
    V = _above_zero(V)
    values = column_values(bound, V)
    for _ in range(MOST_STEPS):
        before, (V, values) = values, _newton_step(bound, V, values)
        if float(before.sum() - values.sum()) <= PAYS * abs(float(before.sum())):
            break
    return V


def _above_zero(V: Array) -> Array:
    """V with entries of which there are logarithms."""
    xp = namespace(V)
    return xp.maximum(V, max(FLOOR * float(xp.max(V)), smallest_normal(V)))


def _newton_step(bound: LogBound, V: Array, before: Array) -> tuple[Array, Array]:
    """V and the columns' values after one step, which raises none of them above those ``before``.

    In the variables z = (new − v) / √v the Hessian is diag(c/v + λ (d + Wv/v)) − λ W ∘ (√(v/v') + √(v'/v)), v' the
    neighbour's entry: near diag(c/v) + 2 λ L where V is smooth, and that is what is solved with.
    """
    graph, lam, xp = bound.graph, bound.lam, namespace(V)
    assert graph is not None
    degrees = graph.vector(V)[:, None]
    share, root = graph.adjacency(V) / V, xp.sqrt(V)
    # A sample that nothing explains has no curvature of its own.
    own = xp.maximum(bound.c / V, FLOOR * bound.a)
    slope = bound.a - own + bound.l2 * V + lam * (graph.laplacian(xp.log(V)) + degrees - share)
    if graph.factored and bound.a.shape[0] == 1:
        # At the minimum c/v is near a: the factorisation that serves every λ serves this system.
        curvature = bound.a
    else:
        # Where neighbours are larger the curvature is, too.
        curvature = own + bound.l2 * V + lam * xp.maximum(share - degrees, 0)
    relative = graph.solve(curvature, 2 * lam, -root * slope, xp.zeros_like(V), reduction=FORCING) / root
    reached = before

    def trial(lengths: Array) -> Array:
        # Exact for a v − c log v: 1/v moves on a line, and v stays positive (and normal: others count as zero).
        placed = xp.astype(backend_of(V).like(lengths, V), V.dtype, copy=False)
        return xp.maximum(V / xp.maximum(1 - placed * relative, 1 / MOST_GROWTH), smallest_normal(V))

    def values(new: Array) -> Array:
        nonlocal reached
        reached = column_values(bound, new)
        return reached

    found = backtrack(trial, values, before, np.ones(V.shape[1]), tries=HALVINGS)
    return (V, before) if found is None else (found[0], reached)
