"""Nearest rows of tensors, in blocks of queries against all rows, where they live.

As NumPy's backend has it: squared distances are those of float64 arithmetic, ties go to the smaller index. Products of
dense rows in float32 rule most pairs out; a few more candidates than neighbours are compared in float64, and a query
whose candidates do not prove that nobody else is as near gets more of them.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch

from manifact.backends.protocol import Advance, ShowProgress, silent
from manifact.backends.torch.full_precision import full_precision
from manifact.backends.torch.host_samples import HostSamples
from manifact.backends.torch.memory_budget import slices
from manifact.backends.torch.tensor_rows import extent, is_sparse, lengths_squared, over, taken

#: Entries whose squares are safe in float64; others are scaled first.
SAFE = (1e-100, 1e100)
#: Candidates beyond twice the neighbours, and how many times as many are tried where these prove nothing.
SPARE, MORE = 8, 4
#: Bounds that are looked at together: one reading of them says which of so many groups hold the smallest.
GROUP = 64
#: Queries in a block at the most: a product of this height keeps a GPU busy.
MOST_QUERIES = 4096


class _Search(Protocol):
    """Bounds below all keys (± squared distances), and the keys of a few."""

    #: Bytes that a query takes while its bounds are looked at.
    bytes_each: int
    n: int

    def bounds(self, mine: Any) -> Any:
        """For some queries (numbers of theirs) and all rows; infinite where a query may not find a row."""

    def keys(self, mine: Any, bounds: Any, candidates: Any) -> Any:
        """Of queries and their candidates, whose bounds are given; in float64."""

    def below(self, mine: Any, bounds: Any, limits: Any) -> Any:
        """Which bounds do not rule out a key below the row's limit."""

    def proves(self, mine: Any, bound: Any, key: Any) -> Any:
        """Whether a row with at least this bound has a larger key than this one."""


def nearest(
    X: Any, n_neighbors: int, queries: Any = None, farthest: bool = False, title: str = "neighbours",
    progress: ShowProgress = silent,
) -> tuple[Any, Any]:  # fmt: skip
    """Indices and squared distances (n_queries x n_neighbors, best first) of the rows of X nearest to each query."""
    if isinstance(queries, HostSamples):
        parts = [nearest(X, n_neighbors, block, farthest, title, progress) for _, block in queries.blocks()]
        index, squares = (torch.cat(part) for part in zip(*parts, strict=True))
        return index, squares
    own = queries is None
    q, n = X.shape[0] if own else queries.shape[0], X.shape[0]
    k, sign = max(0, min(n_neighbors, n - own)), -1.0 if farthest else 1.0
    index = torch.full((q, k), n, dtype=torch.int64, device=X.device)
    keys = torch.full((q, k), torch.inf, dtype=torch.float64, device=X.device)
    if keys.numel() == 0:
        return index, keys
    X, queries, scale, largest = _scaled(X, queries)
    with progress(title, 1.0) as advance, full_precision():
        search = _search(X, queries, sign, largest)
        for rows in slices(X, q, search.bytes_each, MOST_QUERIES):
            mine = torch.arange(rows.start, rows.stop, device=X.device)
            index[rows], keys[rows] = _best(search, mine, search.bounds(mine), k)
            advance(len(mine) / q)
    return index, sign * keys * scale * scale


def reached(
    X: Any, squares: Any, queries: Any, farthest: bool = False, progress: ShowProgress = silent
) -> tuple[Any, Any]:
    """Pairs (query, row of X) whose squared distance is below (or above) the row's own ``squares``."""
    sign = -1.0 if farthest else 1.0
    pairs = [torch.empty((0, 2), dtype=torch.int64, device=X.device)]
    if X.shape[0] and queries.shape[0]:
        X, queries, scale, largest = _scaled(X, queries)
        limits = sign * torch.as_tensor(squares, dtype=torch.float64, device=X.device) / scale / scale
        with progress("reverse neighbours", 1.0) as advance, full_precision():
            _reached(_search(X, queries, sign, largest), X, queries.shape[0], limits, pairs, advance)
    found = torch.cat(pairs)
    return found[:, 0], found[:, 1]


def _reached(search: _Search, X: Any, q: int, limits: Any, pairs: list[Any], advance: Advance) -> None:
    for rows in slices(X, q, search.bytes_each, MOST_QUERIES):
        mine = torch.arange(rows.start, rows.stop, device=X.device)
        bounds = search.bounds(mine)[:, : search.n]
        asking, answering = torch.nonzero(search.below(mine, bounds, limits), as_tuple=True)
        for some in slices(X, len(asking), 4 * 8 * max(1, X.shape[1])):
            who, whom = asking[some], answering[some, None]
            keys = search.keys(mine[who], bounds[who, answering[some]][:, None], whom)[:, 0]
            inside = keys < limits[whom[:, 0]]
            pairs.append(torch.stack([mine[who[inside]], whom[inside, 0]], dim=1))
        advance(len(mine) / q)


