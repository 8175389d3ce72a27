"""Eigenvectors of a graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from sklearn.preprocessing import normalize

from manifact.backends import Array, Matrix, backend_of, namespace, on_host, one_blas_thread
from manifact.graphs.landmark import LandmarkOperator
from manifact.graphs.operators import AffinityGraph, Graph
from manifact.graphs.operators import beside as beside_columns

#: Below this many vertices (or three times the eigenvectors) the dense solver is quicker and never misses any.
DENSE_SAMPLES = 200
#: Of S; smaller ones are noise, or belong to samples without neighbours.
SMALLEST_EIGENVALUE = 1e-3
#: Everybody is joined to everybody, so weakly that it adds this share of the mean degree: no tiny piece of the graph
#: has an eigenvector of its own then. Between 0.1 and 0.3 little changes, 1 costs much.
EVENED = 0.1
#: Columns beyond those asked for, as a share of them and at the least: the more, the fewer rounds.
SPARE, SPARE_COLUMNS = 0.2, 8
#: Degree of the polynomial that a round applies, rounds at the most, and the residual that ends them.
DEGREE, ROUNDS, RESIDUAL = 10, 30, 1e-4
#: The degree at the most where a round's end costs as much as its products: with many columns and few edges.
LONG_DEGREE = 20
#: The residual that ends the search for eigenvectors without a spread weight, and its share of the distance to the
#: next eigenvalue at the most: that is how far the directions found may lean out of the leading ones.
LEADING_RESIDUAL, SURE = 1e-5, 0.1
#: Where the wanted eigenvalues are taken to end before anything is known of them.
FIRST_CUT = 0.3
#: A block of more is drawn again rather than kept.
MANY_NUMBERS = 1_000_000
#: Mean degrees at which float32 holds all weights that matter.
WEIGHTS_OF_FLOAT32 = (1e-15, 1e15)
#: A column that differs from others by less than the root of this is rounding.
DEPENDENT = 1e-7


def leading_eigenvectors(graph: Graph, k: int, rng: np.random.RandomState) -> Array:
    """The eigenvectors of D^(−½) W D^(−½) with the k largest eigenvalues, n x k, largest first.

    Every connected piece of a graph has an eigenvalue 1, and Lanczos' method misses some of equal ones. So pieces are
    solved one by one, where the edges are listed; of more than k pieces the k with the most samples count.
    """
    if isinstance(graph, LandmarkOperator) and (found := graph.leading(k)) is not None:
        return found
    with one_blas_thread():
        if isinstance(graph, AffinityGraph):
            return _piece_by_piece(graph, k, rng)
        return _leading(graph.normalized(), k, rng)[1]


def spectral_rows(graph: Graph, k: int) -> Array:
    """The rows of the k `leading_eigenvectors` at unit length (Ng, Jordan, Weiss); zeros for those without neighbours.

    Computed once for a graph, from a start of its own.
    """
    known: dict[int, Array] = graph.__dict__.setdefault("_spectral_rows", {})
    if k not in known:
        E = leading_eigenvectors(graph, k, np.random.RandomState(0))
        known[k] = normalize(E * (graph.degrees > 0)[:, None])
    return known[k]


class Angles(NamedTuple):
    """Where samples stand in the leading eigenvectors of a graph, and what places new ones there."""

    #: The rows of the eigenvectors at unit length; zeros for samples without neighbours.
    F: Array
    #: A new sample with affinities w to the samples has the direction of wᵀH + c (Nyström's extension).
    H: Array
    c: Array


def angles(graph: Graph, k: int, beside: Any = None) -> Angles:
    """The directions of samples in the k leading `even_eigenvectors`, found on the device of the array ``beside``.

    With E the eigenvectors and Λ their values, H = (D + θI)^(−½) E Λ^(−1) and c = θ/n 1ᵀH. Computed once for a graph,
    from a start of its own: two fits on the same graph see the same.
    """
    known: dict[int, Angles] = graph.__dict__.setdefault("_angles", {})
    if k not in known:
        values, E = even_eigenvectors(graph, k, beside=beside)
        # Directions with no weight in the graph say nothing about new samples.
        usable = np.divide(1, values, out=np.zeros_like(values), where=values > SMALLEST_EIGENVALUE)
        scale, shared = _evened(graph)
        backend, own, joined = backend_of(E), _rows_beside(scale, E), _rows_beside(graph.degrees > 0, E)
        H = backend.kept(own[:, None] * E * usable)
        F = backend.kept(E * joined[:, None] / _lengths(E)[:, None])
        known[k] = Angles(F, H, shared * np.asarray(on_host(backend.column_sums(H))))
    return known[k]


def _rows_beside(numbers: Array, E: Array) -> Array:
    """Numbers of which every sample has its own, as eigenvectors are."""
    return backend_of(E).like_rows(np.asarray(numbers, dtype=np.float64), E)


def _lengths(E: Array) -> Array:
    """The length of every row, 1 of those without entries."""
    xp = namespace(E)
    lengths = xp.sqrt(xp.sum(E * E, axis=1))
    return xp.where(lengths > 0, lengths, 1.0)


@one_blas_thread()
def even_eigenvectors(graph: Graph, k: int, residual: float = RESIDUAL, beside: Any = None) -> tuple[Array, Array]:
    """The k largest eigenvalues of S = (D + θI)^(−½) (W + θ/n 11ᵀ) (D + θI)^(−½), falling, and their eigenvectors.

    θ is a tenth of the mean degree, and S is only ever applied. Pieces of the graph have eigenvalues that are all but
    equal, of which a method that follows one vector misses some; so a block of vectors goes through polynomials that
    raise what is above its smallest Ritz value and lower the rest (Chebyshev's: Y. Zhou, Y. Saad, M. Tiago,
    J. Chelikowsky. Self-consistent-field calculations using Chebyshev-filtered subspace iteration. Journal of
    Computational Physics 219, 2006). They do so on the device of the array ``beside``; the answer is the host's.
    """
    n = graph.n_samples
    width = _block_width(k)
    if isinstance(graph, LandmarkOperator) and (found := _through_landmarks(graph, k)) is not None:
        return found
    if n <= max(3 * width, DENSE_SAMPLES):
        values, vectors = np.linalg.eigh(_evenly(graph, np.eye(n))(np.eye(n)))
        return values[: -k - 1 : -1], vectors[:, : -k - 1 : -1]
    # float32 has more digits than the residual asks for, unless it cannot hold the weights.
    held = WEIGHTS_OF_FLOAT32[0] < graph.degrees.mean() < WEIGHTS_OF_FLOAT32[1]
    Z = _drawn(n, width) if n * width <= MANY_NUMBERS else _drawn.__wrapped__(n, width)
    Z = Z.astype(np.float32 if held else np.float64)
    Z = Z if beside is None else backend_of(beside).like(Z, beside)
    values, Z, _ = _filtered(_evenly(graph, Z), Z, k, residual)
    return values, on_host(Z).astype(np.float64)


def _through_landmarks(graph: LandmarkOperator, k: int) -> tuple[Array, Array] | None:
    """The same of a graph through p landmarks, exactly; None where it has fewer than k directions.

    All degrees are 1, so S = BBᵀ with B = (1 + θ)^(−½) [Ẑᵀ, (θ/n)^½ 1]. With BᵀB = Q Λ Qᵀ, whose p + 1 rows are the
    landmarks and everybody, its eigenvectors are B Q Λ^(−½).
    """
    n, theta = graph.n_samples, EVENED
    common = np.sqrt(theta / n) * np.sqrt(graph.masses)
    G = np.block([[graph.landmark_gram(), common[:, None]], [common[None, :], np.full((1, 1), theta)]]) / (1 + theta)
    values, Q = np.linalg.eigh(G)
    values, Q = values[: -k - 1 : -1], Q[:, : -k - 1 : -1]
    if len(values) < k or values[-1] <= DEPENDENT * values[0]:
        return None
    Q = Q / np.sqrt((1 + theta) * values)
    return values, graph.mixed(Q[:-1]) + np.sqrt(theta / n) * Q[-1]


@lru_cache(maxsize=2)
def _drawn(n: int, width: int) -> Array:
    """The block to start from: the same every time, and small graphs come by the hundred."""
    return np.random.RandomState(0).standard_normal((n, width))


def _filtered(
    apply: Callable[[Array], Array], Z: Array, k: int, residual: float, longest: int = DEGREE
) -> tuple[Array, Array, float]:
    """The k largest eigenvalues of what is applied, all in [−1, 1], their eigenvectors, and the largest residual.

    From a block of columns.
    """
    # The first round says where the wanted ones end.
    cut = FIRST_CUT
    for _ in range(ROUNDS):
        Q = _orthonormal(_raised(apply, Z, cut, _degree(cut, longest)))
        SQ = apply(Q)
        values, C = _eigh(Q.T @ SQ)
        values, C = values[::-1], C[:, ::-1]
        C, theirs = beside_columns(C, Q), beside_columns(values[:k], Q)
        Z = Q @ C
        left = SQ @ C[:, :k] - Z[:, :k] * theirs
        worst = float(np.sqrt(on_host(_column_squares(left)).max()))
        if worst <= residual:
            break
        cut = min(max(float(values[-1]), 0.0), 0.99)
    return values[:k], Z[:, :k], worst


def _evenly(graph: Graph, kind: Array) -> Callable[[Array], Array]:
    """What applies S to arrays of a kind."""
    scale, shared = _evened(graph)
    own, wide = beside_columns(scale[:, None], kind), backend_of(kind).like(scale, kind)
    xp = namespace(kind)

    def apply(Z: Array) -> Array:
        SZ = graph.adjacency(own * Z)
        # BLAS sums in pieces, and loses nothing that the residual would show: copies in float64 cost more than W Z.
        common = own[:, 0] @ Z if isinstance(Z, np.ndarray) else wide @ xp.astype(Z, xp.float64)
        SZ += xp.astype(shared * common, Z.dtype, copy=False)
        SZ *= own
        return SZ

    return apply


def _eigh(G: Array) -> tuple[Array, Array]:
    """Of a small matrix, by the host, in float64."""
    values, vectors = np.linalg.eigh(on_host(G).astype(np.float64))
    return values, vectors


def _column_squares(Z: Array) -> Array:
    """Σ_i z_ij² of every column."""
    return np.einsum("ij,ij->j", Z, Z) if isinstance(Z, np.ndarray) else backend_of(Z).column_products(Z, Z)


def _degree(cut: float, longest: int) -> int:
    """The degree that raises no more than that of the first round does: columns must not all become the same."""

    def growth(cut: float) -> float:
        return float(np.arccosh((3 - cut) / (1 + cut)))

    return min(longest, max(DEGREE, int(DEGREE * growth(FIRST_CUT) / growth(cut))))


def _raised(apply: Callable[[Array], Array], Z: Array, cut: float, degree: int) -> Array:
    """T(S) Z, T the Chebyshev polynomial that is at most 1 between −1 and ``cut``, scaled to 1 at 1."""
    half, middle = (cut + 1) / 2, (cut - 1) / 2
    first = half / (1 - middle)
    sigma = first
    before, now = Z, (apply(Z) - middle * Z) * (sigma / half)
    for _ in range(2, degree + 1):
        following = 1 / (2 / first - sigma)
        # In place: arrays of this size cost more to read and write than to compute.
        after = apply(now)
        after -= middle * now
        after *= 2 * (following / half)
        after -= (sigma * following) * before
        before, now, sigma = now, after, following
    return now


def _orthonormal(Z: Array) -> Array:
    """Orthonormal columns that span those of Z: by products, many times as fast as reflections."""
    Z = Z / beside_columns(np.sqrt(on_host(_column_squares(Z))), Z)
    # Twice: the first leaves what rounding makes of columns that all but depend on others.
    for _ in range(2):
        values, vectors = _eigh(Z.T @ Z)
        Z = Z @ beside_columns(vectors / np.sqrt(np.maximum(values, DEPENDENT * values[-1])), Z)
    return Z


def _block_width(k: int) -> int:
    """Columns for k eigenvectors, a number that fills vector registers: products need no copies with padded rows."""
    return -(-(k + max(SPARE_COLUMNS, int(SPARE * k))) // 16) * 16


def _evened(graph: Graph) -> tuple[Array, float]:
    """(d + θ)^(−½) of every sample, and θ / n."""
    theta = EVENED * float(graph.degrees.mean()) if graph.n_samples else 0.0
    total = graph.degrees + theta
    return np.divide(1, np.sqrt(total), out=np.zeros_like(total), where=total > 0), theta / max(1, graph.n_samples)


def _piece_by_piece(graph: AffinityGraph, k: int, rng: np.random.RandomState) -> Array:
    root = np.sqrt(graph.degrees)
    scale = sparse.diags_array(np.divide(1, root, out=np.zeros_like(root), where=root > 0))
    S = sparse.csr_array(scale @ graph.W.astype(np.float64) @ scale)
    pieces = _pieces(graph.W)
    found: list[tuple[float, Array, Array]] = []
    for rows in pieces[:k]:
        # Enough pieces with edges: each gives its eigenvalue 1 and nothing else can be larger.
        wanted = 1 if len(pieces) >= k and len(pieces[k - 1]) > 1 else min(k, len(rows))
        own, vectors = _leading(S[rows][:, rows], wanted, rng)
        found += [(value, rows, vector) for value, vector in zip(own, vectors.T, strict=True)]
    found = sorted(found, key=lambda one: -one[0])[:k]
    leading = np.zeros((graph.n_samples, len(found)))
    for column, (_, rows, vector) in enumerate(found):
        leading[rows, column] = vector
    return leading


def _pieces(W: Any) -> list[Array]:
    """The rows of each connected piece, most samples first."""
    count, member = connected_components(W, directed=False)
    sizes = np.bincount(member, minlength=count)
    rows = np.split(np.argsort(member, kind="stable"), np.cumsum(sizes)[:-1])
    return [rows[piece] for piece in np.argsort(-sizes, kind="stable")]


def _leading(S: Any, k: int, rng: np.random.RandomState) -> tuple[Array, Array]:
    """The k largest eigenvalues of a symmetric operator, in falling order, and their eigenvectors."""
    n = S.shape[0]
    if n <= max(3 * k, DENSE_SAMPLES):
        values, vectors = np.linalg.eigh(S @ np.eye(n))
        return values[: -k - 1 : -1], vectors[:, : -k - 1 : -1]
    if n > 3 * _block_width(k) and sparse.issparse(S) and (found := _leading_by_block(S, k, rng)) is not None:
        return found
    values, vectors = eigsh(S, k=k, which="LA", v0=rng.uniform(0.5, 1.5, n), tol=1e-6)
    order = np.argsort(-values)
    return values[order], vectors[:, order]


def _leading_by_block(S: Any, k: int, rng: np.random.RandomState) -> tuple[Array, Array] | None:
    """The same of a sparse matrix in [−1, 1]: products of whole blocks, in all threads, and no value is missed.

    None where the next eigenvalue is so near that this leaves it open which directions are the leading ones: those of
    long thin graphs differ in more digits than float32 has.
    """
    Z, W = rng.standard_normal((S.shape[0], _block_width(k))).astype(np.float32), Matrix(S)
    values, vectors, worst = _filtered(lambda P: backend_of(P).times(W, P), Z, k + 1, LEADING_RESIDUAL, LONG_DEGREE)
    if worst > SURE * (values[k - 1] - values[k]):
        return None
    # float32 leaves them orthogonal to so many digits only.
    return values[:k], np.linalg.qr(vectors[:, :k].astype(np.float64))[0]
