"""One iteration of LPNMF by each solver, against one of NMF with the same divergence."""

from __future__ import annotations

from typing import Any

from manifact.experiments.bench.benchmark_samples import random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.timing import in_turns, iteration_seconds, summary, warm
from manifact.graphs import KNNGraph
from manifact.models import LPNMF, NMF

LAMBDA = 100.0
PLAIN = "NMF, mu"


def measure(setting: Setting) -> Outcome:
    """A row for each method."""
    samples, k, iterations = setting.samples, setting.scale.lpnmf_rank, setting.scale.lpnmf_iterations
    X = samples.X
    setting.show("lpnmf: graph")
    graph = KNNGraph(5, metric=samples.metric).build(X)
    # A tolerance of 0 would ask for linear systems solved to the last digits, which is not what users run.
    common: dict[str, Any] = {"init": random_start(X, k, seed=0), "max_iter": iterations, "tol": 1e-12}
    models = {
        PLAIN: NMF(k, loss="kullback-leibler", solver="mu", **common),
        "LPNMF, mu": LPNMF(k, graph_reg=LAMBDA, graph=graph, solver="mu", **common),
        "LPNMF, newton": LPNMF(k, graph_reg=LAMBDA, graph=graph, solver="newton", **common),
    }
    for model in models.values():
        warm(lambda model: iteration_seconds(model, X), model)

    def task(model: Any) -> Any:
        return lambda turn: iteration_seconds(model, X)

    tasks = {name: task(model) for name, model in models.items()}
    found = in_turns(tasks, setting.repeats, lambda text: setting.show(f"lpnmf: {text}"))
    rows: list[dict[str, Any]] = [
        {"method": name, "k": k} | summary("iteration ms", [1e3 * value for value in values])
        for name, values in found.items()
    ]
    for row in rows:
        row["ratio"] = row["iteration ms"] / rows[0]["iteration ms"]
    ratios = ", ".join(f"{row['ratio']:.2f} ({row['method']})" for row in rows[1:])
    note = (
        f"{samples}. 5 neighbours, λ = {LAMBDA:g}; the graph is built before. A turn gives the median of {iterations} "
        f"iterations but the first; medians and interquartile ranges of {setting.repeats} turns. An iteration takes "
        f"{ratios} times one of {PLAIN}."
    )
    return rows, note
