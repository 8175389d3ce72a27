"""What a loss must know of all samples that it has seen to improve the basis: sums that fade, and nothing per sample.

Sample j counts by ρ_j, which shrinks as later ones come. Statistics are sums over samples with the V that these had
when they were seen; they give the loss of all of them as a function of U alone (of the squared error), or a bound that
lies above it (of the divergence). Objects are replaced, not changed; they live on the host.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from manifact.backends import Array, backend_of, smallest_normal
from manifact.terms.forms import LogBound, RowQuadratic
from manifact.utils.stored_classes import stored

#: Sweeps of exact coordinate steps over the rows of V where a block begins, where it goes on, and over the rows of U.
FIRST_SWEEPS, ROW_SWEEPS, BASIS_SWEEPS = 10, 2, 2
#: Beside the mean of its column no entry of a basis falls below this: a feature that is seen for the first time could
#: never grow from 0 by steps that multiply.
FLOOR = 1e-4
#: Beyond the minimum of a bound an entry goes by this factor at the most.
MOST_GROWTH = 10.0


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
    #: Samples of a block that are learnt from at a time.
    at_once: ClassVar[int] = 1 << 30

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

    def joined(self, data: Any, U: Array, V: Array) -> Self:
        """With the sums of a block, its rows weighted by γ."""
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

    def rest(self, U: Array) -> Any:
        """What `rows` must know of the basis of features that a block does not have."""
        raise NotImplementedError

    def rows(self, data: Any, U: Array, V: Array | None, hold: Hold, rest: Any = 0.0) -> Rows:
        """V of a block, better than the one that is given (None: from the beginning), each row on its own."""
        raise NotImplementedError

    def basis(self, U: Array, costs: Any, l1: float, l2: float) -> Array:
        """U, better than the one that is given, beside l1 Σ u, l2/2 Σ u² and what ‖u_k‖² costs in V's penalties."""
        raise NotImplementedError

    def further(self, old: Array, new: Array) -> Array:
        """Where the basis goes instead of ``new`` in a round that another one follows."""
        return new

    def gained(self, old: Array, new: Array, earlier: float, loss: float, share: float) -> float:
        """What a round has lowered, relative to the loss.

        ``earlier`` and ``loss`` are those of the block in the round before and in this one, ``share`` is what the block
        counts for among all samples.
        """
        raise NotImplementedError

    def sizes(self, U: Array) -> Array | None:
        """The sizes of basis vectors that V takes over after a block; None where any size will do."""
        return None