def _scaled(X: Any, queries: Any) -> tuple[Any, Any, float, float]:
    """Rows and queries on a scale on which squares neither overflow nor vanish, that scale, and the largest entry."""
    ends = [abs(end) for P in (X, queries) if P is not None for end in extent(P)]
    largest = max(ends) or 1.0
    if SAFE[0] < largest < SAFE[1]:
        return X, queries, 1.0, largest
    return over(X, largest), None if queries is None else over(queries, largest), largest, 1.0


def _search(X: Any, queries: Any, sign: float, largest: float) -> _Search:
    if is_sparse(X) or (queries is not None and is_sparse(queries)):
        return _ByProducts(X, queries, sign)
    return _ByBounds(X, queries, sign, largest)


def _best(search: _Search, mine: Any, bounds: Any, k: int) -> tuple[Any, Any]:
    """The k rows with the smallest keys of some queries, best first."""
    count = min(2 * k + SPARE, search.n)
    index, keys, sure = _among(search, mine, bounds, k, count)
    while not bool(sure.all()):
        count = min(MORE * count, search.n)
        unsure = torch.nonzero(~sure)[:, 0]
        index[unsure], keys[unsure], sure[unsure] = _among(search, mine[unsure], bounds[unsure], k, count)
    return index, keys


def _among(search: _Search, mine: Any, bounds: Any, k: int, count: int) -> tuple[Any, Any, Any]:
    """The best k of so many candidates, their keys, and whether nobody else can be among them."""
    least, candidates = smallest(bounds, count)
    keys = torch.where(torch.isinf(least), torch.inf, search.keys(mine, least, candidates))
    candidates, order = candidates.sort(dim=1)
    keys, by_key = keys.gather(1, order).sort(dim=1, stable=True)
    index, keys = candidates.gather(1, by_key)[:, :k], keys[:, :k]
    sure = search.proves(mine, least.amax(dim=1), keys[:, -1])
    return index, keys, sure | (count >= search.n)


