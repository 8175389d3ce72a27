"""X by its leading directions, X ~ (X Q) Qᵀ: products of a dense X that cost a fraction of its own.

With r directions an iteration on n x m samples reads (n + m) r numbers instead of n m. What X has in other directions
is left out, so that factors that are best for a sketch are good for X, and a few iterations on X itself settle them.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from manifact.backends import backend_of, namespace
from manifact.backends.factor_operations import FactorOperations
from manifact.backends.protocol import Array, Data, Descent

#: Directions for each part, and the fewest: so many are found together at no more cost.
DIRECTIONS_PER_PART, FEWEST_DIRECTIONS = 4, 54
#: Directions that are carried along while they are looked for.
SPARE = 10
#: Arrays whose products are remembered: those of the last iteration, of the one before, and of one that was tried.
KNOWN = 6
#: Power iterations that find them: the sketch need not be the best there is.
POWER_ITERATIONS = 1


def directions_for(k: int) -> int:
    """How many directions hold what k parts are made of."""
    return max(FEWEST_DIRECTIONS, DIRECTIONS_PER_PART * k)


class SketchedData(FactorOperations):
    """Samples as ``rows`` (n x r) among orthonormal ``directions`` (m x r)."""

    weight = None

    def __init__(self, data: Data, rows: Array, directions: Array) -> None:
        self.data = data
        self.rows = rows
        self.directions = directions
        self.shape = data.shape
        self.dtype = data.dtype
        self.backend = backend_of(rows)
        self._known: deque[tuple[Array, Array]] = deque(maxlen=KNOWN)
        #: Of X itself: what is left out is a constant of the objective.
        self.square_sum = data.square_sum

    @classmethod
    def of(cls, X: Any, data: Data, k: int) -> SketchedData:
        """The sketch of samples for k parts, the same each time."""
        backend = backend_of(X)
        found = backend.leading_directions(X, directions_for(k), iterations=POWER_ITERATIONS)[1]
        Q = backend.kept(namespace(found).astype(found, X.dtype))
        return cls(data, data.times(Q), Q)

    @property
    def squares(self) -> Array:
        """‖x_j‖²."""
        return self.data.squares

    def settled(self, value: float, U: Array, V: Array) -> float:
        """An objective that rounding may have taken below 0; it only says whether to go on."""
        return max(value, 0.0)

    def row(self, j: int) -> Array:
        """A sample as it is."""
        return self.data.row(j)

    def times(self, U: Array) -> Array:
        """(X Q) QᵀU."""
        return self.backend.product(self.rows, self._along(U))

    def times_transposed(self, V: Array) -> Array:
        """Q (X Q)ᵀV."""
        return self.backend.product(self.directions, self._narrow(self.backend.cross(self.rows, V)))

    def descended(
        self, U: Array, V: Array, before: tuple[Array, Array], rate: float, XtV: Array, sweeps: int
    ) -> Descent | None:
        """Both factors in one pass over rows and directions each, where the backend has one."""
        drawn = self._along(XtV) if rate else None
        along = self._along(U)
        along = along if rate == 0 else self.backend.ahead(along, self._along(before[0]), rate)
        found = self.backend.sketched_descent(self.rows, self.directions, U, V, before, rate, along, drawn, sweeps)
        if found is None:
            return None
        descent, along, drawn = found
        self._known.extend(((descent.U, along), (descent.XtV, drawn)))
        return descent

    def _along(self, P: Array) -> Array:
        """QᵀP, which is known of what came of the last iterations."""
        for array, product in self._known:
            if array is P:
                return product
        return self._narrow(self.backend.cross(self.directions, P))

    def _narrow(self, P: Array) -> Array:
        return namespace(P).astype(P, self.rows.dtype, copy=False)
