"""X in blocks of rows, larger than memory or spread over a cluster: formulas, and walks that compute them.

Small arrays (U, and sums over samples) are computed by NumPy's backend, tall ones block by block by the same. What
looks at all samples at once and has no such form is refused, with what to do instead.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from manifact.backends import numpy as host_backend
from manifact.backends.blocks import block_rows as rows
from manifact.backends.blocks.block_layouts import layout_of
from manifact.backends.blocks.block_matrices import times
from manifact.backends.blocks.deferred import Deferred, Rows, Whole, apply, kept, summed, whole
from manifact.utils.errors import BadValueError

__all__ = [
    "added", "ahead", "column_products", "column_sums", "cross", "data", "edge_energies", "empty_rows", "host", "inner",
    "kept", "landmark_mixtures", "leading_directions", "like", "like_rows", "log_costs", "multiply_rows",
    "nonnegative_least_squares", "of_blocks", "overrelaxed", "product", "rescale", "rows", "scale", "sketched_descent",
    "solve_columns",
    "sweep_affinity", "sweep_rows", "times",
]  # fmt: skip


#: The command line has no value for it: it is the graph of blocks there.
LANDMARKS = "LandmarkGraph() (on the command line: leave out --graph)"


def data(X: Any, weight: Any) -> Any:
    """Γ X."""
    from manifact.backends.blocks.block_data import BlockData

    return BlockData(X, weight)


def host(P: Any) -> Any:
    """The numbers, computed, as an array of this process."""
    if isinstance(P, Whole):
        return np.asarray(P.value())
    if isinstance(P, Rows):
        P.layout.evaluate(P)
        return P.layout.walker.gathered(P.held)
    return P.rows(np.arange(P.shape[0]))


def like(P: Any, other: Any) -> Any:
    """A small array beside others."""
    return P if isinstance(P, Deferred) else whole(layout_of(other), np.asarray(P))


def like_rows(P: Any, other: Any) -> Any:
    """An array with a row for each sample, in blocks as others are."""
    if isinstance(P, Rows):
        return P
    layout, P = layout_of(other), np.asarray(P)
    held = Rows(layout, None, (), P.shape[1:], P.dtype)
    held.held = layout.walker.holding(P, layout)
    return held


def empty_rows(X: Any, columns: int) -> Any:
    """Room for an array with a row for each sample, in the type of X, on the host; in a file where it is large."""
    return layout_of(X).walker.room((X.shape[0], columns), X.dtype)


def of_blocks(X: Any, function: Any) -> Any:
    """What a function makes of the samples of each block, an array of the host with a row for each sample."""
    from manifact.backends.blocks.block_data import BlockData

    return BlockData(X, None).of_rows(function)


def leading_directions(
    X: Any, rank: int, random_state: Any = 0, scale: Any = None, iterations: int = 4, progress: Any = None
) -> tuple[Any, Any]:
    """The leading singular values s and right singular vectors Q (m x r) of diag(scale) X, of the host."""
    from manifact.backends.blocks import streamed_directions

    return streamed_directions.leading_directions(X, rank, random_state, scale, iterations)


def sketched_descent(*arguments: Any) -> None:
    """Steps one by one are as good: what is written down of them is computed in one walk."""


def cross(A: Any, B: Any) -> Any:
    """AᵀB, in float64."""
    return _over_samples(host_backend.cross, A, B, shape=(A.shape[1], B.shape[1]), dtype=np.float64)


def column_sums(P: Any) -> Any:
    """Σ_j p_j, in float64."""
    return _over_samples(host_backend.column_sums, P, shape=P.shape[1:], dtype=np.float64)


def column_products(A: Any, B: Any) -> Any:
    """Σ_j a_jk b_jk of every column k, in float64."""
    return _over_samples(host_backend.column_products, A, B, shape=A.shape[1:], dtype=np.float64)


def inner(A: Any, B: Any) -> Any:
    """Σ a_ij b_ij, a number that is computed when somebody needs it."""
    return _over_samples(host_backend.inner, A, B, shape=())


def _over_samples(function: Any, *arguments: Any, shape: Any, dtype: Any = None) -> Any:
    """A sum over the rows of arrays: over blocks, or of a small array's own rows."""
    if any(isinstance(argument, Rows) for argument in arguments):
        total = summed(function, *arguments, shape=shape)
        total._dtype = None if dtype is None else np.dtype(dtype)
        return total
    return apply(function, *arguments, shape=shape, dtype=dtype)


def _stepped(function: Any, P: Any, *arguments: Any) -> Any:
    """A step of a factor: a new array of the same size, which is kept."""
    return kept(apply(function, P, *arguments, columns=P.shape[1:], shape=P.shape, dtype=P.dtype))


def rescale(P: Any, negative: Any, positive: Any) -> Any:
    """P ∘ negative / positive, with a floor under the denominators."""
    return _stepped(host_backend.rescale, P, negative, positive)


