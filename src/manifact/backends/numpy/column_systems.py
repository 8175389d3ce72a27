"""(diag(A_k) + λL) z_k = b_k for many columns: conjugate gradients in passes over rows that threads share out.

Two passes a step, and a third where W has a product in it. All columns take their steps together, those that have
arrived stand still, and a vector's width of columns that stand still is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manifact.backends.matrix import Matrix, Pieces
from manifact.backends.numpy.constant_arrays import no_entries
from manifact.backends.numpy.kernels import conjugate_gradients as passes
from manifact.backends.numpy.kernels.lanes import VECTOR_BYTES
from manifact.backends.numpy.numpy_factors import moved
from manifact.backends.numpy.padded_rows import vectors
from manifact.backends.protocol import Array
from manifact.backends.threads import PER_NUMBER, over_rows

#: Steps at the most, fewer where a few digits will do, and few where not even one is asked for; and how often they
#: start again from the true residual.
MOST_STEPS = 20_000
FEW_STEPS = 300
ROUGH, ROUGH_STEPS = 0.1, 60
REFINEMENTS = 4
#: The residual that the iteration carries along drifts from the true one, whose squares may be so many times the goal.
DRIFT = 4
#: What an entry costs in double precision, in multiply-adds, and a number in a pass that moves a dozen of them.
PER_ENTRY, PER_STEP = 4, 3 * PER_NUMBER


def csr_arrays(M: Matrix | None, rows: int) -> tuple[Array, Array, Array]:
    """What a kernel reads of a matrix; one without entries where there is none."""
    if M is None:
        return no_entries(rows)
    return M.csr.indptr, M.csr.indices, M.csr.data


def solve_columns(
    pieces: Pieces, A: Array, lam: float, B: Array, start: Array | None, tol: float, reduction: float
) -> tuple[Array, float]:
    """Column k is (diag(A_k) + λL)⁻¹ b_k, and the largest relative residual that is left.

    A column is solved until its residual is below ``tol`` relative to b, or ``reduction`` times that of ``start``.
    """
    n, k = B.shape
    A = np.array(np.broadcast_to(A, (np.shape(A)[0] if np.ndim(A) == 2 else 1, k)), dtype=B.dtype)
    if start is None:
        diagonal = A + lam * pieces.degrees[:, None]
        start = B / np.where(diagonal > 0, diagonal, 1)
    most = MOST_STEPS if reduction == 0 else FEW_STEPS if reduction < ROUGH else ROUGH_STEPS
    system = _Systems(pieces, float(lam), n, k, B.dtype)
    system.lay_out(A, np.ascontiguousarray(B), np.ascontiguousarray(start, dtype=B.dtype))
    size, left = system.true_residual(system.all)
    # A start that is worse than none is dropped.
    dropped = (left >= size) & (left > 0)
    left = np.where(dropped, size, left)
    goal = np.maximum(tol**2 * size, reduction**2 * left)
    blocks = system.all
    for _ in range(REFINEMENTS if reduction == 0 else 1):
        blocks = system.all[(left > DRIFT * goal).any(axis=1) | dropped.any(axis=1)]
        if not len(blocks):
            break
        system.descend(blocks, dropped, left, goal, min(10 * n + 100, most))
        dropped = np.zeros_like(dropped)
        left[blocks] = system.true_residual(blocks)[1]
    ratio = np.sqrt(np.divide(left, size, out=np.zeros_like(left), where=size > 0))
    return system.solution(), float(ratio.max(initial=0.0))


@dataclass
class _Systems:
    """The systems of all columns, in blocks of a vector's width, and where their solution stands."""

    pieces: Pieces
    lam: float
    n: int
    k: int
    dtype: Any
    #: Blocks of columns.
    all: Array = field(init=False)

    def __post_init__(self) -> None:
        self.width = VECTOR_BYTES // np.dtype(self.dtype).itemsize
        self.all = np.arange(-(-self.k // self.width))
        self.tasks = -(-self.n // passes.TASK_ROWS)
        flat = self.pieces.flat
        self.p = 0 if flat is None else flat.shape[0]
        self._edges, self._tall = (csr_arrays(M, self.n) for M in (self.pieces.edges, self.pieces.tall))
        self._flat = csr_arrays(flat, self.p)
        self._between = np.empty((len(self.all) * self.p, self.width))
        self.D, self.inverse, self.b, self.z, self.R = (self._numbers() for _ in range(5))

    def _numbers(self) -> Array:
        return vectors(len(self.all) * self.n, self.width, self.dtype)

    def lay_out(self, A: Array, B: Array, start: Array) -> None:
        """Everything into blocks of columns."""
        loops = np.zeros(self.n) if self.pieces.loops is None else np.asarray(self.pieces.loops, dtype=np.float64)
        arrays = (A, B, start, self.lam, self.pieces.degrees + loops, loops, self.D, self.inverse, self.b, self.z)
        over_rows(passes.lay_out, self.n, PER_STEP * B.size, *arrays)

    def true_residual(self, blocks: Array) -> tuple[Array, Array]:
        """The squares of b and of b − A z in each column of the blocks; R holds the latter."""
        squares = np.empty((2, len(blocks) * self.tasks, self.width))
        arrays = (self.D, self.b, self.z, self.R, squares)
        self._over_entries(passes.true_residual, blocks, PER_ENTRY, self.z, *arrays)
        by_block = squares.reshape(2, len(blocks), self.tasks, self.width).sum(axis=2)
        return by_block[0], by_block[1]

    def descend(self, blocks: Array, dropped: Array, left: Array, goal: Array, most: int) -> None:
        """Conjugate gradients from R on, whose squares are ``left``, until they are below the goal."""
        Q, AQ, P, AP, step = (self._numbers() for _ in range(5))
        sums = np.empty((2, len(blocks) * self.tasks, self.width), dtype=self.dtype)
        rho, rho_before, left = np.zeros_like(left), np.zeros_like(left), left.copy()
        alpha, beta = np.zeros(left.shape, self.dtype), np.zeros(left.shape, self.dtype)
        arrays = (self.b, self.inverse, self.z, self.R, Q, P, AP, step, sums)
        self._over_tasks(passes.begin, blocks, PER_STEP, self.n, dropped, *arrays)
        rho[blocks] = sums[0].reshape(len(blocks), self.tasks, self.width).sum(axis=1, dtype=np.float64)
        moving = blocks
        for _ in range(most):
            self._over_entries(passes.apply, moving, 1, Q, self.D, Q, AQ, sums)
            if not passes.lengths(moving, self.tasks, sums, left, goal, rho, rho_before, alpha, beta):
                break
            own = (alpha, beta, self.inverse, Q, AQ, P, AP, step, self.R, sums)
            self._over_tasks(passes.advance, moving, PER_STEP, self.n, *own)
            more = passes.remains(moving, self.tasks, sums, goal, rho, rho_before, left)
            if not more:
                break
            if len(moving) > 1 and more <= (len(moving) - 1) * self.width:
                moving = moving[(left[moving] > goal[moving]).any(axis=1)]
        self.z = moved(self.z, step, 1.0) if len(blocks) == len(self.all) else self._with_steps(blocks, step)

    def _with_steps(self, blocks: Array, step: Array) -> Array:
        """Z after the steps of some blocks."""
        for block in blocks:
            rows = slice(block * self.n, (block + 1) * self.n)
            self.z[rows] += step[rows]
        return self.z

    def solution(self) -> Array:
        """Z, n x k."""
        Z = np.empty((self.n, self.k), dtype=self.dtype)
        over_rows(passes.collect, self.n, PER_NUMBER * Z.size, self.z, Z)
        return Z

    def _over_entries(self, kernel: Any, blocks: Array, cost: float, source: Array, *arrays: Any) -> None:
        """A pass that multiplies W with the ``source``."""
        if self.p:
            work = PER_ENTRY * len(blocks) * self.width * len(self._flat[1])
            over_rows(
                passes.between_rows, len(blocks) * self.p, work, blocks, *self._flat, source, self.n, self._between
            )
        entries = len(self._edges[1]) + len(self._tall[1]) + PER_NUMBER * self.n
        work = cost * len(blocks) * self.width * entries
        terms = (*self._edges, *self._tall, self._between, self.p, self.lam)
        over_rows(kernel, len(blocks) * self.tasks, work, blocks, *terms, *arrays)

    def _over_tasks(self, kernel: Any, blocks: Array, cost: float, *arrays: Any) -> None:
        over_rows(kernel, len(blocks) * self.tasks, cost * len(blocks) * self.width * self.n, blocks, *arrays)
