"""Nearest rows, in blocks that keep to a memory budget: exactly, or among the few that a projection proposes.

The budget is scikit-learn's: ``sklearn.config_context(working_memory=256)`` (MiB). Squared distances are those of
float64 arithmetic (but of sparse queries among dense rows, those of the queries' type); ties go to the smaller index,
and the answer does not depend on the number of threads.
"""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.utils import check_random_state

from manifact.backends.blas_threads import ONE_BLAS_THREAD
from manifact.backends.numpy.kernels import factor_passes, neighbors
from manifact.backends.numpy.leading_directions import leading_directions
from manifact.backends.numpy.numpy_operations import sparse_times
from manifact.backends.numpy.padded_rows import padded_transpose
from manifact.backends.protocol import Advance, Array, ShowProgress, silent
from manifact.backends.threads import PER_NUMBER, count, over_rows
from manifact.utils.sparse_matrices import sorted_csr

#: About what all cores share: a block of inner products is scanned before it leaves.
SHARED_CACHE = 1 << 23
#: Entries whose squares are safe, in float64 and in float32; others are scaled first.
SAFE, SAFE_SINGLE = (1e-100, 1e100), (1e-12, 1e12)
#: Multiply-adds of a dense search that is worth taking over BLAS's threads, which costs a few milliseconds.
LARGE = 1e8
#: Multiply-adds after which a progress bar moves, and the most moves.
MOVE, MOST_MOVES = 2e7, 200

#: What samples are projected onto, and how many of them decide that.
DIRECTIONS, DIRECTION_SAMPLES = 64, 5000
#: So many samples say how many candidates find this share of the neighbours; beyond ``MOST_CANDIDATES`` times the
#: neighbours asked for, the search is exact.
PROBES, SHARE, MOST_CANDIDATES = 256, 0.98, 12
#: With fewer samples (or features than twice the directions) the exact search is as fast.
FEW_SAMPLES = 2000


def nearest(
    X: Any, n_neighbors: int, queries: Any = None, farthest: bool = False, title: str = "neighbours",
    progress: ShowProgress = silent,
) -> tuple[Array, Array]:  # fmt: skip
    """Indices and squared distances (n_queries x n_neighbors, best first) of the rows of X nearest to each query.

    Without ``queries`` the rows of X look for each other, and none finds itself. ``progress`` is told under
    ``title`` how far the search is.
    """
    own = queries is None
    q, n = X.shape[0] if own else queries.shape[0], X.shape[0]
    index, keys = _nothing_yet(q, min(n_neighbors, n - own), n)
    if keys.size == 0:
        return index, keys
    largest = _largest(X) if own else max(_largest(X), _largest(queries))
    scale = _scale(largest)
    if scale != 1.0:
        X, queries = X / scale, None if own else queries / scale
    sign = -1.0 if farthest else 1.0
    with progress(title, 1.0) as advance:
        if sparse.issparse(X):
            _sparse(X, queries, sign, keys, index, advance)
        elif sparse.issparse(queries):
            _mixed(X, queries, sign, keys, index, advance)
        else:
            _dense(X, queries, (largest or 1.0) / scale, sign, keys, index, advance)
    with np.errstate(over="ignore", under="ignore"):
        return index, sign * keys * scale * scale


def reached(
    X: Any, squares: Array, queries: Any, farthest: bool = False, progress: ShowProgress = silent
) -> tuple[Array, Array]:
    """Pairs (query, row of X) whose squared distance is below (or above) the row's own ``squares``.

    With the distance of every row's k-th neighbour these are the rows that would have the query among their k nearest.
    """
    sign = -1.0 if farthest else 1.0
    largest = max(_largest(X), _largest(queries))
    scale = _scale(largest)
    if scale != 1.0:
        X, queries = X / scale, queries / scale
    with np.errstate(over="ignore", under="ignore"):
        keys = sign * squares / scale / scale
    pairs: list[tuple[Array, Array]] = []
    with progress("reverse neighbours", 1.0) as advance:
        if sparse.issparse(X):
            _sparse_reached(X, sorted_csr(queries), sign, keys, pairs, advance)
        else:
            _dense_reached(X, queries, (largest or 1.0) / scale, sign, keys, pairs, advance)
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    nothing = np.empty(0, dtype=np.int64)
    return np.concatenate([nothing, *rows]), np.concatenate([nothing, *columns])


