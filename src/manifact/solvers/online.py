"""A basis that learns from one block of samples after another and forgets each block but for sums.

With ρ_j what a sample still counts for, the basis lowers Σ_j ρ_j f(x_j, U v_j) for the v_j that samples had when they
were seen, and the samples of the block before it Σ_j f(x_j, U v_j) + λ Σ_jl z_jl ‖v_j − r_l‖² over V as well, in turns:
several rounds of V and U, and all that is left of the block are its sums. Without forgetting, and with every block
seen again and again, this is block coordinate descent on the objective of `fit`.
(For the divergence a sample is held near its landmarks by λ Σ_l z_jl KL(r_l ‖ v_j), as the published rule has it.)

Early samples were seen with a poor basis: after s samples those at position t count by (t/s)^3, so that the sums are
made of about the last quarter of all there was, and after four passes of the last one (J. Mairal, F. Bach, J. Ponce,
G. Sapiro. Online learning for matrix factorization and sparse coding. JMLR 11, 2010, section 3.4).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from manifact.backends import Array, backend_of
from manifact.graphs.landmark_means import LandmarkMeans
from manifact.terms.statistics_protocol import Basis, Hold, Statistics
from manifact.utils.sparse_matrices import only_columns, present_columns
from manifact.utils.stored_classes import stored

#: How fast early samples fade where no window is given.
POWER = 3.0
#: Where a block has a smaller share of the features, only their rows of U move while V does.
FEW_FEATURES = 0.75


def shares(seen: int, new: int, window: float | None) -> tuple[float, float]:
    """What all samples before a block count for beside it: in sums with their V, and in means that do not know V."""
    even = seen / (seen + new)
    if window is None:
        return even**POWER, even
    return (fading := math.exp(-new / window)), min(even, fading)


def check_stream(seen: Any, weight: Any, ties: LandmarkMeans | None, m: int, k: int) -> None:
    """Refuse what a file says of a stream, if it cannot be."""
    if not isinstance(seen, int) or seen < 1 or not isinstance(weight, float) or not 0 < weight <= seen:
        raise ValueError(f"a stream of {seen!r} samples that count for {weight!r}")
    if ties is not None and (ties.landmarks.shape[1] != m or ties.sums.shape[1] != k):
        raise ValueError(f"landmarks of {ties.landmarks.shape[1]} features and {ties.sums.shape[1]} parts")


@stored(statistics="statistics", squares="squares", sums="sums", seen="seen", weight="weight", ties="ties")
@dataclass(frozen=True, eq=False)
class Stream:
    """All that is kept of the samples of a stream."""

    statistics: Statistics
    #: Σ ρ v² and Σ ρ v of every column.
    squares: Array
    sums: Array
    #: The number of samples, and Σ ρ.
    seen: int
    weight: float
    #: V at the landmarks of a graph.
    ties: LandmarkMeans | None = None

    @classmethod
    def empty(cls, kind: type[Statistics], m: int, k: int, dtype: Any, ties: LandmarkMeans | None = None) -> Self:
        """Before the first block."""
        return cls(kind.empty(m, k, dtype), np.zeros(k), np.zeros(k), 0, 0.0, ties)

    @classmethod
    def of_fit(cls, kind: type[Statistics], U: Array, V: Array, ties: LandmarkMeans | None = None) -> Self:
        """After a fit whose samples are gone, but for their V."""
        backend = backend_of(V)
        squares, sums = backend.column_products(V, V), backend.column_sums(V)
        return cls(kind.of_fit(U, V), squares, sums, len(V), float(len(V)), ties)

    def check(self, m: int, k: int) -> None:
        """Refuse what a file holds, if it does not belong to m features and k parts."""
        self.statistics.check(m, k)
        check_stream(self.seen, self.weight, self.ties, m, k)
        if self.squares.shape != (k,) or self.sums.shape != (k,):
            raise ValueError(f"sums of V are {self.squares.shape} and {self.sums.shape}, not {k}")

    def before(self, data: Any, window: float | None) -> Self:
        """Faded, to be joined by a block whose features are counted already."""
        new = data.shape[0]
        share, lasting = shares(self.seen, new, window)
        return type(self)(
            self.statistics.faded(share).counted(data, lasting), self.squares * share, self.sums * share,
            self.seen + new, self.weight * share + new, self.ties and self.ties.faded(share),
        )  # fmt: skip

    def joined(self, block: Statistics, V: Array, Z: Any) -> Self:
        """With a block as it is now, but for Σ v² and Σ v."""
        ties = None if self.ties is None else self.ties.joined(Z, V)
        return type(self)(self.statistics.joined(block), self.squares, self.sums, self.seen, self.weight, ties)

    def with_sizes(self, V: Array) -> Self:
        """With Σ v² and Σ v of a block."""
        backend = backend_of(V)
        return replace(
            self, squares=self.squares + backend.column_products(V, V), sums=self.sums + backend.column_sums(V)
        )

    def rescaled(self, lengths: Array) -> Self:
        """As if every V had been multiplied by ``lengths``, column by column, and U divided."""
        return replace(
            self,
            statistics=self.statistics.rescaled(lengths),
            squares=self.squares * lengths**2,
            sums=self.sums * lengths,
            ties=None if self.ties is None else self.ties.rescaled(lengths),
        )


@dataclass(frozen=True)
class Around:
    """What stands beside the loss: λ of the graph, L1 and L2 of V, and of U for so many samples."""

    lam: float
    on_V: tuple[float, float]
    on_U: Callable[[float], tuple[float, float]]

    def hold(self, ties: LandmarkMeans | None, Z: Any, dtype: Any) -> Hold:
        """What holds the rows of a block."""
        if ties is None or self.lam == 0:
            return Hold(0.0, 0.0, *self.on_V)
        pull, known = ties.tie(Z)
        return Hold((self.lam * pull).astype(dtype), (self.lam * known).astype(dtype), *self.on_V)

    def costs(self, stream: Stream) -> Array:
        """What ‖u_k‖² costs in penalties on V, if V takes over the scale of U; see `block_descent`."""
        l1, l2 = self.on_V
        energies = 0.0 if stream.ties is None else self.lam * (stream.squares - stream.ties.energies)
        return np.asarray(np.maximum(energies, 0) + l2 / 2 * stream.squares + l1 / 2 * stream.sums)

    def holds_rows(self, stream: Stream) -> bool:
        """Whether V has a penalty: then the loss alone does not say whether rounds still pay."""
        return (stream.ties is not None and self.lam > 0) or any(self.on_V)

    def holds_basis(self, stream: Stream) -> bool:
        """Whether basis vectors must keep a size: V has a penalty that shrinks while they grow, and they have none."""
        return self.holds_rows(stream) and not any(self.on_U(1.0))


class Learnt(NamedTuple):
    """A stream with a block more."""

    stream: Any
    U: Array
    #: V of the block.
    V: Array
    #: Of the block at the end; None where that takes another look at it.
    loss: float | None


def learn(
    stream: Stream, X: Any, weight: Array | None, U: Array, Z: Any, around: Around, window: float | None
) -> Learnt:
    """The stream with a block more; as many of its rows at a time as its statistics take."""
    parts = max(1, round(X.shape[0] / stream.statistics.at_once))
    if parts == 1:
        return _learn_rows(stream, X, weight, U, Z, around, window)
    found = []
    for rows in np.array_split(np.arange(X.shape[0]), parts):
        some = slice(rows[0], rows[-1] + 1)
        own, mixtures = None if weight is None else weight[some], None if Z is None else Z[some]
        stream, U, V, _ = _learn_rows(stream, X[some], own, U, mixtures, around, window)
        found.append(V)
    return Learnt(stream, U, np.concatenate(found), None)


def _learn_rows(
    stream: Stream, X: Any, weight: Array | None, U: Array, Z: Any, around: Around, window: float | None
) -> Learnt:
    held, as_data = around.holds_basis(stream), stream.statistics.as_data
    data, rounds = as_data(X, weight), _most_rounds(stream, around)
    before = stream.before(data, window)
    some = None if held or not sparse.issparse(X) else present_columns(X)
    if some is None or not len(some) or len(some) > FEW_FEATURES * len(U):
        learnt = _of_all_features(before, data, U, Z, around, rounds, held)
    else:
        learnt = _of_some_features(before, as_data(only_columns(X, some), weight), some, U, Z, around, rounds, window)
    if held or (sizes := learnt.stream.statistics.sizes(learnt.U)) is None:
        return learnt
    return Learnt(*_moved(learnt.stream, learnt.U, learnt.V, sizes), learnt.loss)


def _most_rounds(stream: Stream, around: Around) -> int:
    kind = stream.statistics
    if not stream.seen:
        return kind.first_rounds
    return kind.held_rounds if around.holds_rows(stream) else kind.rounds


def _of_all_features(before: Stream, data: Any, U: Array, Z: Any, around: Around, rounds: int, held: bool) -> Learnt:
    after, block, basis, V = _rounds(before, data, before.statistics.of_basis(U), 0.0, Z, around, rounds, held)
    # The block has its sums from before lengths moved.
    return Learnt(after, basis.U, V, None if held else block.loss(data, basis, V))


def _of_some_features(
    before: Stream, data: Any, some: Array, U: Array, Z: Any, around: Around, rounds: int, window: float | None
) -> Learnt:
    """Rounds on the features that a block has: the rows of U of all others, which are most, wait until it is over."""
    kind, U = before.statistics, U.copy()
    near, U[some] = U[some], 0
    waiting = kind.of_basis(U).sums
    start = kind.entering(near, waiting, len(U))
    part = replace(before, statistics=kind.of_features(some))
    after, block, basis, V = _rounds(part, data, start, waiting, Z, around, rounds, False)
    after = replace(after, statistics=kind.with_features(some, after.statistics))
    penalties, new = around.on_U(after.weight), data.shape[0]
    if before.seen > new and not any(penalties):
        _, lasting = shares(before.seen - new, new, window)
        columns = kind.waited(after.statistics, lasting, new)
        U = backend_of(U).scale(U, columns=columns)
        U[some] = basis.U
        # Both parts of the sums are known: the rows that waited are as they were, but for their columns' size.
        basis = Basis(basis.U, basis.sums - waiting + kind.resized(waiting, columns))
    else:
        U[some] = basis.U
        U = after.statistics.basis(U, 0.0, *penalties)
        basis = Basis(U[some], kind.of_basis(U).sums)
    return Learnt(after, U, V, block.loss(data, basis, V))


def _rounds(
    before: Stream, data: Any, basis: Basis, waiting: Any, Z: Any, around: Around, rounds: int, held: bool
) -> tuple[Stream, Statistics, Basis, Array]:
    """Rounds of V and U: the stream after them, what the block says, U and V; ``waiting`` is of features elsewhere."""
    V, after, loss, kind = None, before, math.inf, before.statistics
    # Not in a first block: a start may be so even that the loss rests for a while before parts differ.
    settles = before.seen > data.shape[0] and not around.holds_rows(before)
    share = data.shape[0] / before.weight
    for left in range(rounds - 1, -1, -1):
        earlier = loss
        # Landmarks know the block from the second round on; in the first one they know the samples before it.
        V, loss = before.statistics.rows(data, basis, V, around.hold(after.ties, Z, basis.U.dtype))
        block = kind.of_block(data, basis.U, V)
        after = before.joined(block, V, Z)
        costs = around.costs(after.with_sizes(V)) if held else 0.0
        new = kind.of_basis(after.statistics.basis(basis.U, costs, *around.on_U(after.weight)), waiting)
        last = not left or (settles and after.statistics.gained(basis, new, earlier, loss, share) <= kind.pays)
        basis = new if last else kind.of_basis(after.statistics.further(basis.U, new.U), waiting)
        if held:
            lengths = _lengths(basis.U)
            before = before.rescaled(lengths)
            after, U, V = _moved(after, basis.U, V, lengths)
            basis = kind.of_basis(U, waiting)
        if last:
            break
    assert V is not None
    return after.with_sizes(V), block, basis, V


def _moved(stream: Stream, U: Array, V: Array, sizes: Array) -> tuple[Stream, Array, Array]:
    """The sizes of basis vectors moved into V, of all samples."""
    backend = backend_of(U)
    return stream.rescaled(sizes), backend.scale(U, columns=1 / sizes), backend.scale(V, columns=sizes)


def _lengths(U: Array) -> Array:
    squares = backend_of(U).column_products(U, U)
    return np.sqrt(np.where(squares > 0, squares, 1.0))