@stored(G="G", B="B")
@dataclass(frozen=True, eq=False)
class QuadraticStatistics(Statistics):
    """G = Σ ρ γ v vᵀ and B = Σ ρ γ x vᵀ: Σ ρ γ ‖x − U v‖² = Tr(U G Uᵀ) − 2 <B, U> + const."""

    G: Array
    B: Array

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

    def joined(self, data: Any, U: Array, V: Array) -> Self:
        return replace(self, G=self.G + data.gram(V), B=self.B + data.times_transposed(V))

    def rescaled(self, lengths: Array) -> Self:
        B = backend_of(self.B).scale(self.B, columns=lengths)
        return replace(self, G=self.G * np.outer(lengths, lengths), B=B)

    def of_features(self, some: Array) -> Self:
        return replace(self, B=self.B[some])

    def with_features(self, some: Array, new: Self) -> Self:
        B = self.B.copy()
        B[some] = new.B
        return replace(new, B=B)

    def rest(self, U: Array) -> Array:
        """Of UᵀU."""
        return U.T @ U

    def rows(self, data: Any, U: Array, V: Array | None, hold: Hold, rest: Any = 0.0) -> Rows:
        """Exact coordinate steps."""
        G, B = U.T @ U + rest, data.times(U)
        form = RowQuadratic(G, B + hold.pull, data.weight, hold.shift + hold.l2 / 2, l1=hold.l1 / 2)
        V = form.lowered(np.zeros_like(B), FIRST_SWEEPS) if V is None else form.lowered(V, ROW_SWEEPS)
        return Rows(V, data.square_sum - data.inner(2 * B - data.weighted(V @ G), V))

    def basis(self, U: Array, costs: Any, l1: float, l2: float) -> Array:
        """Exact coordinate steps."""
        G = self.G + np.diag(np.broadcast_to(costs, len(self.G)))
        return RowQuadratic(G, self.B, shift=l2 / 2, l1=l1 / 2).lowered(U, BASIS_SWEEPS)

    def gained(self, old: Array, new: Array, earlier: float, loss: float, share: float) -> float:
        """By the step of the basis, for all samples, whose loss is as the block's: known without another product."""
        slopes = (old + new) @ self.G.astype(new.dtype)
        slopes -= 2 * self.B
        return float(backend_of(new).inner(old - new, slopes)) * share / max(loss, smallest_normal(new))


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

    def faded(self, share: float) -> Self:
        C = backend_of(self.C).scale(self.C, columns=share)
        return replace(self, C=C, sums=self.sums * share, weight=self.weight * share)

    def counted(self, data: Any, lasting: float) -> Self:
        n = data.shape[0]
        entries = data.times_transposed(np.ones((n, 1), dtype=data.dtype))[:, 0]
        return replace(self, means=lasting * self.means + (1 - lasting) / n * entries, weight=self.weight + n)

    def joined(self, data: Any, U: Array, V: Array) -> Self:
        C = data.ratio_times_transposed(U, V)
        C *= U
        C += self.C
        return replace(self, C=C, sums=self.sums + data.weighted_sums(V))

    def rescaled(self, lengths: Array) -> Self:
        return replace(self, sums=self.sums * lengths)

    def of_features(self, some: Array) -> Self:
        return replace(self, C=self.C[some], means=self.means[some])

    def with_features(self, some: Array, new: Self) -> Self:
        C = self.C.copy()
        C[some] = new.C
        return replace(new, C=C, means=self.means)

    def rest(self, U: Array) -> Array:
        """Of Σ u."""
        return backend_of(U).column_sums(U)

    def rows(self, data: Any, U: Array, V: Array | None, hold: Hold, rest: Any = 0.0) -> Rows:
        """To the minimum of the bound for V, and further."""
        sums = (backend_of(U).column_sums(U) + rest)[None, :]
        shift = hold.shift[:, None] if getattr(hold.shift, "ndim", 0) == 1 else hold.shift
        a = ((sums if data.weight is None else data.weight[:, None] * sums) + shift + hold.l1).astype(U.dtype)
        if V is None:
            V = self._even_rows(data, a, hold)
        ratios, logarithms = data.ratio_times(U, V)
        loss = data.entropy_sum - logarithms + float(sums[0] @ data.weighted_sums(V))
        return Rows(_further(V, LogBound(a, V * ratios + hold.pull, hold.l2).minimum(), a), loss)

    def _even_rows(self, data: Any, a: Array, hold: Hold) -> Array:
        """Rows of equal entries, of the size that the sample and its neighbours ask for."""
        totals = data.times(np.ones((data.shape[1], 1), dtype=data.dtype))
        if getattr(hold.pull, "ndim", 0) == 2:
            totals = totals + hold.pull.sum(axis=1, keepdims=True)
        even = totals / np.maximum(a.sum(axis=1, keepdims=True), smallest_normal(a))
        return np.array(np.broadcast_to(even, (data.shape[0], a.shape[1])), dtype=a.dtype, order="C")

    def basis(self, U: Array, costs: Any, l1: float, l2: float) -> Array:
        """The minimum of the bound; with the totals of features, where no penalty lowers these."""
        new = LogBound((self.sums + l1).astype(U.dtype)[None, :], self.C, l2).minimum()
        if l1 == 0 == l2:
            held = np.maximum(self.C @ np.ones(U.shape[1], dtype=U.dtype), smallest_normal(U))
            new = backend_of(new).scale(new, rows=(self.means * self.weight / held).astype(U.dtype))
        return np.maximum(new, (FLOOR * new.mean(axis=0, dtype=np.float64)).astype(U.dtype))

    def further(self, old: Array, new: Array) -> Array:
        return _further(old, new, self.sums.astype(new.dtype)[None, :])

    def gained(self, old: Array, new: Array, earlier: float, loss: float, share: float) -> float:
        """By V and U, for the block: its loss comes with each round."""
        return (earlier - loss) * share / max(loss, smallest_normal(new))

    def sizes(self, U: Array) -> Array:
        """Σ u: sums of V of other blocks would mean something else in another size."""
        sums = backend_of(U).column_sums(U)
        return np.where(sums > 0, sums, 1.0)


def _further(old: Array, new: Array, a: Array) -> Array:
    """A step and three quarters of it again, since bounds are cautious; Σ_k a_k p_k of each row stays, as it is right.

    Without that V and U would outgrow each other.
    """
    # Roots, which are quicker than powers: this goes over the basis in every round.
    change = np.maximum(old, smallest_normal(old))
    np.divide(new, change, out=change)
    np.maximum(change, 1 / MOST_GROWTH, out=change)
    np.minimum(change, MOST_GROWTH, out=change)
    far = new * np.sqrt(change, out=change)
    far *= np.sqrt(change, out=change)
    right, found = _products(new, a), _products(far, a)
    return backend_of(new).scale(far, rows=np.where(found > 0, right / np.where(found > 0, found, 1), 1))


def _products(P: Array, a: Array) -> Array:
    """Σ_k a_k p_k of every row."""
    return P @ a[0] if len(a) == 1 else np.einsum("jk,jk->j", P, a)
