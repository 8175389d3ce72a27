"""What a loss must know of all samples that it has seen to improve the basis: sums that fade, and nothing per sample.

Sample j counts by ρ_j, which shrinks as later ones come. Statistics are sums over samples with the V that these had
when they were seen; they give the loss of all of them as a function of U alone (of the squared error), or a bound that
lies above it (of the divergence). Objects are replaced, not changed; they live on the host.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from manifact.backends import Array, backend_of, smallest_normal
from manifact.backends.passing_data import passing_data
from manifact.backends.threads import over_rows
from manifact.terms.forms import LogBound, RowQuadratic
from manifact.terms.statistics_protocol import Basis, Hold, Rows, Statistics, check_shapes
from manifact.utils.stored_classes import stored

#: Sweeps of exact coordinate steps over the rows of V where a block begins, where it goes on, and over the rows of U:
#: where V is held by more than the loss, and where more of them end no lower after a few passes.
FIRST_SWEEPS, ROW_SWEEPS, HELD_SWEEPS, BASIS_SWEEPS = 10, 2, 2, 1
#: Beside the mean of its column no entry of a basis falls below this: a feature that is seen for the first time could
#: never grow from 0 by steps that multiply.
FLOOR = 1e-4
#: Differences of squares of fewer units in the last place are no loss.
LOST_DIGITS = 1e5
#: Beyond the minimum of a bound an entry goes by this factor at the most.
MOST_GROWTH = 10.0
#: Entries of a basis that are worked on at a time, and what one costs in multiply-adds.
ENTRIES_AT_ONCE, COST = 1 << 15, 20


@stored(G="G", B="B")
@dataclass(frozen=True, eq=False)
class QuadraticStatistics(Statistics):
    """G = Σ ρ γ v vᵀ and B = Σ ρ γ x vᵀ: Σ ρ γ ‖x − U v‖² = Tr(U G Uᵀ) − 2 <B, U> + const."""

    G: Array
    B: Array

    @staticmethod
    def as_data(X: Any, weight: Array | None) -> Any:
        """Most blocks have one round, too few to turn X round for them."""
        return passing_data(X, weight)

    @classmethod
    def empty(cls, m: int, k: int, dtype: Any) -> Self:
        return cls(np.zeros((k, k)), np.zeros((m, k), dtype=dtype))

    @classmethod
    def of_fit(cls, U: Array, V: Array) -> Self:
        """B = U G: the gradient vanishes at U."""
        G = backend_of(V).cross(V, V)
        return cls(G, U @ G.astype(U.dtype))

    def check(self, m: int, k: int) -> None:
        check_shapes((self.G, (k, k)), (self.B, (m, k)))

    def faded(self, share: float) -> Self:
        return replace(self, G=self.G * share, B=backend_of(self.B).scale(self.B, columns=share))

    @classmethod
    def of_block(cls, data: Any, U: Array, V: Array) -> Self:
        return cls(data.gram(V), data.times_transposed(V))

    def joined(self, block: Self) -> Self:
        return type(self)(self.G + block.G, self.B + block.B)

    def rescaled(self, lengths: Array) -> Self:
        B = backend_of(self.B).scale(self.B, columns=lengths)
        return replace(self, G=self.G * np.outer(lengths, lengths), B=B)

    def of_features(self, some: Array) -> Self:
        return replace(self, B=self.B[some])

    def with_features(self, some: Array, new: Self) -> Self:
        B = self.B.copy()
        B[some] = new.B
        return type(self)(new.G, B)

    def waited(self, after: Self, lasting: float, new: int) -> Array:
        """B has faded, and G is of all samples: exact where columns of V do not overlap."""
        faded, now = np.diag(self.G), np.diag(after.G)
        return np.divide(faded, now, out=np.ones_like(now), where=now > 0)

    @classmethod
    def of_basis(cls, U: Array, rest: Any = 0.0) -> Basis:
        return Basis(U, backend_of(U).cross(U, U) + rest)

    @staticmethod
    def resized(sums: Array, columns: Array) -> Array:
        return sums * np.outer(columns, columns)

    def rows(self, data: Any, basis: Basis, V: Array | None, hold: Hold) -> Rows:
        """Exact coordinate steps."""
        B = data.times(basis.U)
        G = basis.sums.astype(B.dtype)
        form = RowQuadratic(G, B + hold.pull, data.weight, hold.shift + hold.l2 / 2, l1=hold.l1 / 2)
        V = form.lowered(np.zeros_like(B), FIRST_SWEEPS) if V is None else form.lowered(V, ROW_SWEEPS)
        return Rows(V, _square_sum(data) - data.inner(2 * B - data.weighted(V @ G), V))

    def basis(self, U: Array, costs: Any, l1: float, l2: float) -> Array:
        """Exact coordinate steps."""
        G = self.G + np.diag(np.broadcast_to(costs, len(self.G)))
        sweeps = HELD_SWEEPS if np.ndim(costs) else BASIS_SWEEPS
        return RowQuadratic(G, self.B, shift=l2 / 2, l1=l1 / 2).lowered(U, sweeps)

    def gained(self, old: Basis, new: Basis, earlier: float, loss: float, share: float) -> float:
        """By the step of the basis, for all samples, whose loss is as the block's: known without another product."""
        return (self._without_squares(old) - self._without_squares(new)) * share / max(loss, smallest_normal(new.U))

    def loss(self, data: Any, basis: Basis, V: Array) -> float | None:
        square = _square_sum(data)
        value = square + self._without_squares(basis)
        return value if value > LOST_DIGITS * float(np.finfo(data.dtype).eps) * square else None

    def _without_squares(self, basis: Basis) -> float:
        """Tr(U G Uᵀ) − 2 <B, U>."""
        return float(np.sum(self.G * basis.sums) - 2 * backend_of(basis.U).inner(self.B, basis.U))


