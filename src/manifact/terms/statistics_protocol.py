"""What statistics of the samples that a stream has seen offer to whoever learns from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from manifact.backends import Array
from manifact.backends.passing_data import lasting_data


@dataclass(frozen=True)
class Hold:
    """What holds each row v of V beside the loss: a graph's shift_j vᵀv − 2 pull_jᵀv, and l1 Σ v + l2/2 vᵀv.

    Beside the divergence the graph's part is shift_j Σ v − pull_jᵀ log v.
    """

    pull: Any = 0.0
    shift: Any = 0.0
    l1: float = 0.0
    l2: float = 0.0


def check_shapes(*arrays: tuple[Array, tuple[int, ...]]) -> None:
    """Each array is of floats, finite, and of its shape."""
    for array, shape in arrays:
        if array.shape != shape or array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ValueError(f"statistics of {array.shape}, not {shape} numbers")


class Basis(NamedTuple):
    """U of some features, and what is summed over all of them: UᵀU or Σ u."""

    U: Array
    sums: Array


class Rows(NamedTuple):
    """V of a block after a step, and the block's loss after it, or before it where that comes with the step."""

    V: Array
    loss: float


class Statistics:
    """Sums over samples that determine the basis."""

    #: Rounds of V and U for one block at the most, and where V is held by more than the loss.
    rounds: ClassVar[int] = 4
    held_rounds: ClassVar[int] = 4
    #: For the first block, whose basis knows nothing yet.
    first_rounds: ClassVar[int] = 4
    #: Rounds of a block end with one that lowers the loss by no more than this share.
    pays: ClassVar[float] = 1e-3
    #: Samples of a block that are learnt from at a time.
    at_once: ClassVar[int] = 1 << 30

    @staticmethod
    def as_data(X: Any, weight: Array | None) -> Any:
        """Γ X of a block, as rounds need it."""
        return lasting_data(X, weight)

    @classmethod
    def empty(cls, m: int, k: int, dtype: Any) -> Self:
        """Of no samples."""
        raise NotImplementedError

    @classmethod
    def of_fit(cls, U: Array, V: Array) -> Self:
        """Of samples that are gone, but for their V: those statistics of which U is the minimiser."""
        raise NotImplementedError

    def check(self, m: int, k: int) -> None:
        """Refuse what a file holds, if it does not belong to m features and k parts."""
        raise NotImplementedError

    def faded(self, share: float) -> Self:
        """Every sample counts by this share of what it did."""
        raise NotImplementedError

    def counted(self, data: Any, lasting: float) -> Self:
        """With what a block says whatever its V is; all before it keep the share ``lasting`` of means over samples."""
        return self

    @classmethod
    def of_block(cls, data: Any, U: Array, V: Array) -> Self:
        """Of a block alone, its rows weighted by γ."""
        raise NotImplementedError

    def joined(self, block: Self) -> Self:
        """With the sums of a block."""
        raise NotImplementedError

    def rescaled(self, lengths: Array) -> Self:
        """As if every V had been multiplied by ``lengths``, column by column, and U divided."""
        raise NotImplementedError

    def of_features(self, some: Array) -> Self:
        """Of these features alone."""
        raise NotImplementedError

    def with_features(self, some: Array, new: Self) -> Self:
        """With what belongs to these features, and to all of them together, replaced."""
        raise NotImplementedError

    def waited(self, after: Self, lasting: float, new: int) -> Array:
        """By how much U changes, column by column, where a block of ``new`` samples had not the feature.

        That is from these sums, which have faded, to those ``after`` the block; see `counted` for ``lasting``.
        """
        raise NotImplementedError

    @classmethod
    def of_basis(cls, U: Array, rest: Any = 0.0) -> Basis:
        """U, with its sums and those of the ``rest`` of the features."""
        raise NotImplementedError

    @staticmethod
    def resized(sums: Array, columns: Array) -> Array:
        """The sums of a basis whose columns are multiplied by these numbers."""
        raise NotImplementedError

    def entering(self, U: Array, rest: Any, m: int) -> Basis:
        """U of the features of a block, out of ``m``, that may have been away for long."""
        return self.of_basis(U, rest)

    def rows(self, data: Any, basis: Basis, V: Array | None, hold: Hold) -> Rows:
        """V of a block, better than the one that is given (None: from the beginning), each row on its own."""
        raise NotImplementedError

    def basis(self, U: Array, costs: Any, l1: float, l2: float) -> Array:
        """U, better than the one that is given, beside l1 Σ u, l2/2 Σ u² and what ‖u_k‖² costs in V's penalties."""
        raise NotImplementedError

    def further(self, old: Array, new: Array) -> Array:
        """Where the basis goes instead of ``new`` in a round that another one follows."""
        return new

    def gained(self, old: Basis, new: Basis, earlier: float, loss: float, share: float) -> float:
        """What a round has lowered, relative to the loss.

        ``earlier`` and ``loss`` are those of the block in the round before and in this one, ``share`` is what the block
        counts for among all samples.
        """
        raise NotImplementedError

    def loss(self, data: Any, basis: Basis, V: Array) -> float | None:
        """Of the block whose sums these are, beside any basis; None where they do not say it to enough digits."""
        raise NotImplementedError

    def sizes(self, U: Array) -> Array | None:
        """The sizes of basis vectors that V takes over after a block; None where any size will do."""
        return None