def multiply_rows(
    P: Any, G: Any, B: Any, scale: Any, shift: Any, l1: float = 0.0, edges: Any = None, lam: float = 0.0
) -> Any:
    """P ∘ (B + λ W P) / (scale_j P G + shift_j P + l1), with the floor of `rescale`."""
    B = B if edges is None else B + lam * times(edges, P)
    return _stepped(host_backend.multiply_rows, P, G, B, scale, shift, l1)


def product(P: Any, G: Any) -> Any:
    """P G."""
    shape = (P.shape[0], G.shape[1])
    return apply(host_backend.product, P, G, columns=shape[1:], shape=shape, dtype=P.dtype)


def scale(P: Any, rows: Any = None, columns: Any = None) -> Any:
    """diag(rows) P diag(columns), either of them missing."""
    return apply(host_backend.scale, P, rows, columns, columns=P.shape[1:], shape=P.shape, dtype=P.dtype)


def ahead(new: Any, before: Any, rate: float) -> Any:
    """New + rate (new − before)."""
    return apply(host_backend.ahead, new, before, rate, columns=new.shape[1:], shape=new.shape, dtype=new.dtype)


def added(A: Any, B: Any) -> Any:
    """A + B."""
    return apply(host_backend.added, A, B, columns=A.shape[1:], shape=A.shape, dtype=A.dtype)


def overrelaxed(old: Any, new: Any, rate: float, most: float, floors: Any) -> Any:
    """New ∘ clip(new / old, 1/most, most)^rate, but not below min(new, floors), one for each column."""
    return _stepped(host_backend.overrelaxed, old, kept(new), rate, most, floors)


def log_costs(V: Any, a: Any, c: Any, l2: Any) -> tuple[Any, Any]:
    """Log V, and Σ_j a v − c log v + l2/2 v² of every column, in float64."""
    both = apply(host_backend.log_costs, V, a, c, l2, columns=())
    return apply(_item, both, 0, columns=V.shape[1:], dtype=V.dtype), summed(_item, both, 1, shape=V.shape[1:])


def _item(both: Any, place: int) -> Any:
    return both[place]


def edge_energies(W: Any, A: Any, B: Any) -> Any:
    """a_kᵀLb_k of every column, in float64: by products, since an edge may lead to another block."""
    degrees = like_rows(np.asarray(W.csr.sum(axis=1)).ravel(), A)
    return column_products(A, degrees[:, None] * B - times(W, B))


def sweep_rows(
    V: Any, G: Any, B: Any, scale: Any, shift: Any, sweeps: int, edges: Any = None, lam: float = 0.0,
    groups: Sequence[Any] | None = None,
) -> Any:  # fmt: skip
    """V after exact coordinate steps on scale_j vᵀGv − 2 b_jᵀv + shift_j vᵀv, v ≥ 0."""
    if edges is not None:
        raise BadValueError(
            "{solver}='bcd' sees neighbours one after the other, which X in blocks has not: use {solver}='mu', or {}",
            LANDMARKS,
        )
    return _stepped(host_backend.sweep_rows, V, G, B, scale, shift, sweeps)


def solve_columns(
    pieces: Any, A: Any, lam: float, B: Any, start: Any, tol: float, reduction: float
) -> tuple[Any, float]:
    """Systems that no factorisation solves look at all samples again and again."""
    raise BadValueError(
        "X in blocks of rows needs a {graph} whose systems are solved in one walk over the blocks: without sample "
        "weights, use {}",
        LANDMARKS,
    )


def nonnegative_least_squares(G: Any, B: Any, shift: Any = 0.0) -> Any:
    """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 b_jᵀv, each on its own."""
    columns = B.shape[1:]
    return kept(
        apply(host_backend.nonnegative_least_squares, G, B, shift, columns=columns, shape=B.shape, dtype=B.dtype)
    )


def sweep_affinity(V: Any, G: Any, B: Any, scale: Any, shift: Any, F: Any, inside: Any, mu: float, rounds: int) -> Any:
    """V after steps on Σ_j scale_j vᵀGv − 2 b_jᵀv + shift vᵀv + μ ‖F Fᵀ − V Vᵀ‖², V ≥ 0: it does not rise."""
    from manifact.backends.blocks.affinity_walks import swept

    return swept(V, G, B, scale, shift, F, inside, mu, rounds)


def landmark_mixtures(X: Any, landmarks: Any, n_neighbors: int, sigma: float | None, mixtures: Any) -> Any:
    """Every sample as a mixture of its nearest landmarks; ``mixtures`` makes the rows of a block."""
    from manifact.backends.blocks import landmark_blocks

    return landmark_blocks.landmark_mixtures(X, landmarks, n_neighbors, sigma, mixtures)