def _square_sum(data: Any) -> float:
    """Σ γ_j x_ji², without the squares of each sample."""
    if data.weight is not None or not sparse.issparse(data.X):
        return float(data.square_sum)
    x = data.X.data.astype(np.float64)
    return float(x @ x)


@stored(C="C", sums="sums", means="means", weight="weight")
@dataclass(frozen=True, eq=False)
class DivergenceStatistics(Statistics):
    """C = Σ ρ γ u ∘ (x / y) vᵀ and a = Σ ρ γ v: Σ ρ γ KL(x ‖ U v) ≤ Σ a u − C log u + const (Jensen's inequality).

    At the minimum for all samples each feature has its total, Σ_k u_ik a_k = Σ ρ γ x_i. Few samples say all there is to
    know of a rare feature, and they fade; so the totals are made of a mean over all samples, and C says how a feature
    is divided among the parts.
    """

    C: Array
    sums: Array
    #: Of γ x, over the samples that were seen, none of them faded; Σ ρ.
    means: Array
    weight: float

    rounds: ClassVar[int] = 30
    held_rounds: ClassVar[int] = 8
    first_rounds: ClassVar[int] = 30
    pays: ClassVar[float] = 2e-3
    at_once: ClassVar[int] = 1024

    @classmethod
    def empty(cls, m: int, k: int, dtype: Any) -> Self:
        return cls(np.zeros((m, k), dtype=dtype), np.zeros(k), np.zeros(m), 0.0)

    @classmethod
    def of_fit(cls, U: Array, V: Array) -> Self:
        """C = U ∘ a: the bound has its minimum at U."""
        sums = backend_of(V).column_sums(V)
        C = backend_of(U).scale(U, columns=sums)
        return cls(C, sums, C.sum(axis=1, dtype=np.float64) / len(V), float(len(V)))

    def check(self, m: int, k: int) -> None:
        check_shapes((self.C, (m, k)), (self.sums, (k,)), (self.means, (m,)))
        if not isinstance(self.weight, float) or not 0 <= self.weight < np.inf:
            raise ValueError(f"statistics that count for {str(self.weight)[:40]!r}")

    def faded(self, share: float) -> Self:
        C = backend_of(self.C).scale(self.C, columns=share)
        return replace(self, C=C, sums=self.sums * share, weight=self.weight * share)

    def counted(self, data: Any, lasting: float) -> Self:
        n = data.shape[0]
        entries = data.times_transposed(np.ones((n, 1), dtype=data.dtype))[:, 0]
        return replace(self, means=lasting * self.means + (1 - lasting) / n * entries, weight=self.weight + n)

    @classmethod
    def of_block(cls, data: Any, U: Array, V: Array) -> Self:
        C = data.ratio_times_transposed(U, V)
        C *= U
        return cls(C, data.weighted_sums(V), np.zeros(len(U)), 0.0)

    def joined(self, block: Self) -> Self:
        return type(self)(self.C + block.C, self.sums + block.sums, self.means, self.weight)

    def rescaled(self, lengths: Array) -> Self:
        return replace(self, sums=self.sums * lengths)

    def of_features(self, some: Array) -> Self:
        return replace(self, C=self.C[some], means=self.means[some])

    def with_features(self, some: Array, new: Self) -> Self:
        C = self.C.copy()
        C[some] = new.C
        return replace(new, C=C, means=self.means)

    def waited(self, after: Self, lasting: float, new: int) -> Array:
        """Exactly: fading changes no direction in C, and the feature keeps its total, which is of all samples."""
        sums = np.divide(self.sums, after.sums, out=np.ones_like(after.sums), where=after.sums > 0)
        return sums * (lasting * self.weight / (self.weight - new))

    @classmethod
    def of_basis(cls, U: Array, rest: Any = 0.0) -> Basis:
        return Basis(U, backend_of(U).column_sums(U) + rest)

    @staticmethod
    def resized(sums: Array, columns: Array) -> Array:
        return sums * columns

    def entering(self, U: Array, rest: Any, m: int) -> Basis:
        sums = self.of_basis(U, rest).sums
        return self.of_basis(np.maximum(U, (FLOOR / m * sums).astype(U.dtype)), rest)

    def rows(self, data: Any, basis: Basis, V: Array | None, hold: Hold) -> Rows:
        """To the minimum of the bound for V, and further."""
        U, sums = basis.U, basis.sums[None, :]
        shift = hold.shift[:, None] if getattr(hold.shift, "ndim", 0) == 1 else hold.shift
        a = ((sums if data.weight is None else data.weight[:, None] * sums) + shift + hold.l1).astype(U.dtype)
        if V is None:
            V = self._even_rows(data, a, hold)
        ratios, logarithms = data.ratio_times(U, V)
        loss = self._summed(data, basis, V, logarithms)
        return Rows(_further(V, LogBound(a, V * ratios + hold.pull, hold.l2).minimum(), a), loss)

    def loss(self, data: Any, basis: Basis, V: Array) -> float:
        return self._summed(data, basis, V, data.ratio_times(basis.U, V)[1])

    def _summed(self, data: Any, basis: Basis, V: Array, logarithms: float) -> float:
        return float(data.entropy_sum - logarithms + basis.sums @ data.weighted_sums(V))

    def _even_rows(self, data: Any, a: Array, hold: Hold) -> Array:
        """Rows of equal entries, of the size that the sample and its neighbours ask for."""
        totals = data.times(np.ones((data.shape[1], 1), dtype=data.dtype))
        if getattr(hold.pull, "ndim", 0) == 2:
            totals = totals + hold.pull.sum(axis=1, keepdims=True)
        even = totals / np.maximum(a.sum(axis=1, keepdims=True), smallest_normal(a))
        return np.array(np.broadcast_to(even, (data.shape[0], a.shape[1])), dtype=a.dtype, order="C")

    def basis(self, U: Array, costs: Any, l1: float, l2: float) -> Array:
        """The minimum of the bound; with the totals of features, where no penalty lowers these."""
        sums = (self.sums + l1).astype(U.dtype)
        if l1 or l2:
            return self._above_floor(LogBound(sums[None, :], self.C, l2).minimum())
        # Features have their totals: a_i c_ik / sums_k with the a_i that Σ_k u_ik sums_k, a_i Σ_k c_ik, asks for.
        held = np.maximum(self.C @ np.ones(U.shape[1], dtype=U.dtype), smallest_normal(U))
        totals = (self.means * self.weight / held).astype(U.dtype)
        columns = 1 / np.maximum(sums, smallest_normal(U))
        return self._above_floor(backend_of(U).scale(self.C, rows=totals, columns=columns))

    def _above_floor(self, U: Array) -> Array:
        return np.maximum(U, (FLOOR / len(U) * backend_of(U).column_sums(U)).astype(U.dtype), out=U)

    def further(self, old: Array, new: Array) -> Array:
        return _further(old, new, self.sums.astype(new.dtype)[None, :])

    def gained(self, old: Basis, new: Basis, earlier: float, loss: float, share: float) -> float:
        """By V and U, for the block: its loss comes with each round."""
        return (earlier - loss) * share / max(loss, smallest_normal(new.U))

    def sizes(self, U: Array) -> Array:
        """Σ u: sums of V of other blocks would mean something else in another size."""
        sums = backend_of(U).column_sums(U)
        return np.where(sums > 0, sums, 1.0)


