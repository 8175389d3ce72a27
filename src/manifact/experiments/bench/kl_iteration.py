"""One multiplicative iteration with the divergence, against scikit-learn and against the bandwidth of gathers."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from scipy import sparse
from sklearn import decomposition

from manifact.backends import Array
from manifact.backends.numpy.numpy_operations import gather_rows, sparse_times
from manifact.experiments.bench.benchmark_samples import random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.timing import in_turns, per_iteration, seconds, summary, warm
from manifact.models import NMF

#: Our iterations are short: so many times as many of them are timed, lest the clock's noise be measured.
OURS_AS_MANY = 5
#: What is held against an iteration: rows read and added up, and our own products.
READERS: dict[str, Callable[[Any, Array], Array]] = {"gather": gather_rows, "product": sparse_times}


def measure(setting: Setting) -> Outcome:
    """A row for each k."""
    samples, iterations = setting.samples, setting.scale.kl_iterations
    rows = [_row(setting, samples.X, k) for k in setting.scale.kl_ranks]
    ratios = ", ".join(f"{row['ratio']:.2f} at k = {row['k']}" for row in rows)
    note = (
        f"{samples}. The same random start, no tolerance, multiplicative updates; an iteration is a run of "
        f"{iterations + 2} minus one of 2, over {iterations} (ours: {OURS_AS_MANY} times as many); medians of "
        f"{setting.repeats} turns and interquartile ranges. scikit-learn's iteration takes {ratios} times ours."
    )
    if "gather GB/s" in rows[0]:
        shares = ", ".join(f"{row['share of gather']:.2f} at k = {row['k']}" for row in rows)
        note += (
            " Two passes over the non-zeros must move k values, an index and a value for each. The gather bandwidth is "
            "that of a plain compiled loop which reads the same rows and adds them up, the product's that of our own "
            "X U and XᵀV, both on the same pattern and in the same turns. Ours moves these bytes at "
            f"{shares} of the gather bandwidth."
        )
    return rows, note


def _row(setting: Setting, X: Any, k: int) -> dict[str, Any]:
    V, UT = random_start(X, k, seed=0)
    iterations = setting.scale.kl_iterations

    def ours(max_iter: int) -> None:
        NMF(k, loss="kullback-leibler", solver="mu", init=(V, UT), max_iter=max_iter, tol=0, normalize=None).fit(X)

    def theirs(max_iter: int) -> None:
        settings = {"solver": "mu", "beta_loss": "kullback-leibler", "init": "custom", "max_iter": max_iter, "tol": 0}
        # It writes into the start.
        decomposition.NMF(k, **settings).fit_transform(X, W=V.copy(), H=UT.copy())

    tasks: dict[str, Callable[[int], float]] = {
        "ours": lambda turn: per_iteration(ours, OURS_AS_MANY * iterations),
        "scikit-learn": lambda turn: per_iteration(theirs, iterations),
    }
    warm(ours, 1)
    if sparse.issparse(X):
        passes = Passes(X, V, UT)
        for name, read in READERS.items():
            warm(passes.run, read, 1)
            tasks[name] = passes.timed(read, iterations)
    found = in_turns(tasks, setting.repeats, lambda text: setting.show(f"kl, k = {k}: {text}"))
    row: dict[str, Any] = {"k": k}
    row |= summary("ours ms", [1e3 * value for value in found["ours"]])
    row |= summary("sklearn ms", [1e3 * value for value in found["scikit-learn"]])
    row["ratio"] = row["sklearn ms"] / row["ours ms"]
    if sparse.issparse(X):
        row["ours GB/s"] = passes.n_bytes / median(found["ours"]) / 1e9
        for name in READERS:
            row[f"{name} GB/s"] = passes.n_bytes / median(found[name]) / 1e9
            row[f"share of {name}"] = median(found[name]) / median(found["ours"])
    return row


class Passes:
    """Both passes over the non-zeros: for each of them a row of the other factor is fetched and added."""

    def __init__(self, X: Any, V: Array, UT: Array) -> None:
        self._products = ((X, UT.T.copy()), (sparse.csr_array(X.T), V))
        entry = V.shape[1] * V.itemsize + X.indices.itemsize + X.data.itemsize
        #: What both passes must move.
        self.n_bytes = 2 * X.nnz * entry

    def run(self, read: Callable[[Any, Array], Array], times: int) -> None:
        """Both, several times."""
        for _ in range(times):
            for matrix, factor in self._products:
                read(matrix, factor)

    def timed(self, read: Callable[[Any, Array], Array], times: int) -> Callable[[int], float]:
        """What measures one of them."""
        return lambda turn: seconds(lambda: self.run(read, times)) / times
