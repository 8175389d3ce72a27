"""Bytes that an iteration moves, those that it must move, and how near it is to the time that these take.

What a method of products one after the other must do once per iteration: read X for X U and again for XᵀV, read both
factors and write them; with a graph, read its edges. Every entry of a sparse matrix also fetches a row of a factor.
With f bytes for a number, that is 2 |X| + 2 (n + m) k f for dense X, and nnz (k f + 12) for each pass over a sparse
matrix. Beyond that ours reads and writes arrays of the size of a factor so many times:

========= ======================================================= =====================================================
rule      n x k (V and X U)                                       m x k (U and XᵀV)
========= ======================================================= =====================================================
mu        X U written 1, multiply_rows 3, VᵀV 1                   XᵀV written 1, multiply_rows 3, UᵀU 1, <U, XᵀV> 2
bcd       V and the one before read, V written 3                  ahead 3, UᵀU 1, three read and two written 5
mu graph  as mu, copy for the edges 2, energies 1                 as mu
bcd graph ahead V 3, X U 1, copy 2, two sweeps 8, ahead V 3,      ahead U and XᵀV 6, UᵀU 3, XᵀV 1, ahead XᵀV 3,
          VᵀV 2, energies 2, scale moved 2                        sweep 3, scale moved 4, <U, XᵀV> 2
========= ======================================================= =====================================================

and, for sparse X, copies whose rows fill whole vectors: 2 for each product, of which bcd makes that of U on its way.
Without a graph bcd reads dense X once: V is done with a block of rows while they are in cache, and XᵀV with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends.numpy.numpy_factors import column_sums
from manifact.backends.numpy.numpy_operations import gather_rows
from manifact.experiments.bench.benchmark_samples import Samples, random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.kl_iteration import Passes as PatternPasses
from manifact.experiments.bench.measured_models import ON_GRAPHS, graph_of, model_of
from manifact.experiments.bench.timing import in_turns, iteration_seconds, seconds, warm


@dataclass(frozen=True)
class Passes:
    """How often n x k and m x k arrays are read or written, with the copies for sparse X; see above."""

    tall: int
    wide: int
    copies: tuple[int, int] = (2, 2)
    #: How often dense X is read, and how often the edges of a graph are.
    reads: int = 2
    edges: float = 0.0


#: Energies look at each edge from one side.
RULES = {
    "NMF": Passes(5, 7),
    "NMF, bcd": Passes(3, 9, (2, 0), reads=1),
    "GNMF": Passes(8, 7, edges=1.5),
    "GNMF, bcd": Passes(23, 22, edges=3.0),
}
#: An edge: its end and its weight.
EDGE_BYTES = 12
#: Of which a method must make two: factors are read, and written.
LEAST = 2
GIGA = 1e9


def measure(setting: Setting) -> Outcome:
    """A row for each data set and rule."""
    sets = list(setting.sets("tdt2", "pie", "mnist"))
    rows = [row for samples in sets for row in _rows(setting, samples)]
    note = (
        f"{'; '.join(map(str, sets))}. What must move is X, twice, and both factors, read and written (sparse X: and a "
        "row of a factor for each entry; GNMF: and the edges, with a row for each). Without a graph `bcd` reads dense "
        "X once. The bound is the time of these bytes at the rate at which this machine reads "
        "X (sparse X: at which a plain loop gathers such rows), or, if that is longer, of the multiply-adds at that "
        f"of a large product of matrices. Medians of {setting.repeats} turns, all threads. Bound / iteration: "
        + ", ".join(f"{row['share of bound']:.2f} ({row['data']}, {row['rule']})" for row in rows)
        + "."
    )
    return rows, note


def _rows(setting: Setting, samples: Samples) -> list[dict[str, Any]]:
    X, k = samples.X, setting.scale.thread_rank
    (n, m), f = X.shape, X.dtype.itemsize
    V, UT = random_start(X, k, seed=0)
    models = {name: model_of(name, samples, k, setting.scale.thread_iterations) for name in RULES}
    tasks = {name: _timed(model, X) for name, model in models.items()} | _rates(setting, X, V, UT)
    for task in tasks.values():
        warm(task, 0)
    found = in_turns(tasks, setting.repeats, lambda text: setting.show(f"bytes: {samples.name}: {text}"))
    times = {name: median(values) for name, values in found.items()}
    read = _bytes(X) + (X.nnz * k * f if sparse.issparse(X) else 0)
    factors = LEAST * (n + m) * k * f
    rate = _bytes(X) / times["read"] if "read" in times else 2 * read / times["gather"]
    adds = 2 * k * (X.nnz if sparse.issparse(X) else X.size) + 2 * (n + m) * k * k
    product = setting.scale.product_rows**3 / times["product"]
    edges = graph_of(samples).W.nnz * (k * f + EDGE_BYTES)
    rows = []
    for name, passes in RULES.items():
        copies, reads = (passes.copies, 2) if sparse.issparse(X) else ((0, 0), passes.reads)
        tall, wide = passes.tall + copies[0], passes.wide + copies[1]
        moved = reads * read + (tall * n + wide * m) * k * f + passes.edges * edges
        must = 2 * read + factors + (edges if name in ON_GRAPHS else 0)
        bound = max(must / rate, adds / product)
        rows.append(
            {
                "data": samples.name,
                "rule": name,
                "k": k,
                "must move MB": must / 1e6,
                "moved MB": moved / 1e6,
                "GB/s": rate / GIGA,
                "multiply-adds G/s": product / GIGA,
                "limited by": "bytes" if must / rate >= adds / product else "multiply-adds",
                "bound ms": 1e3 * bound,
                "iteration ms": 1e3 * times[name],
                "share of bound": bound / times[name],
            }
        )
    return rows


def _timed(model: Any, X: Any) -> Any:
    return lambda turn: iteration_seconds(model, X)


def _rates(setting: Setting, X: Any, V: Any, UT: Any) -> dict[str, Any]:
    """What tells how fast this machine reads and multiplies."""
    size = setting.scale.product_rows
    A = np.ones((size, size), dtype=X.dtype)
    rates = {"product": lambda turn: seconds(lambda: A @ A.T)}
    if sparse.issparse(X):
        passes = PatternPasses(X, V, UT)
        return rates | {"gather": passes.timed(gather_rows, 3)}
    return rates | {"read": lambda turn: seconds(lambda: column_sums(X))}


def _bytes(X: Any) -> int:
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sparse.issparse(X) else X.nbytes
