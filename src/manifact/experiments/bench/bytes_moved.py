"""Bytes that an iteration moves, those that it must move, and how near it is to the time that these take.

What any alternating method must do once per iteration: read X for X U and again for XᵀV, read both factors and write
them. Of sparse X every entry also fetches a row of the other factor. Beyond that ours reads and writes arrays of the
size of a factor so many times:

====== ============================================================== ==============================================
rule   n x k (V and X U)                                              m x k (U and XᵀV)
====== ============================================================== ==============================================
mu     X U written 1, multiply_rows 3, VᵀV 1, <X U, V> 2              XᵀV written 1, multiply_rows 3, UᵀU 1
bcd    X U 1, ahead V and X U 6, sweep 3, ahead V 3, VᵀV 2, <X U, V> 2 XᵀV 1, ahead U and XᵀV 6, sweep 3, UᵀU 2, ‖u‖ 1
====== ============================================================== ==============================================

and, for sparse X, 2 more of each: copies whose rows fill whole vectors.
"""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends.numpy.numpy_factors import column_sums
from manifact.backends.numpy.numpy_operations import gather_rows
from manifact.experiments.bench.benchmark_samples import Samples, random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.kl_iteration import Passes
from manifact.experiments.bench.measured_models import model_of
from manifact.experiments.bench.timing import in_turns, iteration_seconds, seconds, warm

#: How often n x k and m x k arrays are read or written, by rule: see above.
PASSES = {"NMF": (7, 5), "NMF, bcd": (17, 13)}
COPIES = 2
#: Of which a method must make two: factors are read, and written.
LEAST = 2
GIGA = 1e9


def measure(setting: Setting) -> Outcome:
    """A row for each data set and rule."""
    sets = list(setting.sets("tdt2", "pie", "mnist"))
    rows = [row for samples in sets for row in _rows(setting, samples)]
    note = (
        f"{'; '.join(map(str, sets))}. What must move is X, twice, and both factors, read and written (sparse X: and a "
        "row of a factor for each entry). The bound is the time of these bytes at the rate at which this machine reads "
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
    models = {name: model_of(name, samples, k, setting.scale.thread_iterations) for name in PASSES}
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
    bound = max((2 * read + factors) / rate, adds / product)
    rows = []
    for name, (tall, wide) in PASSES.items():
        copies = COPIES if sparse.issparse(X) else 0
        moved = 2 * read + ((tall + copies) * n + (wide + copies) * m) * k * f
        rows.append(
            {
                "data": samples.name,
                "rule": name,
                "k": k,
                "must move MB": (2 * read + factors) / 1e6,
                "moved MB": moved / 1e6,
                "GB/s": rate / GIGA,
                "multiply-adds G/s": product / GIGA,
                "limited by": "bytes" if (2 * read + factors) / rate >= adds / product else "multiply-adds",
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
        passes = Passes(X, V, UT)
        return rates | {"gather": passes.timed(gather_rows, 3)}
    return rates | {"read": lambda turn: seconds(lambda: column_sums(X))}


def _bytes(X: Any) -> int:
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sparse.issparse(X) else X.nbytes
