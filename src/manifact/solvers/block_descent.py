"""Block coordinate descent for quadratic objectives: exact coordinate steps, and momentum.

Where V has a penalty the problem is ‖X − V Uᵀ‖² + λ Tr(VᵀLV) with ‖u_k‖ = 1: without that constraint scale moves from V
to U, and the penalty means less at every iteration. Given V, scale may be moved freely if the penalty goes along, so
the constrained problem is the same as the free one with λ Σ_k ‖u_k‖² v_kᵀLv_k: quadratic in U, separable over its rows.
Each row of V or U is improved by exact coordinate steps, then the scale goes back into V.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manifact.backends import Array, backend_of, identity, namespace, on_host
from manifact.solvers.momentum import with_momentum
from manifact.solvers.solver import Memory, solver
from manifact.terms.losses import Loss
from manifact.terms.state import State
from manifact.terms.term import Term, gather_forms

#: Rounds of coordinate steps for every product with X. More of them reach poorer minima sooner; on a graph they pay.
SWEEPS = 1
GRAPH_SWEEPS = 2


def feasible(terms: Sequence[Any], s: State) -> State:
    """The state to start from: unit basis vectors, where they have to be."""
    return _settled(terms, s)


@solver("bcd", needs="rows", kinds=frozenset({"factors"}), begin=feasible, one_loss=True)
def block_descent(terms: Sequence[Any], s: State, memory: Memory) -> tuple[State, Memory]:
    """One iteration: V with momentum, U with momentum; without it where it did not pay."""
    return with_momentum(terms, partial(_iterate, terms), s, memory, partial(_sized, terms))


def penalties(terms: Sequence[Any], s: State, block: str) -> Any:
    """What the terms beside the loss make of a block, as a quadratic of its rows; None where they leave it alone."""
    return gather_forms([term for term in terms if not isinstance(term, Loss)], "rows", s, block)


def _holds_basis(terms: Sequence[Any], s: State) -> bool:
    """Whether basis vectors must keep a size: V has a penalty that shrinks while they grow, and they have none."""
    return penalties(terms, s, "V") is not None and penalties(terms, s, "U") is None


def _sized(terms: Sequence[Any], s: State) -> State:
    """V in the size that fits best: from one far too large the first coordinate steps would empty most parts."""
    scale = gather_forms(terms, "rows", s, "V").best_scale(s.V)
    return s if scale is None else s.replace("V", s.V * scale)


def _iterate(terms: Sequence[Any], s: State, before: State, rate: float) -> State:
    """V, then U, each from a point ahead."""
    alone = terms[0] if len(terms) == 1 and hasattr(terms[0], "descended") else None
    new = None if alone is None else alone.descended(s, before, rate, SWEEPS)
    return _step_by_step(terms, s, before, rate) if new is None else _settled(terms, new)


def _step_by_step(terms: Sequence[Any], s: State, before: State, rate: float) -> State:
    """The same for any sum of terms."""
    point = s.ahead(before, rate)
    V = gather_forms(terms, "rows", point, "V").lowered(point.V, SWEEPS, GRAPH_SWEEPS)
    new = s.replace("V", V)
    new.XtV  # noqa: B018 - made here, so that the point ahead of it costs no product
    form = gather_forms(terms, "rows", new.ahead(s, rate, "V").replace("U", point.U), "U")
    if _holds_basis(terms, s):
        # What ‖u_k‖² costs in the penalties on V, if V takes over the scale of U. L1 costs ‖u_k‖ Σ_j v_jk, which lies
        # below (‖u_k‖² + 1) / 2 times the sum and meets it at ‖u_k‖ = 1.
        costs = penalties(terms, new, "V").column_costs(V)
        form = replace(form, G=form.G + costs * identity(form.G))
    return _settled(terms, new.replace("U", form.lowered(point.U, SWEEPS)))


def _settled(terms: Sequence[Any], s: State) -> State:
    """Basis vectors of unit length with their scale in V, where they have to be.

    Vectors of zeros start anew, unless a penalty may make it best to be empty.
    """
    xp = namespace(s.U)
    lengths = xp.sqrt(xp.linalg.diagonal(s.UtU_wide))
    dead = np.flatnonzero(on_host(lengths) == 0)
    if len(dead) and not _may_be_empty(terms, s):
        s = _revived(terms, s, dead)
    return s.rescaled(xp.where(lengths == 0, 1.0, lengths)) if _holds_basis(terms, s) else s


def _may_be_empty(terms: Sequence[Any], s: State) -> bool:
    held = penalties(terms, s, "V")
    return penalties(terms, s, "U") is not None or (held is not None and (held.B is not None or held.l1 > 0))


def _revived(terms: Sequence[Term], s: State, dead: Array) -> State:
    """Each dead part becomes what is left of one of the worst-fitted samples; its column of V is 0 until its turn."""
    (loss,) = (term for term in terms if isinstance(term, Loss))
    worst = np.argsort(-on_host(loss.misfits(s)), kind="stable")[: len(dead)]  # type: ignore[attr-defined]
    if s.data.square_sum > 0:
        warnings.warn(
            f"{len(dead)} of {s.U.shape[1]} parts had become empty and start anew from badly fitted samples: lower "
            "n_components or graph_reg if this keeps happening",
            ConvergenceWarning,
            stacklevel=2,
        )
    U, V = np.array(on_host(s.U)), np.array(on_host(s.V))
    V[:, dead] = 0
    for part, j in zip(dead, worst, strict=False):
        left = np.maximum(on_host(s.data.row(j)) - U @ V[j], 0)
        length = np.sqrt(float(left @ left))
        U[:, part] = left / length if length > 0 else 1 / np.sqrt(len(left))
    U[:, dead[len(worst) :]] = 1 / np.sqrt(len(U))
    return s.replace("V", backend_of(s.V).like_rows(V, s.V)).replace("U", backend_of(s.U).like(U, s.U))