def smallest(bounds: Any, count: int) -> tuple[Any, Any]:
    """The smallest entries of each row and where they are, in no order among equal ones.

    Where rows are wide the smallest entries of groups are compared first: as many groups hold all that is wanted.
    """
    rows, width = bounds.shape
    if width % GROUP or width // GROUP < 4 * count:
        least, where = torch.topk(bounds, count, dim=1, largest=False)
        return least, where
    groups = bounds.view(rows, width // GROUP, GROUP)
    chosen = torch.topk(groups.amin(dim=2), count, dim=1, largest=False)[1]
    members = groups.gather(1, chosen[:, :, None].expand(-1, -1, GROUP)).reshape(rows, count * GROUP)
    least, where = torch.topk(members, count, dim=1, largest=False)
    return least, chosen.gather(1, where // GROUP) * GROUP + where % GROUP


class _ByBounds:
    """Dense rows: products in float32 of centred, scaled rows bound their keys; these are computed in float64.

    Over largest² a key is at least the floors of both rows − 2 ``sign`` times the product of their rough rows: rounding
    of m products, of their inputs and of the norms costs less than half of ``error`` times the norms, and what
    underflows less than the slack. The floors of rows stand in a column of their own beside ones, so that one product
    of matrices gives the bounds.
    """

    def __init__(self, X: Any, queries: Any, sign: float, largest: float) -> None:
        self.X, self.sign, self.n = X, sign, X.shape[0]
        self.queries, self._own = (X, True) if queries is None else (queries, False)
        self._unit = 1 / largest**2
        centre = X.mean(dim=0, dtype=torch.float64)
        # Whole groups of rows, and columns in pieces that are read at once.
        height, width = -(-self.n // GROUP) * GROUP, -(-(X.shape[1] + 1) // 8) * 8
        self._rough = torch.zeros((height, width), dtype=torch.float32, device=X.device)
        # Nobody finds rows that only fill up.
        self._rough[self.n :, -1] = torch.inf
        floors = _roughly(X, centre, largest, sign, self._rough[: self.n])
        self._rough[: self.n, -1] = floors
        if self._own:
            self._asking, self._floors = None, floors
        else:
            self._asking = torch.zeros((len(queries), width), dtype=torch.float32, device=X.device)
            self._floors = _roughly(queries, centre, largest, sign, self._asking)
        self.bytes_each = 3 * 4 * height

    def bounds(self, mine: Any) -> Any:
        # Queries that follow each other: a view.
        rough = self._rough if self._asking is None else self._asking
        asking = -2 * self.sign * rough[mine[0] : mine[0] + len(mine)]
        asking[:, -1] = 1.0
        found = asking @ self._rough.T
        if self._own:
            found[torch.arange(len(mine), device=found.device), mine] = torch.inf
        return found

    def keys(self, mine: Any, bounds: Any, candidates: Any) -> Any:
        found = torch.empty(candidates.shape, dtype=torch.float64, device=candidates.device)
        for some in slices(self.X, len(mine), 3 * 8 * candidates.shape[1] * self.X.shape[1]):
            # What fills up rows stands for nobody; its bound is infinite all the same.
            gaps = self.X[candidates[some].clamp(max=self.n - 1)].to(torch.float64)
            gaps -= self.queries[mine[some], None].to(torch.float64)
            found[some] = self.sign * gaps.square_().sum(dim=2)
        return found

    def proves(self, mine: Any, bound: Any, key: Any) -> Any:
        return bound.to(torch.float64) + self._floors[mine].to(torch.float64) > self._unit * key

    def below(self, mine: Any, bounds: Any, limits: Any) -> Any:
        floors = self._floors[mine].to(torch.float64)[:, None]
        return ~self.proves_all(bounds, floors, limits)

    def proves_all(self, bounds: Any, floors: Any, limits: Any) -> Any:
        return bounds.to(torch.float64) + floors > self._unit * limits


def _roughly(X: Any, centre: Any, largest: float, sign: float, out: Any) -> Any:
    """Centred, scaled rows in float32, written to the first columns of ``out``; and their floors."""
    n, m = X.shape
    single = torch.finfo(torch.float32)
    error, slack = (m + 32) * single.eps, 16 * m * single.tiny
    floors = torch.empty(n, dtype=torch.float32, device=X.device)
    for rows in slices(X, n, 32 * max(1, m)):
        rough = ((X[rows].to(torch.float64) - centre) / largest).to(torch.float32)
        out[rows, :m] = rough
        squares = torch.linalg.vector_norm(rough, dim=1, dtype=torch.float64) ** 2
        floors[rows] = ((sign - error) * squares - slack).to(torch.float32)
    return floors


class _ByProducts:
    """Sparse rows, or sparse queries among dense rows: keys from products with blocks of queries, in float64.

    Sparse queries among dense rows, such as documents among cluster centres, in the queries' type.
    """

    def __init__(self, X: Any, queries: Any, sign: float) -> None:
        self.X, self.sign, self.n = X, sign, X.shape[0]
        self._own, queries = queries is None, X if queries is None else queries
        self._squares, self._q_squares = lengths_squared(X), lengths_squared(queries)
        self._mixed = not is_sparse(X)
        self._queries = queries
        self._rows = X.T.to(queries.dtype).contiguous() if self._mixed else X.to(torch.float64)
        # Rounding of sums of products, relative to the norms: equal rows are at the distance 0.
        self._error = 4 * (8 + _longest(X, queries)) * torch.finfo(torch.float64).eps
        self.bytes_each = 8 * (4 * self.n + (0 if self._mixed else 3 * X.shape[1]))

    def bounds(self, mine: Any) -> Any:
        asking = taken(self._queries, mine)
        if self._mixed:
            dots = (asking @ self._rows).to(torch.float64)
        else:
            asking = asking.to_dense() if is_sparse(asking) else asking
            dots = (self._rows @ asking.to(torch.float64).T.contiguous()).T
        both = self._q_squares[mine, None] + self._squares
        keys = both - 2 * dots
        if not self._mixed:
            keys = torch.where(keys <= self._error * both, 0.0, keys)
        keys = self.sign * keys
        if self._own:
            keys[torch.arange(len(mine), device=keys.device), mine] = torch.inf
        return keys

    def keys(self, mine: Any, bounds: Any, candidates: Any) -> Any:
        return bounds

    def proves(self, mine: Any, bound: Any, key: Any) -> Any:
        return bound > key

    def below(self, mine: Any, bounds: Any, limits: Any) -> Any:
        return bounds < limits


def _longest(*matrices: Any) -> int:
    """Entries of the longest rows."""
    widest = [torch.diff(P.crow_indices()).max() if is_sparse(P) else P.shape[1] for P in matrices if P.shape[0]]
    return int(sum(int(width) for width in widest))


def nearest_by_products(G: Any, n_neighbors: int) -> tuple[Any, Any]:
    """As `nearest` of rows whose inner products G are known: g_ii + g_jj − 2 g_ij, with the digits that G leaves."""
    n = len(G)
    k = max(0, min(n_neighbors, n - 1))
    if not k:
        return G.new_empty((n, 0), dtype=torch.int64), G.new_empty((n, 0), dtype=torch.float64)
    search = _OfProducts(G)
    every = torch.arange(n, device=G.device)
    index, keys = _best(search, every, search.bounds(every), k)
    squares = torch.diagonal(G).to(torch.float64)[:, None]
    return index, torch.clamp(2 * keys.to(torch.float64) + squares, min=0.0)


class _OfProducts(_ByProducts):
    """g_ii / 2 − g_ij, which order like the distances from j."""

    def __init__(self, G: Any) -> None:
        self.G, self.n = G, len(G)

    def bounds(self, mine: Any) -> Any:
        keys = torch.diagonal(self.G) / 2 - self.G[mine]
        keys[torch.arange(len(mine), device=keys.device), mine] = torch.inf
        return keys


def row_products(X: Any) -> Any:
    """X Xᵀ as an array of X's type."""
    with full_precision():
        if not is_sparse(X):
            return X @ X.T
        out = torch.empty((X.shape[0], X.shape[0]), dtype=X.dtype, device=X.device)
        for rows in slices(X, X.shape[0], 2 * X.element_size() * sum(X.shape)):
            out[:, rows] = X @ taken(X, rows).to_dense().T.contiguous()
        return out
