"""What `manifact.selection.select` chooses without labels, and what that costs.

    MANIFACT_DATA=<folder> python benchmarks/selection.py [SET ...]

Everything chosen by `select`, beside the true number of classes, 5 neighbours and τ = 2.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from joint_report import NAMES
from joint_runs import SETS, UNTOUCHED, loaded, scores
from manifact import JointNMF
from manifact.experiments.record import write
from manifact.selection import select

SEEDS = range(3)
WORDS = """
JointNMF with everything chosen by `select`, and with the true number of classes, 5 neighbours and τ = 2 ("known").
Unit-length images, (1 + log tf) idf text (of TDT2 and Reuters the 30 largest classes), log(1 + counts) of cells;
classes are used for the NMI alone. NMI = MI / max(H, H') and the differences are in percent; "sqrt" is by
MI / sqrt(H H'), which asks less for the same number of clusters. The eight sets above the first mean had a say in the
rule: in its share of edges, number of samples, floor and threshold. Of the four below, PBMC 3k had one in what counts
as clear, digits and 20 Newsgroups were looked at when that was settled, and MNIST had none. Means over {seeds} seeds;
seconds are medians."""
AVERAGED = ("NMI, chosen", "NMI, known", "difference", "difference, sqrt")


def timed(work):
    begun = time.perf_counter()
    return work(), time.perf_counter() - begun


def measure(name):
    X, y = loaded(name)
    known = y >= 0
    k = len(np.unique(y[known]))
    chosen, found, true, choosing, fitting = [], [], [], [], []
    for seed in SEEDS:
        selection, seconds = timed(lambda seed=seed: select(X, random_state=seed))
        choosing.append(seconds)
        chosen.append(selection.best["n_components"])
        found.append(scores(y[known], selection.model().fit(X).labels_[known]))
        model, seconds = timed(lambda seed=seed: JointNMF(k, random_state=seed).fit(X))
        fitting.append(seconds)
        true.append(scores(y[known], model.labels_[known]))
    (one, root), (one_known, root_known) = (
        [100 * float(np.mean([score[key] for score in runs])) for key in ("NMI", "NMI sqrt")] for runs in (found, true)
    )
    row = {
        "data": NAMES[name], "classes": k, "chosen": ", ".join(map(str, chosen)),
        "neighbours": selection.best["n_neighbors"], "NMI, chosen": one, "NMI, known": one_known,
        "difference": one - one_known, "difference, sqrt": root - root_known,
        "seconds to choose": float(np.median(choosing)), "seconds of a fit": float(np.median(fitting)),
    }  # fmt: skip
    print(row, flush=True)
    return row


def with_mean(rows):
    """Rows and their mean, as they are shown."""
    if not rows:
        return
    blank = dict.fromkeys(rows[0], "")
    mean = blank | {"data": "mean"} | {name: float(np.mean([row[name] for row in rows])) for name in AVERAGED}
    for row in (*rows, mean):
        yield row | {name: round(row[name], 1) for name in AVERAGED} | _seconds(row)


def _seconds(row):
    return {name: float(f"{row[name]:.2g}") for name in row if name.startswith("seconds") and row[name] != ""}


if __name__ == "__main__":
    asked = sys.argv[1:] or [*SETS, *UNTOUCHED]
    if unknown := sorted({*asked} - {*SETS, *UNTOUCHED}):
        sys.exit(f"{', '.join(unknown)}: not known, choose of {', '.join([*SETS, *UNTOUCHED])}")
    touched, others = ([measure(name) for name in group if name in asked] for group in (SETS, UNTOUCHED))
    note = WORDS.strip().format(seeds=len(SEEDS))
    print(write("selection", "Chosen without labels", note, [*with_mean(touched), *with_mean(others)]))