def nearest_by_projection(
    X: Any, n_neighbors: int, random_state: Any = 0, progress: ShowProgress = silent
) -> tuple[Array, Array]:
    """As ``nearest(X, n_neighbors)``, for almost all neighbours.

    Candidates are nearest among the samples projected onto their principal directions; the best of them are found by
    their distances in full. How many candidates that takes is measured on some samples, and where it takes too many
    (most text: a few directions say little about a document) the search is exact.
    """
    n, m = X.shape
    if n <= max(FEW_SAMPLES, (MOST_CANDIDATES + 1) * n_neighbors) or m < 2 * DIRECTIONS:
        return nearest(X, n_neighbors, progress=progress)
    scale = _scale(_largest(X), SAFE_SINGLE)
    X = X / scale if scale != 1.0 else X
    X = sorted_csr(X) if sparse.issparse(X) else np.ascontiguousarray(X)
    rng = check_random_state(random_state)
    Z = _projected(X, rng)
    n_candidates = _candidates_needed(X, Z, n_neighbors, rng.choice(n, PROBES, replace=False), progress)
    if n_candidates > MOST_CANDIDATES * n_neighbors:
        index, keys = nearest(X, n_neighbors, progress=progress)
    else:
        candidates, _ = nearest(Z, n_candidates, title="candidates", progress=progress)
        index, keys = _nothing_yet(n, n_neighbors, n)
        if sparse.issparse(X):
            work = candidates.size * X.nnz / n
            over_rows(neighbors.sparse_rank, n, work, X.indptr, X.indices, X.data, candidates, keys, index)
        else:
            over_rows(neighbors.dense_rank, n, candidates.size * m, X, candidates, keys, index)
    with np.errstate(over="ignore", under="ignore"):
        return index, keys * scale * scale


def _nothing_yet(q: int, k: int, n: int) -> tuple[Array, Array]:
    return np.full((q, k), n, dtype=np.int64), np.full((q, k), np.inf)


def _largest(X: Any) -> float:
    return max(float(X.max()), -float(X.min())) if min(X.shape) else 0.0


def _scale(largest: float, safe: tuple[float, float] = SAFE) -> float:
    return 1.0 if largest == 0 or safe[0] < largest < safe[1] else largest


def _squares(X: Any) -> Array:
    if sparse.issparse(X):
        X = X.astype(np.float64)
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    squares = np.empty(len(X))
    over_rows(factor_passes.row_squares, len(X), PER_NUMBER * X.size, np.ascontiguousarray(X), squares)
    return squares


def _budget() -> int:
    return int(get_config()["working_memory"] * 2**20)


