"""The papers' toy data: what separates, and what does not.

    python benchmarks/toys.py

Two rings and crossing lines (SPNMF paper, fig. 2) in one dimension: NMF, GNMF (10 neighbours, λ = 100), SPNMF (α = 100,
κ = 0.1, γ = 1, k1 = k2 = 10) by `simplex` and by the published rule, each the lowest objective of 20 random starts.
"threshold" is the accuracy of the best cut of the line, "overlap" the part of the two classes' histograms that
coincides; means and standard deviations over 5 draws of the data. σ is the width of the near graph's weights, which the
paper does not give: "auto" is the mean distance of all samples, "neighbors" that of neighbours. "Started at the
classes" uses the labels, to ask what the objective itself prefers: the rings then stay apart, at an objective several
times that of the best random start, so it is the objective that does not want them apart, not the search.
"""

from __future__ import annotations

import numpy as np

from manifact import GNMF, NMF, SPNMF
from manifact.datasets import crossing_lines, two_rings
from manifact.experiments.reproduce.separation import overlap, threshold_accuracy
from manifact.experiments.result_tables import write
from manifact.graphs import FarthestGraph, KNNGraph

DRAWS = range(5)
STARTS = 20


def methods(seed, y):
    common = {"random_state": seed, "init": "random", "n_init": STARTS, "init_iter": 500, "max_iter": 500}
    structure = {"graph_reg": 100.0, "repulsion_reg": 10.0, "basis_reg": 1.0, "far_graph": FarthestGraph(10)}
    yield "NMF", NMF(1, solver="mu", **common)
    yield "GNMF", GNMF(1, graph=KNNGraph(10), graph_reg=100.0, solver="mu", **common)
    for width in ("auto", "neighbors"):
        near = KNNGraph(10, weight="heat", sigma=width)
        yield f"SPNMF, σ {width}", SPNMF(1, graph=near, solver="simplex", **structure, **common)
        yield f"SPNMF, published rule, σ {width}", SPNMF(1, graph=near, solver="mu", **structure, **common)
        classes = np.where(y == 0, 0.1, 4.0)[:, None] + 0.05 * np.random.default_rng(seed).random((len(y), 1))
        told = common | {"init": (classes, np.full((1, 2), 0.5))}
        yield f"SPNMF, σ {width}, started at the classes", SPNMF(1, graph=near, solver="simplex", **structure, **told)


def measure(make):
    found = {}
    for draw in DRAWS:
        data = make(random_state=draw)
        for name, model in methods(draw, data.y):
            v = model.fit_transform(data.X)[:, 0]
            row = (threshold_accuracy(v, data.y), overlap(v, data.y), model.objective_[-1])
            found.setdefault(name, []).append(row)
    for name, rows in found.items():
        accuracy, shared, objective = np.transpose(rows)
        row = {
            "data": make.__name__, "method": name, "threshold": float(accuracy.mean()),
            "threshold sd": float(accuracy.std()), "overlap": float(shared.mean()),
            "objective": float(objective.mean()),
        }  # fmt: skip
        print(row, flush=True)
        yield row


if __name__ == "__main__":
    rows = [row for make in (two_rings, crossing_lines) for row in measure(make)]
    note = (__doc__ or "").split("\n\n")[2].strip()
    print(write("toys", "Toy data in one dimension", note, rows))
