"""The papers' multiplicative updates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manifact.backends import Array, namespace, smallest_normal
from manifact.solvers.solver import Memory, solver
from manifact.terms.state import State
from manifact.terms.term import Constraint, gather, gather_forms, gather_quadratic


def feasible(terms: Sequence[Any], s: State) -> State:
    """The state inside every constraint."""
    for term in terms:
        if isinstance(term, Constraint):
            s = term.start(s)
    return s


@solver("mu", needs="gradient", begin=feasible, imposes=(Constraint,), published=True)
def multiplicative(terms: Sequence[Any], s: State, memory: Memory) -> tuple[State, Memory]:
    """One iteration: V from the old U, then U from the new V. A block in no term stays as it is."""
    update = multiply_signed if s.kind == "concepts" and s.data.signed else multiply
    for block in s.blocks:
        s = imposed(terms, update(s, terms, block), s, block)
    return s, memory


def multiply(s: State, terms: Sequence[Any], block: str) -> State:
    """P ← P ∘ (negative / positive), to the power that the terms ask for; a term may solve for P instead."""
    if s.kind == "factors" and all(term.rows_by_sign for term in terms):
        form = gather_forms(terms, "rows", s, block)
        if form is None or form.G is not None:
            return s if form is None else s.replace(block, form.multiplied(s[block]))
    for term in terms:
        if hasattr(term, "implicit"):
            others = gather([other for other in terms if other is not term], s, block)
            new = None if others is None else term.implicit(s, block, *others)
            if new is not None:
                return s.replace(block, new)
    parts = gather(terms, s, block)
    if parts is None:
        return s
    positive, negative = parts
    power = min(term.powers.get(block, 1.0) for term in terms)
    if power == 1:
        return s.replace(block, s.data.rescale(s[block], negative, positive))
    return s.replace(block, s[block] * ratio(s, block, positive, negative) ** power)


def ratio(s: State, block: str, positive: Any, negative: Any) -> Array:
    """What a multiplicative step multiplies by."""
    return s.data.rescale(namespace(s[block]).ones_like(s[block]), negative, positive)


def multiply_signed(s: State, terms: Sequence[Any], block: str) -> State:
    """The multiplicative rule of non-negative quadratic programming, for matrices of any sign.

    P ← P ∘ (−b + sqrt(b² + 4 (A⁺P)(A⁻P))) / (2 A⁺P) never raises a quadratic with matrix A⁺ − A⁻ (Sha, Saul, Lee 2003).
    """
    parts = gather_quadratic(terms, s, block)
    if parts is None:
        return s
    positive, negative, linear = parts
    xp = namespace(s[block])
    product = 4 * positive * negative
    root = xp.sqrt(linear**2 + product)
    # root − linear without cancellation where linear > 0.
    far = xp.maximum(root + linear, smallest_normal(root))
    return s.replace(block, s.data.rescale(s[block], xp.where(linear > 0, product / far, root - linear), 2 * positive))


def imposed(terms: Sequence[Any], new: State, before: State, block: str) -> State:
    """The new state with the constraints on a block imposed."""
    for term in terms:
        if isinstance(term, Constraint) and term.block == block:
            new = new.replace(block, term.impose(new[block], before[block]))
    return new
