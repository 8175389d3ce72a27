"""Which features tell what a part is: much of the part, and more than elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from manifact.backends import Array, on_host
from manifact.models.feature_names import feature_names
from manifact.utils import checks
from manifact.utils.errors import BadTypeError, BadValueError

#: The weight of p(w | part) beside p(w | part) / p(w) unless somebody says otherwise, as people found topics easiest to
#: name (Sievert, Shirley 2014).
RELEVANCE = 0.6
#: A feature below this share of the part's largest is not shown: at low relevance it might lead for being rare alone.
FLOOR = 0.005


class TopFeatures:
    """What a factorisation says of its parts in words."""

    components_: Array
    representation_: Array

    def top_features(
        self, n: int = 10, relevance: float = RELEVANCE, names: Sequence[str] | None = None
    ) -> list[list[Any]]:
        """The ``n`` features that tell most about each part, first first.

        By r log p(w | part) + (1 − r) log(p(w | part) / p(w)) with r the ``relevance`` (Sievert, Shirley 2014): 1 ranks
        by weight in the part, where words that all parts share come first; 0 by how much a feature is this part's
        alone. p(w | part) is the part's share of weight on w, p(w) their mean by the weight that V gives to each part.
        Features below 0.5 % of the part's largest weight are left out: a part may have fewer than ``n``, an empty one
        none. Parts with negative weights, as in concept factorisation of signed data, have no shares: their
        features are ranked by size, whatever the sign.

        ``names`` are those of the features; None takes them from the data that was fitted (a data frame, or a file on
        the command line). Without any, features are numbers of columns.
        """
        check_is_fitted(self)
        checks.integer("n", n, at_least=1)
        checks.real("relevance", relevance, at_least=0, at_most=1)
        components = np.asarray(on_host(self.components_))
        called = feature_names(self) if names is None else names
        if called is not None and isinstance(called, str | bytes):
            raise BadTypeError("{names}={!r} must be a sequence of {} names", called, components.shape[1])
        if called is not None and len(called) != components.shape[1]:
            raise BadValueError(
                "{names} holds {} names but the model has {} features: give one for each",
                len(called),
                components.shape[1],
            )
        order = ranked(components, on_host(self.representation_), n, float(relevance))
        return [row.tolist() if called is None else [str(called[i]) for i in row] for row in order]


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
    with np.errstate(divide="ignore", invalid="ignore"):
        value = lam * np.log(given) + (1 - lam) * np.log(given / overall)
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
    """For each part the ``n`` features that tell most about it: by relevance, or by size where parts are signed."""
    if is_signed(components):
        return largest(components, n)
    s = shares(components, V)
    return [most_relevant(given, s.overall, lam, n) for given in s.given_part]


def largest(components: Array, n: int) -> list[Array]:
    """For each part the features of largest size, whatever their sign, largest first."""
    order = np.argsort(-np.abs(components), axis=1, kind="stable")[:, :n]
    return [row[np.abs(part[row]) > 0] for row, part in zip(order, components, strict=True)]
