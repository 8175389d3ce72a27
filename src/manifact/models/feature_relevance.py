"""Which features tell what a part is: much of the part, and more than elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manifact.backends import Array

#: The weight of p(w | part) beside p(w | part) / p(w) unless somebody says otherwise, as people found topics easiest to
#: name (Sievert, Shirley 2014).
RELEVANCE = 0.6
#: A feature below this share of the part's largest is not shown: at low relevance it might lead for being rare alone.
FLOOR = 0.005


@dataclass(frozen=True)
class Shares:
    """p(w | part), k x m; p(w); p(part)."""

    given_part: Array
    overall: Array
    part: Array


def shares(components: Array, V: Array) -> Shares:
    """Each part as a distribution over features, and their mixture by the weight that V gives to each."""
    U = np.maximum(np.asarray(components, dtype=np.float64), 0)
    mass = U.sum(axis=1)
    given = U / np.where(mass > 0, mass, 1)[:, None]
    weight = np.maximum(V, 0).sum(axis=0, dtype=np.float64) * mass
    weight = weight / weight.sum() if weight.sum() > 0 else np.full(len(U), 1 / len(U))
    return Shares(given, weight @ given, weight)


def relevance_of(given: Array, overall: Array, lam: float) -> Array:
    """λ log p(w | part) + (1 − λ) log p(w | part) / p(w); −∞ where the part has nothing of w."""
    # What only a part that nobody has contains is nowhere: there p(w | part) alone tells.
    beside = np.where(overall > 0, overall, 1.0)
    with np.errstate(divide="ignore"):
        value = np.log(given) - (1 - lam) * np.log(beside)
    return np.where(given > 0, value, -np.inf)


def most_relevant(given: Array, overall: Array, lam: float, n: int) -> Array:
    """The features of a part with most relevance, first first; of those that are alike the earlier."""
    among = np.flatnonzero(given > FLOOR * given.max(initial=0.0))
    value = relevance_of(given[among], overall[among], lam)
    return among[np.lexsort((among, -value))[:n]]


def is_signed(components: Array) -> bool:
    """Whether more than rounding is below zero, as in concepts of signed data."""
    return bool(components.min(initial=0.0) < -1e-9 * np.abs(components).max(initial=0.0))


def ranked(components: Array, V: Array, n: int, lam: float) -> list[Array]:
    """For each part the ``n`` features that tell most about it: by relevance, or by weight where parts are signed."""
    if is_signed(components):
        return most_weight(components, n)
    s = shares(components, V)
    return [most_relevant(given, s.overall, lam, n) for given in s.given_part]


def most_weight(components: Array, n: int) -> list[Array]:
    """For each signed part the features that it has, largest first, then those that it lacks, most lacking first."""
    found = []
    for part in np.asarray(components):
        least = FLOOR * np.abs(part).max(initial=0.0)
        has, lacks = np.flatnonzero(part > least), np.flatnonzero(part < -least)
        first = has[np.argsort(-part[has], kind="stable")]
        found.append(np.concatenate([first, lacks[np.argsort(part[lacks], kind="stable")]])[:n])
    return found


def lacking(name: str) -> str:
    """How a feature is called beside those that a part has, if the part lacks it: its weight is below zero."""
    return f"−{name}"
