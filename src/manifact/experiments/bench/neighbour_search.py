"""Exact nearest-neighbour graphs: seconds, and how far memory rises."""

from __future__ import annotations

from typing import Any

from sklearn.neighbors import NearestNeighbors

from manifact.experiments.bench.benchmark_samples import Samples, documents
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.separate_process import in_new_process, stored
from manifact.experiments.bench.timing import in_turns, seconds, summary, warm
from manifact.graphs import KNNGraph

NEIGHBORS = 5


def measure(setting: Setting) -> Outcome:
    """A row for the data, and one for many documents."""
    samples = setting.samples
    rows = [_beside_scikit_learn(setting, samples)]
    note = (
        f"{samples}. {NEIGHBORS} neighbours, exact. Medians and interquartile ranges of {setting.repeats} turns; "
        f"scikit-learn's exhaustive search takes {rows[0]['ratio']:.2f} times as long. The rise of memory is that of a "
        "process of its own."
    )
    if setting.scale.graph_documents:
        many = documents(setting.scale.graph_documents)
        setting.show(f"graph: {many.X.shape[0]} documents")
        rows.append(_apart(many))
        note += f" {many}: once, {rows[1]['ours s']:.0f} s."
    return rows, note


def _beside_scikit_learn(setting: Setting, samples: Samples) -> dict[str, Any]:
    X, metric = samples.X, samples.metric
    tasks = {
        "ours": lambda turn: seconds(lambda: KNNGraph(NEIGHBORS, metric=metric).build(X)),
        "scikit-learn": lambda turn: seconds(
            lambda: NearestNeighbors(n_neighbors=NEIGHBORS, metric=metric, algorithm="brute").fit(X).kneighbors()
        ),
    }
    warm(KNNGraph(NEIGHBORS, metric=metric).build, X[:100])
    found = in_turns(tasks, setting.repeats, lambda text: setting.show(f"graph: {text}"))
    row = _apart(samples) | summary("ours s", found["ours"]) | summary("sklearn s", found["scikit-learn"])
    return row | {"ratio": row["sklearn s"] / row["ours s"]}


def _apart(samples: Samples) -> dict[str, Any]:
    """Once, in a process of its own."""
    with stored(samples.X) as folder:
        found = in_new_process(folder, "KNNGraph", {"n_neighbors": NEIGHBORS, "metric": samples.metric})
    return {"data": samples.name, "n": samples.X.shape[0], "rise MB": found["rise"] / 1e6, "ours s": found["seconds"]}
