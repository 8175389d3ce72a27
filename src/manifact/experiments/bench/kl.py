"""One multiplicative iteration with the divergence, against scikit-learn and against the bandwidth of gathers."""

from __future__ import annotations

from statistics import median
from typing import Any

from scipy import sparse
from sklearn import decomposition

from manifact.backends import Array
from manifact.backends.numpy import sparse_times
from manifact.experiments.bench.data import random_start
from manifact.experiments.bench.setting import Outcome, Setting
from manifact.experiments.bench.timing import in_turns, per_iteration, seconds, summary, warm
from manifact.models import NMF


def measure(setting: Setting) -> Outcome:
    """A row for each k."""
    samples, iterations = setting.samples, setting.scale.kl_iterations
    rows = [_row(setting, samples.X, k) for k in setting.scale.kl_ranks]
    ratios = ", ".join(f"{row['ratio']:.2f} at k = {row['k']}" for row in rows)
    note = (
        f"{samples}. The same random start, no tolerance, multiplicative updates; an iteration is a run of "
        f"{iterations + 2} minus one of 2, over {iterations}; medians of {setting.repeats} turns and interquartile "
        f"ranges. scikit-learn's iteration takes {ratios} times ours."
    )
    if "gather GB/s" in rows[0]:
        shares = ", ".join(f"{row['share of gather']:.2f} at k = {row['k']}" for row in rows)
        note += (
            " Two passes over the non-zeros must move k values, an index and a value for each; the gather bandwidth is "
            "that of X U and XᵀV on the same pattern, measured in the same turns. Ours moves these bytes at "
            f"{shares} of it."
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

    tasks = {
        "ours": lambda turn: per_iteration(ours, iterations),
        "scikit-learn": lambda turn: per_iteration(theirs, iterations),
    }
    warm(ours, 1)
    if sparse.issparse(X):
        gather = Gather(X, V, UT)
        warm(gather.run, 1)
        tasks["gather"] = lambda turn: seconds(lambda: gather.run(iterations)) / iterations
    found = in_turns(tasks, setting.repeats, lambda text: setting.show(f"kl, k = {k}: {text}"))
    row: dict[str, Any] = {"k": k}
    row |= summary("ours ms", [1e3 * value for value in found["ours"]])
    row |= summary("sklearn ms", [1e3 * value for value in found["scikit-learn"]])
    row["ratio"] = row["sklearn ms"] / row["ours ms"]
    if "gather" in found:
        ours_s, gather_s = median(found["ours"]), median(found["gather"])
        row["ours GB/s"] = gather.n_bytes / ours_s / 1e9
        row["gather GB/s"] = gather.n_bytes / gather_s / 1e9
        row["share of gather"] = gather_s / ours_s
    return row


class Gather:
    """X U and XᵀV: for every non-zero a row of the other factor is fetched and added, and nothing else."""

    def __init__(self, X: Any, V: Array, UT: Array) -> None:
        self._products = ((X, UT.T.copy()), (sparse.csr_array(X.T), V))
        entry = V.shape[1] * V.itemsize + X.indices.itemsize + X.data.itemsize
        #: What both passes must move.
        self.n_bytes = 2 * X.nnz * entry

    def run(self, times: int) -> None:
        """Both products, several times."""
        for _ in range(times):
            for matrix, factor in self._products:
                sparse_times(matrix, factor)
