"""The papers' multiplicative updates."""

from __future__ import annotations

import numpy as np

from manifact.solvers.engine import Step
from manifact.terms import Term, gather, gather_quadratic
from manifact.terms.state import State


def multiplicative(terms: list[Term]) -> Step:
    """One iteration: V from the old U, then U from the new V."""

    def step(s: State) -> State:
        for block in s.blocks:
            s = multiply(s, terms, block)
        return s

    return step


def signed_multiplicative(terms: list[Term]) -> Step:
    """One iteration for matrices of any sign: the multiplicative rule of non-negative quadratic programming.

    P ← P ∘ (−b + sqrt(b² + 4 (A⁺P)(A⁻P))) / (2 A⁺P) never raises a quadratic with matrix A⁺ − A⁻ (Sha, Saul, Lee 2003).
    """

    def step(s: State) -> State:
        for block in s.blocks:
            positive, negative, linear = gather_quadratic(terms, s, block)
            product = 4 * positive * negative
            root = np.sqrt(linear**2 + product)
            # root − linear without cancellation where linear > 0.
            far = np.maximum(root + linear, np.finfo(root.dtype).tiny)
            s = s.replace(
                block, s.data.rescale(s[block], np.where(linear > 0, product / far, root - linear), 2 * positive)
            )
        return s

    return step


def multiply(s: State, terms: list[Term], block: str) -> State:
    """P ← P ∘ negative / positive; a term that steps implicitly solves for P instead."""
    hook = f"solve_{block}"
    implicit = [term for term in terms if hasattr(term, hook)]
    positive, negative = gather([term for term in terms if term not in implicit], s, block)
    if implicit:
        (term,) = implicit
        return s.replace(block, getattr(term, hook)(s, positive, negative))
    return s.replace(block, s.data.rescale(s[block], negative, positive))
