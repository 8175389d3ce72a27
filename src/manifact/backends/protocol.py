"""What a backend offers, and what data offer: the narrow waist between the mathematics and the machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from manifact.backends.matrix import Matrix, Pieces

#: A dense array of any backend; NumPy's stand for all of them where types are written down.
Array = np.ndarray[Any, np.dtype[Any]]
#: Called with the share of the work that is newly done.
Advance = Callable[[float], None]
#: Shows a piece of work, named and with its total, to whoever wants to see it.
ShowProgress = Callable[[str, float], AbstractContextManager[Advance]]


@contextmanager
def silent(title: str, total: float) -> Iterator[Advance]:
    """Progress that nobody watches."""
    yield lambda amount: None


class Products(Protocol):
    """What all data offer; Γ holds the sample weights (identity where there are none)."""

    shape: tuple[int, int]
    dtype: Any
    weight: Array | None

    def times(self, U: Array) -> Array:
        """Γ X U (for kernels K U, not weighted)."""

    @property
    def square_sum(self) -> float:
        """Σ γ_j x_ji²."""

    @property
    def row_squares(self) -> Array:
        """‖x_j‖², not weighted; 0 for samples whose weight is 0."""

    def settled(self, value: float, U: Array, V: Array) -> float:
        """Σ γ_j (x_ji − y_ji)² where the expanded square ``value`` lost its digits: anew if that is cheap, or ≥ 0."""

    def weighted(self, V: Array) -> Array:
        """Γ V."""

    def gram(self, V: Array) -> Array:
        """Vᵀ Γ V, in float64."""

    def cross(self, A: Array, B: Array) -> Array:
        """AᵀB, in float64."""

    def weighted_sums(self, V: Array) -> Array:
        """Σ_j γ_j v_j, in float64."""

    def sums(self, P: Array) -> Array:
        """Σ_i p_i of each column, in float64."""

    #: Whether `settled` is as cheap as asking if it is needed.
    settles_for_free: bool

    def inner(self, A: Array, B: Array) -> Any:
        """Σ a_ij b_ij, a number or one of the device: who needs it here, or every so often, fetches it."""

    def rescale(self, P: Array, negative: Array, positive: Array) -> Array:
        """P ∘ negative / positive, with a floor under the denominators."""


@dataclass(frozen=True)
class Descent:
    """Factors after an iteration of block descent, and what is known of them."""

    U: Array
    V: Array
    XtV: Array
    #: UᵀU, VᵀV and <X U, V>, in float64.
    UtU: Array
    VtV: Array
    overlap: float


class Data(Products, Protocol):
    """Γ X with all that models do to it."""

    @property
    def signed(self) -> bool:
        """Whether X has negative entries."""

    def times_transposed(self, V: Array) -> Array:
        """Xᵀ Γ V."""

    def descended(
        self, U: Array, V: Array, before: tuple[Array, Array], rate: float, XtV: Array, sweeps: int
    ) -> Descent | None:
        """V, then U, after exact coordinate steps on ‖X − V Uᵀ‖² from points ahead of those ``before`` by ``rate``.

        None where the steps one by one are as good.
        """

    def halves(self) -> tuple[Data, Data]:
        """X⁺ and X⁻ ≥ 0 with X = X⁺ − X⁻, not weighted."""

    def ratio_times(self, U: Array, V: Array) -> tuple[Array, float]:
        """(Γ X / Y) U and Σ γ_j x_ji log y_ji, Y = V Uᵀ."""

    def ratio_times_transposed(self, U: Array, V: Array) -> Array:
        """(Γ X / Y)ᵀ V."""

    def dense_blocks(self) -> Iterator[tuple[slice, Array]]:
        """X, not weighted, a block of rows at a time, for losses without kernels of their own; sparse X is refused."""

    def row(self, j: int) -> Array:
        """Row j of X, dense, not weighted."""

    @property
    def squares(self) -> Array:
        """Σ_i γ_j x_ji² of each sample."""

    @property
    def entry_sum(self) -> float:
        """Σ γ_j x_ji."""

    @property
    def entropy_sum(self) -> float:
        """Σ γ_j (x_ji log x_ji − x_ji)."""

    def project_least_squares(self, U: Array, G: Array, pull: Array | None, shift: Any, l1: float) -> Array:
        """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 (x_jU + pull_j − l1/2)ᵀv, each on its own."""

    def project_divergence(self, U: Array, pull: Array | None, shift: Any, l1: float, l2: float) -> Array:
        """Rows argmin_{v ≥ 0} KL(x_j ‖ U v) + Σ (l1 + shift_j) v + l2/2 v² − pull_j log v, each on its own."""


class Gram(Products, Protocol):
    """K = X Xᵀ or another kernel in the place of X, n x n and symmetric."""

    #: Whether K has negative entries, or may have.
    signed: bool

    def times_positive(self, P: Array) -> Array:
        """K⁺ P, for some K = K⁺ − K⁻ with both parts ≥ 0."""

    def times_negative(self, P: Array) -> Array:
        """K⁻ P."""


class Rows(Protocol):
    """What graphs ask of samples, rows of X, dense or sparse. A module of functions is one.

    Matrices stay where they are; what has one number for each sample, or each pair of samples, is NumPy's.
    """

    def as_samples(self, X: Any) -> Any:
        """X as finite floats (counts of 8 bits must not overflow), sparse X as CSR."""

    def is_real(self, X: Any) -> bool:
        """Whether entries are numbers without an imaginary part."""

    def as_floats(self, X: Any) -> Any:
        """X in float32 where it is, else in float64; a sparse layout other than CSR as that."""

    def is_sparse(self, X: Any) -> bool:
        """Whether zeros are not stored."""

    def taken(self, X: Any, some: Any) -> Any:
        """The rows with these numbers."""

    def dense(self, X: Any) -> Array:
        """X with its zeros."""

    def typed(self, X: Any, dtype: Any) -> Any:
        """X in a type that NumPy names."""

    def over(self, X: Any, number: float) -> Any:
        """X over a number."""

    def of_kind(self, X: Any, sparsely: bool) -> Any:
        """X as it can be compared with sparse rows, or with dense ones."""

    def extent(self, X: Any) -> tuple[float, float]:
        """The smallest and the largest entry; 0 and 0 where there is none."""

    def lengths(self, X: Any) -> Array:
        """‖x_j‖ of every row, in float64."""

    def at_unit_length(self, X: Any) -> Any:
        """Rows of length 1; those without entries stay."""

    def square_roots(self, X: Any) -> Any:
        """The roots of the entries."""

    def empty(self, X: Any) -> Array:
        """Which rows hold nothing but zeros."""

    def first_equal(self, X: Any) -> Array:
        """For each row the number of the first row that equals it."""

    def pair_products(self, A: Any, B: Any, rows: Array, columns: Array) -> Array:
        """⟨a_row, b_column⟩ of these pairs."""

    def pair_squares(self, A: Any, B: Any, rows: Array, columns: Array) -> Array:
        """‖a_row − b_column‖² of these pairs."""


class Backend(Protocol):
    """Operations that are worth a kernel, or that sum over samples. A module of functions is one."""

    #: What graphs ask of samples.
    rows: Rows

    def data(self, X: Any, weight: Array | None) -> Data:
        """Γ X."""

    def host(self, P: Any) -> Any:
        """The same numbers as a NumPy array or SciPy matrix."""

    def like(self, P: Any, other: Any) -> Any:
        """An array or sparse matrix of the host where ``other`` lives; its type is kept."""

    def like_rows(self, P: Any, other: Any) -> Any:
        """The same for an array with a row for each sample: where samples come in blocks, so does this."""

    def kept(self, P: Array) -> Array:
        """P, which will be read more than once: where arrays are formulas, its numbers are kept."""

    def times(self, W: Matrix, V: Array) -> Array:
        """W V."""

    def cross(self, A: Array, B: Array) -> Array:
        """AᵀB, in float64."""

    def column_sums(self, P: Array) -> Array:
        """Σ_j p_j, in float64."""

    def column_products(self, A: Array, B: Array) -> Array:
        """Σ_j a_jk b_jk of every column k, in float64."""

    def inner(self, A: Array, B: Array) -> Any:
        """Σ a_ij b_ij, summed in float64: a number or one of the device."""

    def rescale(self, P: Array, negative: Array, positive: Array) -> Array:
        """P ∘ negative / positive, with a floor under the denominators."""

    def multiply_rows(
        self, P: Array, G: Array, B: Any, scale: Any, shift: Any, l1: float = 0.0, edges: Matrix | None = None,
        lam: float = 0.0,
    ) -> Array:  # fmt: skip
        """P ∘ (B + λ W P) / (scale_j P G + shift_j P + l1), with the floor of ``rescale``: all these parts are ≥ 0."""

    def product(self, P: Array, G: Array) -> Array:
        """P G, for P with many rows."""

    def scale(self, P: Array, rows: Any = None, columns: Any = None) -> Array:
        """diag(rows) P diag(columns), either of them missing."""

    def ahead(self, new: Array, before: Array, rate: float) -> Array:
        """New + rate (new − before)."""

    def added(self, A: Array, B: Array) -> Array:
        """A + B, where they have a row for each sample."""

    def overrelaxed(self, old: Array, new: Array, rate: float, most: float, floors: Array) -> Array:
        """New ∘ clip(new / old, 1/most, most)^rate, but not below min(new, floors), one for each column."""

    def log_costs(self, V: Array, a: Any, c: Any, l2: Any) -> tuple[Array, Array]:
        """Log V, and Σ_j a v − c log v + l2/2 v² of every column, in float64."""

    def edge_energies(self, W: Matrix, A: Array, B: Array) -> Array:
        """a_kᵀLb_k = ½ Σ_js W_js (a_jk − a_sk)(b_jk − b_sk) of every column, in float64."""

    def edge_gaussians(self, W: Matrix, V: Array) -> Matrix:
        """W_ij exp(−‖v_i − v_j‖²) on the edges of W."""

    def edge_classes(self, W: Matrix) -> Sequence[Array]:
        """The vertices of W in groups without edges inside."""

    def solve_columns(
        self, pieces: Pieces, A: Array, lam: float, B: Array, start: Array | None, tol: float, reduction: float
    ) -> tuple[Array, float]:
        """Column k is (diag(A_k) + λL)⁻¹ b_k, and the largest relative residual that is left."""

    def sweep_rows(
        self, V: Array, G: Array, B: Array, scale: Any, shift: Any, sweeps: int, edges: Matrix | None = None,
        lam: float = 0.0, groups: Sequence[Array] | None = None,
    ) -> Array:  # fmt: skip
        """V after exact coordinate steps on scale_j vᵀGv − 2 (b_j + λ Σ_s W_js v_s)ᵀv + shift_j vᵀv, v ≥ 0."""

    def sweep_affinity(
        self, V: Array, G: Array, B: Array, scale: Any, shift: float, F: Array, inside: Array, mu: float, rounds: int
    ) -> Array:
        """V after steps on Σ_j scale_j vᵀGv − 2 b_jᵀv + shift vᵀv + μ ‖F Fᵀ − V Vᵀ‖², V ≥ 0: it does not rise."""

    def nonnegative_least_squares(self, G: Array, B: Array, shift: Any = 0.0) -> Array:
        """Rows argmin_{v ≥ 0} vᵀ(G + shift_j I)v − 2 b_jᵀv, each on its own."""

    def sketched_descent(
        self, rows: Array, directions: Array, U: Array, V: Array, before: tuple[Array, Array], rate: float,
        along: Array, drawn: Array | None, sweeps: int,
    ) -> tuple[Descent, Array, Array] | None:  # fmt: skip
        """As `Data.descended`, of X ~ ``rows`` ``directions``ᵀ with orthonormal directions Q.

        ``along`` is Qᵀ of the point ahead of U and ``drawn`` rowsᵀ of the last V (None without momentum); the same of
        the new factors come beside the answer.
        """

    def leading_directions(
        self, X: Any, rank: int, random_state: Any = 0, scale: Array | None = None, iterations: int = 4,
        progress: ShowProgress = silent,
    ) -> tuple[Array, Array]:  # fmt: skip
        """The leading singular values s and right singular vectors Q (m x r) of diag(scale) X, r at most ``rank``."""

    def projected(self, X: Any, Q: Array) -> Array:
        """X Q in float64."""

    def nearest(
        self, X: Any, n_neighbors: int, queries: Any = None, farthest: bool = False, title: str = "neighbours",
        progress: ShowProgress = silent,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Indices and squared distances of the rows of X nearest to (or farthest from) each query."""

    def nearest_by_projection(
        self, X: Any, n_neighbors: int, random_state: Any = 0, progress: ShowProgress = silent
    ) -> tuple[Array, Array]:
        """As ``nearest``, for almost all neighbours, by way of a projection."""

    def row_products(self, X: Any) -> Array:
        """X Xᵀ as an array of X's type."""

    def nearest_by_products(self, G: Array, n_neighbors: int) -> tuple[Array, Array]:
        """As ``nearest`` of rows whose inner products G are known: g_ii + g_jj − 2 g_ij, with the digits of G."""

    def reached(
        self, X: Any, squares: Array, queries: Any, farthest: bool = False, progress: ShowProgress = silent
    ) -> tuple[Array, Array]:
        """Pairs (query, row of X) whose squared distance is below (or above) the row's own ``squares``."""

    def kmeans(self, X: Any, k: int, starts: int, rng: np.random.RandomState) -> tuple[Array, Array]:
        """The cluster of each row of X and the k centres, k x m, of the best of several runs of k-means."""

    def exchanged(self, F: Array, labels: Array, k: int, failures: int, rng: np.random.RandomState) -> Array:
        """Labels of k clusters of rows after centres have gone where they are missed more, until so many moves fail."""

    def cluster_centres(self, X: Any, centres: Array, iterations: int, progress: ShowProgress = silent) -> Array:
        """Dense p x m centres, each the mean of the rows of X nearest to it, after so many turns from given ones.

        Those that are given may be overwritten.
        """
