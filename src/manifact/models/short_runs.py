"""Random factors after a short run by least squares: it costs little, and what begins there ends sooner and lower.

On a sketch of dense X an iteration costs a fraction of one on X. Where the loss is a divergence, whose iterations cost
twice as much, a few on X itself pay as well.
"""

from __future__ import annotations

import warnings
from typing import Any

from manifact.backends import Array, backend_of, comes_in_blocks, namespace, on_host
from manifact.backends.sketched_data import SketchedData, directions_for
from manifact.models.problem import Problem
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.engine import run
from manifact.terms import Frobenius, State

#: Iterations at the most on a sketch and on X itself, and the tolerance that ends them.
ON_SKETCH, ON_SAMPLES, TOL = 100, 20, 1e-4
#: A sketch is made where it has this many times fewer directions than X has features and samples, and of fewer parts
#: than this where the directions would cost more than they save.
NARROWER, FEWEST_PARTS = 4, 6
#: Zeros cannot grow in multiplicative steps: they become this share of the mean.
FLOOR = 1e-2


def least_squares_run(data: Any, U: Array, V: Array, iterations: int, tol: float) -> State:
    """U and V after some iterations on ‖X − V Uᵀ‖², with a basis of unit length."""
    solver, terms = SOLVERS["bcd"], [Frobenius()]
    with warnings.catch_warnings():
        # Of a model that nobody asked for.
        warnings.simplefilter("ignore")
        result = run(solver.begin(terms, State(data, U, V)), terms, solver, max_iter=iterations, tol=tol)
    if result.reason == "interrupted":
        raise KeyboardInterrupt("interrupted before the first iteration")
    s, xp = result.state, namespace(result.state.UtU_wide)
    lengths = xp.sqrt(xp.linalg.diagonal(s.UtU_wide))
    return s.rescaled(xp.where(lengths == 0, 1.0, lengths))


def is_sketched(X: Any, k: int) -> bool:
    """Whether random factors for X see a sketch of it first."""
    dense = not backend_of(X).rows.is_sparse(X)
    return dense and k >= FEWEST_PARTS and min(X.shape) >= NARROWER * directions_for(k)


def after_least_squares(
    problem: Problem, U: Array, V: Array, everywhere: bool, multiplied: bool
) -> tuple[Array, Array]:
    """U and V after a short run: on a sketch where that pays, and otherwise on X, if it is to be ``everywhere``.

    Where they will be ``multiplied``, and of a divergence, no entry is zero. They are on the host, but for V of samples
    in blocks, which stays with them.
    """
    data: Any = problem.data
    if problem.weight is None and is_sketched(problem.X, problem.k):
        data, iterations = SketchedData.of(problem.X, data, problem.k), ON_SKETCH
    elif everywhere:
        iterations = ON_SAMPLES
    else:
        return U, V
    if data.square_sum == 0:
        return U, V
    s = least_squares_run(data, problem.basis(U), problem.factor(V), iterations, TOL)
    U, V = s.U, s.V
    if everywhere or multiplied:
        U, V = _raised(U), _raised(V)
    return on_host(U), backend_of(V).kept(V) if comes_in_blocks(problem.X) else on_host(V)


def _raised(P: Array) -> Array:
    """P without zeros."""
    mean = float(on_host(backend_of(P).column_sums(P)).sum()) / max(1, P.shape[0] * P.shape[1])
    return namespace(P).astype(P + FLOOR * mean, P.dtype, copy=False)