def _parts(n: int, at_most: int) -> list[slice]:
    """0 to n in slices of nearly the same length."""
    bounds = np.linspace(0, n, -(-n // max(1, at_most)) + 1).astype(int).tolist()
    return [slice(start, stop) for start, stop in pairwise(bounds)]


def _length(rows: slice) -> int:
    return rows.stop - rows.start


def _sparse(X: Any, Q: Any, sign: float, keys: Array, index: Array, advance: Advance) -> None:
    """One pass over the inverted index per query: Σ_f df_f² multiply-adds in all, n doubles per thread."""
    X, XT = sorted_csr(X), sorted_csr(X.T)
    skip = np.arange(X.shape[0]) if Q is None else np.full(Q.shape[0], -1)
    Q = X if Q is None else sorted_csr(Q)
    longest = _longest(Q) + _longest(X)
    squares = _squares(X)
    q_squares = squares if Q is X else _squares(Q)
    floors, q_floors = (_sparse_floors(those, longest, sign) for those in (squares, q_squares))
    # Each query touches every sample that shares one of its features.
    reach = np.concatenate([[0], np.cumsum(np.diff(XT.indptr)[Q.indices], dtype=np.float64)])[Q.indptr]
    cost = reach + np.arange(len(reach), dtype=np.float64) * X.shape[0]
    moves = int(np.clip(cost[-1] / MOVE, 1, MOST_MOVES))
    bounds = np.unique(np.searchsorted(cost, np.linspace(0, cost[-1], moves + 1))).tolist()
    for start, stop in pairwise(bounds):
        rows, costs = slice(start, stop), cost[start : stop + 1] - cost[start]
        over_rows(
            neighbors.sparse_nearest, stop - start, costs[-1], Q.indptr[start : stop + 1], Q.indices, Q.data,
            q_squares[rows], q_floors[rows], X.indptr, X.indices, X.data, squares, floors, XT.indptr, XT.indices,
            XT.data, sign, skip[rows], keys[rows], index[rows], costs=costs,
        )  # fmt: skip
        advance(costs[-1] / cost[-1])


def _sparse_floors(squares: Array, longest: int, sign: float) -> Array:
    # Rounding of an inner product, of both norms and of the key itself, relative to the norms.
    error = 2 * (longest + 8) * float(np.finfo(np.float64).eps)
    return (sign - error) * squares - longest * float(np.finfo(np.float64).tiny)


def _sparse_reached(X: Any, Q: Any, sign: float, keys: Array, pairs: Any, advance: Advance) -> None:
    X, XT = sorted_csr(X), sorted_csr(X.T)
    squares, q_squares = _squares(X), _squares(Q)
    floors, q_floors = (_sparse_floors(those, _longest(X) + _longest(Q), sign) for those in (squares, q_squares))
    # Twice the error that floors allow for: the difference is rounded once more.
    limits = keys - floors + 4 * float(np.finfo(np.float64).eps) * (np.abs(keys) + np.abs(floors))
    for rows in _parts(Q.shape[0], int(np.clip(_budget() // max(1, X.shape[0]), 1, 4096))):
        asking = Q[rows]
        found = np.zeros((_length(rows), X.shape[0]), dtype=bool)
        costs = np.concatenate([[0], np.cumsum(np.diff(XT.indptr)[asking.indices], dtype=np.float64)])[asking.indptr]
        costs += np.arange(len(costs), dtype=np.float64) * X.shape[0]
        over_rows(
            neighbors.sparse_mark_reached, len(found), costs[-1], asking.indptr, asking.indices, asking.data,
            q_squares[rows], q_floors[rows], X.indptr, X.indices, X.data, squares, limits, XT.indptr, XT.indices,
            XT.data, sign, keys, found, costs=costs,
        )  # fmt: skip
        queries, columns = np.nonzero(found)
        pairs.append((queries + rows.start, columns))
        advance(len(found) / Q.shape[0])


def _longest(X: Any) -> int:
    return int(np.diff(X.indptr).max(initial=0))


def _mixed(X: Array, Q: Any, sign: float, keys: Array, index: Array, advance: Advance) -> None:
    """Sparse queries among dense rows, such as documents among cluster centres: a block of inner products at a time."""
    Q = sorted_csr(Q)
    squares, q_squares = _squares(X), _squares(Q)
    # As many rows of X at a time as stay in cache: every non-zero of Q gathers from all of them.
    at_once = max(16, SHARED_CACHE // max(1, X.shape[1] * Q.dtype.itemsize) // 16 * 16)
    slabs = [padded_transpose(X[i : i + at_once], Q.dtype) for i in range(0, len(X), at_once)]
    rows_at_once = int(np.clip(_budget() // (8 * len(X)), min(count(), 1 << 14), 1 << 14))
    for rows in _parts(Q.shape[0], rows_at_once):
        asking = Q[rows]
        # Beyond those of all rows are zeros, which nobody looks at.
        dots = np.hstack([sparse_times(asking, slab) for slab in slabs])
        arrays = (dots, q_squares[rows], squares, sign, keys[rows], index[rows])
        over_rows(neighbors.select_nearest, len(dots), dots.size, *arrays)
        advance(len(dots) / Q.shape[0])


class _Samples(NamedTuple):
    """Rows, and the same in float32: centred, so that a common offset does not eat their digits, and scaled.

    A key of two rows over largest² is at least the sum of their floors − 2 ``sign`` times the inner product of their
    rough rows, all in float32: rounding of m products, of their inputs and of the norms costs less than half of
    ``error`` times the norms, and what underflows less than the slack.
    """

    exact: Array
    rough: Array
    floors: Array

    @classmethod
    def of(cls, X: Array, centre: Array, largest: float, sign: float) -> _Samples:
        n, m = X.shape
        single = np.finfo(np.float32)
        error, slack = (m + 16) * float(single.eps), 16 * m * float(single.tiny)
        rough, floors = np.empty((n, m), dtype=np.float32), np.empty(n, dtype=np.float32)
        for rows in _parts(n, min(1024, _budget() // (32 * max(1, m)))):
            rough[rows] = (X[rows] - centre) / largest
            floors[rows] = (sign - error) * _squares(rough[rows]) - slack
        return cls(np.ascontiguousarray(X), rough, floors)

    def part(self, rows: slice) -> _Samples:
        return _Samples(self.exact[rows], self.rough[rows], self.floors[rows])


def _dense(X: Array, Q: Array | None, largest: float, sign: float, keys: Array, index: Array, advance: Advance) -> None:
    """Matrix products in float32 rule out most pairs; what they cannot rule out is computed in float64.

    The products come in tiles that stay in cache. Where rows look for each other, each pair of tiles is multiplied
    once and both sides look at it.
    """
    (n, m), q, own = X.shape, len(keys), Q is None
    centre, unit = X.mean(axis=0, dtype=np.float64), 1 / largest**2
    samples = _Samples.of(X, centre, largest, sign)
    limits = np.full(q, np.inf, dtype=np.float32)
    area = min(SHARED_CACHE, _budget() // 2) // 4
    tall = _parts(q, int(area**0.5))
    height = max(map(_length, tall))
    wide = tall if own else _parts(n, area // height)
    tile = np.empty(height * max(map(_length, wide)), dtype=np.float32)
    n_tiles = len(tall) * (len(tall) + 1) // 2 if own else len(tall) * len(wide)
    with ONE_BLAS_THREAD if q * n * m > LARGE else nullcontext():
        for number, mine in enumerate(tall):
            asking = samples.part(mine) if Q is None else _Samples.of(Q[mine], centre, largest, sign)
            for theirs in wide[number:] if own else wide:
                asked = samples.part(theirs)
                dots = tile[: _length(mine) * _length(theirs)].reshape(_length(mine), _length(theirs))
                over_rows(_multiply, len(dots), dots.size * m, asking.rough, asked.rough, dots)
                if own and mine == theirs:
                    # No row finds itself: NaN is not below any limit.
                    np.fill_diagonal(dots, np.nan)
                over_rows(
                    neighbors.rows_seek_columns, len(dots), dots.size, dots, sign, unit, asking.exact, asking.floors,
                    limits[mine], keys[mine], index[mine], asked.exact, asked.floors, theirs.start,
                )  # fmt: skip
                if own and mine != theirs:
                    over_rows(
                        neighbors.columns_seek_rows, dots.shape[1], dots.size, dots, sign, unit, asked.exact,
                        asked.floors, limits[theirs], keys[theirs], index[theirs], asking.exact, asking.floors,
                        mine.start,
                    )  # fmt: skip
                advance(1 / n_tiles)
    over_rows(neighbors.sort_found, q, keys.size, keys, index)


def _dense_reached(X: Array, Q: Array, largest: float, sign: float, keys: Array, pairs: Any, advance: Advance) -> None:
    """Tiles as in `_dense`, of which only the pairs are kept."""
    (n, m), q = X.shape, Q.shape[0]
    centre, unit = X.mean(axis=0, dtype=np.float64), 1 / largest**2
    samples = _Samples.of(X, centre, largest, sign)
    limits = unit * keys - samples.floors
    limits = (limits + neighbors.ROUND_UP * np.abs(limits)).astype(np.float32)
    area = min(SHARED_CACHE, _budget() // 2) // 5
    tall = _parts(q, int(area**0.5))
    wide = _parts(n, area // max(map(_length, tall)))
    with ONE_BLAS_THREAD if q * n * m > LARGE else nullcontext():
        for mine in tall:
            asking = _Samples.of(Q[mine], centre, largest, sign)
            for theirs in wide:
                asked = samples.part(theirs)
                dots = np.empty((_length(mine), _length(theirs)), dtype=np.float32)
                found = np.zeros(dots.shape, dtype=bool)
                over_rows(_multiply, len(dots), dots.size * m, asking.rough, asked.rough, dots)
                over_rows(
                    neighbors.mark_reached, len(dots), dots.size, dots, sign, asking.exact, asking.floors,
                    limits[theirs], keys[theirs], asked.exact, found,
                )  # fmt: skip
                queries, columns = np.nonzero(found)
                pairs.append((queries + mine.start, columns + theirs.start))
                advance(1 / (len(tall) * len(wide)))


def _multiply(A: Array, B: Array, out: Array, start: int, stop: int) -> None:
    np.dot(A[start:stop], B.T, out=out[start:stop])


def _projected(X: Any, rng: Any) -> Array:
    """Samples on their principal directions, stretched to their whole length.

    So inner products are guessed as if the angle of two samples were that of their projections, which suits sparse
    samples, most of whose length is lost, better than leaving out the rest.
    """
    n, m = X.shape
    some = X[np.sort(rng.choice(n, min(n, DIRECTION_SAMPLES), replace=False))]
    # Sparse samples keep their zeros.
    centre = np.zeros(m) if sparse.issparse(X) else some.mean(axis=0, dtype=np.float64)
    some = some if sparse.issparse(X) else some - centre
    with ONE_BLAS_THREAD:
        directions = leading_directions(some, DIRECTIONS, rng)[1].astype(np.float32)
        if sparse.issparse(X):
            return _stretched(sparse_times(X, directions), _squares(X))
        Z = np.empty((n, directions.shape[1]), dtype=np.float32)
        for rows in _parts(n, min(1024, _budget() // (32 * m))):
            centred = (X[rows] - centre).astype(np.float32)
            Z[rows] = _stretched(centred @ directions, _squares(centred))
    return Z


def _stretched(Z: Array, squares: Array) -> Array:
    inside = _squares(Z)
    stretch = np.sqrt(np.divide(squares, inside, out=np.ones_like(inside), where=inside > 0))
    return (Z * stretch[:, None]).astype(np.float32)


def _candidates_needed(X: Any, Z: Array, n_neighbors: int, probes: Array, progress: ShowProgress) -> int:
    """How many samples nearest in Z hold ``SHARE`` of those nearest in X."""
    # One more on either side: a probe finds itself as well.
    true = nearest(X, n_neighbors + 1, X[probes], title="probes", progress=progress)[0]
    proposed = nearest(Z, MOST_CANDIDATES * n_neighbors + 1, Z[probes], title="probes, projected", progress=progress)[0]
    hits = (true[:, :, None] == proposed[:, None, :])[true != probes[:, None]]
    ranks = np.where(hits.any(axis=1), hits.argmax(axis=1), proposed.shape[1])
    return max(int(np.quantile(ranks, SHARE, method="higher")), 2 * n_neighbors)
