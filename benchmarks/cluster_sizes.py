"""What clusters for 10^7, 10^8 and 10^9 documents hold and move, and how long their iterations take by the simulation.

    python benchmarks/cluster_sizes.py

Documents are those of the measured ones: 100 words out of 50,000 each, float32, k = 20 parts, p = 1000 landmarks. The
time of a chunk is that of one worker in `results/bench-cluster.json`, which `manifact bench --only cluster` writes, for
each document; the network is 10 Gbit/s with 0.2 ms for a message, the scheduler takes 0.5 ms for a task.
"""

from __future__ import annotations

import json
from pathlib import Path

from manifact.experiments.bench.reduction_tree import Machines, Walk, walk_seconds
from manifact.experiments.result_tables import write

RESULTS = Path(__file__).resolve().parents[1] / "results"
WORDS, FEATURES, RANK, LANDMARKS, FLOAT, INDEX = 100, 50_000, 20, 1000, 4, 4
#: Documents, documents of a chunk, and workers of one core.
CLUSTERS = ((10**7, 10**5, 8), (10**8, 2 * 10**5, 64), (10**9, 5 * 10**5, 512))
#: Walks over X of an iteration.
WALKS = {"NMF, mu": 1, "A-LPNMF": 2}
BANDWIDTH, LATENCY, TASK = 10e9 / 8, 2e-4, 5e-4
#: Times its size that sparse X takes where it is kept: itself and its transpose.
KEPT = 2.2


def seconds_per_document():
    """Model -> seconds of one worker for a document in an iteration."""
    rows = json.loads((RESULTS / "bench-cluster.json").read_text())["rows"]
    return {row["model"]: row["measured s"] / row["documents"] for row in rows if row["workers"] == 1}


def row(model, n, chunk, workers, seconds):
    walks, chunks = WALKS[model], n // chunk
    small = FLOAT * RANK * (FEATURES + (LANDMARKS if walks > 1 else 0))
    walk = Walk(chunks, seconds * chunk / walks, bytes_down=small / walks, bytes_up=small / walks)
    spent = walks * walk_seconds(walk, Machines(workers, None, BANDWIDTH, LATENCY, TASK))
    X, V = n * (WORDS * (FLOAT + INDEX) + INDEX), n * RANK * FLOAT
    return {
        "documents": f"{n:.0e}",
        "model": model,
        "documents per chunk": chunk,
        "chunks": chunks,
        "workers": workers,
        "X GB": X / 1e9,
        "per worker GB, X kept": (KEPT * X + 3 * V) / workers / 1e9,
        "per worker GB, X read again": (3 * V / workers + 3 * X / chunks) / 1e9,
        "moved per iteration GB": (chunks * 8 / 7 + workers) * small / 1e9,
        "of X %": 100 * (chunks * 8 / 7 + workers) * small / X,
        "s per iteration": spent,
        "efficiency": n * seconds / spent / workers,
    }


def main():
    known = seconds_per_document()
    rows = [row(model, *cluster, known[model]) for cluster in CLUSTERS for model in WALKS]
    note = (
        f"{WORDS} words of {FEATURES:,} for each document in float32, k = {RANK}, p = {LANDMARKS:,} landmarks. Moved: "
        "c · 8/7 · b k (m + p) up the tree of sums, at most, and w · b k (m + p) down to the workers, for c chunks, w "
        "workers and b = 4 bytes; X stays where it is. The time is the simulation's, with the time of one worker for a "
        "document as in bench-cluster, 10 Gbit/s, 0.2 ms for a message and 0.5 ms of the scheduler for a task."
    )
    print(write("cluster-sizes", "What a cluster holds and moves", note, rows, RESULTS))


if __name__ == "__main__":
    main()
