"""What a search for neighbours compares: the samples as they are, their square roots, or their leading directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from manifact.backends import Array, backend_of, host_dtype, on_host
from manifact.utils.array_checks import Numbers
from manifact.utils.errors import BadValueError
from manifact.utils.progress import steps
from manifact.utils.stored_classes import stored

#: Entries whose squares are safe; others are scaled first.
SAFE = (1e-100, 1e100)
#: A sample with no more than this share of its length in the directions has only rounding there.
OUTSIDE = 1e-6


class Directions(NamedTuple):
    """The leading singular values s and right singular vectors Q of samples at unit length."""

    s: Array
    Q: Array

    @classmethod
    def of(cls, X: Any, directions: int, roots: bool = False, random_state: Any = 0) -> Directions:
        """At most so many directions of the samples (of their square roots): fewer where there are no more.

        The leading ones of many are those of fewer, so that one decomposition serves every number of directions.
        """
        X = _safe(_rooted(X) if roots else X)
        lengths = row_lengths(X)
        scale = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        found = backend_of(X).leading_directions(X, min(directions, *X.shape), random_state, scale, progress=steps)
        return cls(on_host(found[0]), on_host(found[1]))

    def axes(self, directions: int, balance: float) -> Array:
        """Q diag(s^(−balance)) of the leading directions, the longest of which keeps its length."""
        s, Q = self.s[:directions], self.Q[:, :directions]
        # Relative to the longest: the scale of all is gone at unit length.
        return Q * (s / s.max(initial=0.0)) ** -balance


def _fits(facts: Mapping[str, Any]) -> None:
    width, axes = facts["width"], facts["axes"]
    if not (isinstance(width, int) and width >= 0 and isinstance(facts["roots"], bool)):
        raise ValueError(f"a view of {width!r} features, roots={facts['roots']!r}")
    if axes is not None:
        Numbers(("features", "directions")).check("axes", axes, {"features": width})


@stored(_fits, width="width", roots="roots", axes="axes")
class View:
    """z = x Q diag(s^(−balance)) at unit length, X ~ P diag(s) Qᵀ; x may be made of square roots first.

    Without directions z is x: as it is, or with roots at unit length. Samples without entries, or with none in the
    directions, have z = 0.

    >>> X = np.array([[4.0, 0.0], [9.0, 16.0]])
    >>> View.fit(X, roots=True).features(X)
    array([[1. , 0. ],
           [0.6, 0.8]])
    """

    def __init__(self, width: int, roots: bool = False, axes: Array | None = None) -> None:
        """``axes`` are Q diag(s^(−balance)), width x d; None where all features are compared."""
        self.width = width
        self.roots = roots
        self.axes = axes

    @classmethod
    def fit(
        cls,
        X: Any,
        roots: bool = False,
        directions: int | None = None,
        balance: float = 0.0,
        svd: Directions | None = None,
        random_state: Any = 0,
    ) -> View:
        """The view of samples; ``svd``, if it is known, has their directions, as many as asked for or more."""
        if directions is None:
            return cls(X.shape[1], roots)
        if svd is None:
            svd = Directions.of(X, directions, roots, random_state)
        return cls(X.shape[1], roots, svd.axes(directions, balance))

    @property
    def plain(self) -> bool:
        """Whether samples are compared as they are, at their own lengths."""
        return self.axes is None and not self.roots

    @property
    def n_compared(self) -> int:
        """How many features are compared."""
        return self.width if self.axes is None else int(self.axes.shape[1])

    def features(self, X: Any) -> Any:
        """The samples as they are compared; equal ones stay equal."""
        if self.plain:
            return X
        X = _safe(_rooted(X) if self.roots else X)
        backend = backend_of(X)
        if self.axes is None:
            return backend.rows.at_unit_length(X)
        Z = backend.projected(X, self.axes)
        longest = np.sqrt(np.einsum("ij,ij->j", self.axes, self.axes).max(initial=0.0))
        lengths = backend.rows.lengths(Z)
        # Divided by infinity, what is only rounding becomes 0.
        lengths[lengths <= OUTSIDE * longest * row_lengths(X)] = np.inf
        Z = backend.rows.typed(Z / backend.like(lengths[:, None], X), host_dtype(X))
        # Products in blocks may end in other digits where a row stands elsewhere in its block.
        return backend.rows.taken(Z, backend.rows.first_equal(X))

    def __repr__(self) -> str:
        shown = "" if self.axes is None else f", directions={self.axes.shape[1]}"
        return f"{type(self).__name__}(width={self.width}, roots={self.roots}{shown})"


def _rooted(X: Any) -> Any:
    """Square roots of the entries."""
    rows = backend_of(X).rows
    least = rows.extent(X)[0]
    if least < 0:
        raise BadValueError(
            "{roots}=True takes square roots of the entries, and one is negative ({:g}): use {roots}=False", least
        )
    return rows.square_roots(X)


def _safe(X: Any) -> Any:
    """X on a scale on which squares neither overflow nor vanish."""
    rows = backend_of(X).rows
    largest = max(map(abs, rows.extent(X)))
    return X if largest == 0 or SAFE[0] < largest < SAFE[1] else rows.over(X, largest)


def row_lengths(X: Any) -> Array:
    """‖x_j‖ of every row."""
    return backend_of(X).rows.lengths(X)