def _further(old: Array, new: Array, a: Array) -> Array:
    """A step and three quarters of it again, since bounds are cautious; Σ_k a_k p_k of each row stays, as it is right.

    Without that V and U would outgrow each other.
    """
    out = np.empty_like(new)
    over_rows(_go_further, len(new), COST * new.size, old, new, a, out)
    return out


def _go_further(old: Array, new: Array, a: Array, out: Array, start: int, stop: int) -> None:
    """A few rows at a time, so that what is made of them stays in the cache."""
    tiny, height = smallest_normal(old), max(1, ENTRIES_AT_ONCE // old.shape[1])
    for first in range(start, stop, height):
        rows = slice(first, min(first + height, stop))
        # Roots, which are quicker than powers: this goes over the basis in every round.
        change = np.maximum(old[rows], tiny)
        np.divide(new[rows], change, out=change)
        np.minimum(np.maximum(change, 1 / MOST_GROWTH, out=change), MOST_GROWTH, out=change)
        far = np.sqrt(change, out=change)
        far = np.multiply(new[rows], far * np.sqrt(far), out=out[rows])
        own = a if len(a) == 1 else a[rows]
        right, found = _products(new[rows], own), _products(far, own)
        far *= np.divide(right, found, out=np.ones_like(found), where=found > 0)[:, None]


def _products(P: Array, a: Array) -> Array:
    """Σ_k a_k p_k of every row."""
    return P @ a[0] if len(a) == 1 else np.einsum("jk,jk->j", P, a)
