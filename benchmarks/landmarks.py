"""A-LPNMF against LPNMF: quality on TDT2, time and memory as the number of documents grows.

    MANIFACT_DATA=<folder> python benchmarks/landmarks.py [tdt2] [compare] [scale]

k-means starts on TDT2 (30 classes, (1 + log tf) idf, λ = 100, 50 iterations), random ones on synthetic documents
(about 100 distinct words each, k = 20, λ = 100, p = 1000, float32). Every run has a process of its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import numpy as np

from manifact import ALPNMF, LPNMF
from manifact.datasets import load, synthetic_documents, tfidf
from manifact.experiments.result_tables import write
from manifact.graphs import KNNGraph, LandmarkGraph
from manifact.metrics import accuracy, nmi
from manifact.solvers import trace

ITERATIONS = 50
SEEDS = range(3)
#: The published rule.
RULE = {"solver": "mu", "graph_reg": 100.0, "tol": 1e-12}
BUILDERS = {"LPNMF": KNNGraph(5, metric="cosine"), "A-LPNMF": LandmarkGraph(1000)}
MODELS = {"LPNMF": LPNMF, "A-LPNMF": ALPNMF}


def timed_fit(method, X, k, iterations, **settings):
    """Graph, iterations and total apart: the model is given a builder that keeps the time."""
    builder = BUILDERS[method]
    spent = []
    build = type(builder).build

    def timed_build(self, X, y=None):
        begun = time.perf_counter()
        graph = build(self, X, y)
        spent.append(time.perf_counter() - begun)
        return graph

    ticks = []
    finite = trace._finite

    def tick(value, iteration):
        ticks.append(time.perf_counter())
        return finite(value, iteration)

    # Called once per iteration, when its objective is known.
    type(builder).build, trace._finite = timed_build, tick
    begun = time.perf_counter()
    model = MODELS[method](k, graph=builder, max_iter=iterations, **RULE, **settings).fit(X)
    total = time.perf_counter() - begun
    type(builder).build, trace._finite = build, finite
    # The first iteration also transposes X and factors the graph.
    steps = np.diff(ticks)[1:]
    return model, {"graph s": spent[0], "iteration s": float(np.median(steps)), "total s": total}


def one(task, method, size):
    """One measurement, in this process."""
    if task == "tdt2":
        data = load("tdt2")
        X, k = tfidf(data.X), data.n_classes
        AC, NMI, times = [], [], []
        for seed in SEEDS:
            model, spent = timed_fit(method, X, k, ITERATIONS, init="kmeans", assign="kmeans", random_state=seed)
            AC.append(accuracy(data.y, model.labels_))
            NMI.append(nmi(data.y, model.labels_))
            times.append(spent)
        scores = {"AC": np.mean(AC), "AC sd": np.std(AC), "NMI": np.mean(NMI), "NMI sd": np.std(NMI)}
        return {"data": "TDT2", "method": method, "n": X.shape[0], **{name: float(v) for name, v in scores.items()},
                **{name: float(np.median([t[name] for t in times])) for name in times[0]}}  # fmt: skip
    X = synthetic_documents(size).X
    iterations = ITERATIONS if task == "compare" else 8
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    _, spent = timed_fit(method, X, 20, iterations, init="random", random_state=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    facts = {"non-zeros per document": X.nnz / size, "GiB before fit": before, "peak GiB": peak}
    return {"data": f"synthetic, {task}", "method": method, "n": size, **spent, **facts}


RUNS = {
    "tdt2": [("LPNMF", 9394), ("A-LPNMF", 9394)],
    "compare": [("A-LPNMF", 10**5), ("LPNMF", 10**5)],
    "scale": [("A-LPNMF", 10**5), ("A-LPNMF", 10**6)],
}


def main(tasks):
    for task in tasks:
        rows = []
        for method, size in RUNS[task]:
            command = [sys.executable, __file__, "--one", task, method, str(size)]
            out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            rows.append(json.loads(out.splitlines()[-1]))
            print(rows[-1], flush=True)
        note = (__doc__ or "").split("\n\n")[2].strip()
        if task == "scale":
            ratio = rows[1]["iteration s"] / rows[0]["iteration s"]
            note += f" An iteration at 10^6 documents takes {ratio:.1f} times one at 10^5."
        if task == "compare":
            note += f" A-LPNMF takes {rows[0]['total s'] / rows[1]['total s']:.2f} of LPNMF's total time."
        print(write(f"landmarks-{task}", f"A-LPNMF: {task}", note, rows))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
    else:
        main(sys.argv[1:] or list(RUNS))
