"""What `manifact.selection.select` chooses without labels, and what that costs.

    MANIFACT_DATA=<folder> python benchmarks/selection.py

JointNMF with everything chosen by `select` beside JointNMF with the true number of classes, 5 neighbours and τ = 2.
Unit-length images or (1 + log tf) idf text of the 30 largest classes; classes are used for the NMI =
MI / max(H, H') alone. These sets had a say in the rule itself: in its share of edges, number of samples, floor and
threshold.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from manifact import JointNMF
from manifact.experiments.record import write
from manifact.experiments.reproduce.data import prepared
from manifact.metrics import nmi
from manifact.selection import select

SETS = {
    "coil20": ("unit", None), "yale": ("unit", None), "orl": ("unit", None), "umist": ("unit", None),
    "binalpha": ("unit", None), "tdt2": ("tfidf", 30), "reuters": ("tfidf", 30), "pie": ("unit", None),
}  # fmt: skip
SEEDS = range(3)


def timed(work):
    begun = time.perf_counter()
    return work(), time.perf_counter() - begun


def measure(name):
    preparation, largest = SETS[name]
    data = prepared(name, preparation, "float64", largest)
    k = len(np.unique(data.y))
    chosen, found, true, choosing, fitting = [], [], [], [], []
    for seed in SEEDS:
        selection, seconds = timed(lambda seed=seed: select(data.X, random_state=seed))
        choosing.append(seconds)
        chosen.append(selection.best["n_components"])
        found.append(nmi(data.y, selection.model().fit(data.X).labels_))
        model, seconds = timed(lambda seed=seed: JointNMF(k, random_state=seed).fit(data.X))
        fitting.append(seconds)
        true.append(nmi(data.y, model.labels_))
    row = {
        "data": name, "classes": k, "chosen": ", ".join(map(str, chosen)), "neighbours": selection.best["n_neighbors"],
        "NMI, chosen": float(np.mean(found)), "NMI, classes known": float(np.mean(true)),
        "difference": float(np.mean(found) - np.mean(true)),
        "seconds to choose": float(np.median(choosing)), "seconds of a fit": float(np.median(fitting)),
    }  # fmt: skip
    print(row, flush=True)
    return row


def mean(rows):
    averaged = ("NMI, chosen", "NMI, classes known", "difference")
    blank = dict.fromkeys(rows[0], "")
    return blank | {"data": "mean"} | {name: float(np.mean([row[name] for row in rows])) for name in averaged}


if __name__ == "__main__":
    rows = [measure(name) for name in sys.argv[1:] or SETS]
    note = (__doc__ or "").split("\n\n")[2].strip() + f" Means over {len(SEEDS)} seeds of both; seconds are medians."
    print(write("selection", "Chosen without labels", note, [*rows, mean(rows)]))
