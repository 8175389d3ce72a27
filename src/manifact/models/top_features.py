"""The features that tell what a part is, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from manifact.backends import Array, on_host
from manifact.models.feature_names import feature_names
from manifact.models.feature_relevance import RELEVANCE, is_signed, lacking, ranked
from manifact.utils import checks
from manifact.utils.errors import BadTypeError, BadValueError


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
        none. Parts with negative weights, as in concept factorisation of signed data, have no shares: features
        that a part has come first, by weight, and where these are fewer than ``n`` those that it lacks follow, named
        with a minus sign ("−HLA-DRA").

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
        if called is None:
            return [row.tolist() for row in order]
        signed = is_signed(components)
        return [
            [lacking(str(called[i])) if signed and part[i] < 0 else str(called[i]) for i in row]
            for part, row in zip(components, order, strict=True)
        ]
