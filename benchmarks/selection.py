"""What `manifact.selection.select` chooses without labels, and what that costs.

    MANIFACT_DATA=<folder> python benchmarks/selection.py

Runs are stored as those of `affinity.py` are.
"""

from __future__ import annotations

import numpy as np

from affinity_report import NAMES
from affinity_runs import OTHERS, SETS, measured, samples
from manifact.experiments.result_tables import write

SEEDS = range(3)
NOTE = """
AffinityNMF with everything chosen by `select`, and with the true number of classes, 5 neighbours and τ = 2 ("known").
Unit-length images, (1 + log tf) idf text (of TDT2 and Reuters the 30 largest classes), log(1 + counts) of cells;
classes are used for the NMI alone. NMI = MI / max(H, H') and the differences are in percent; "sqrt" is by
MI / sqrt(H H'), which asks less for the same number of clusters. The eight sets above the first mean had a say in the
rule: in its share of edges, number of samples, floor and threshold. Of the four below, PBMC 3k had one in what counts
as clear, digits and 20 Newsgroups were looked at when that was settled, and MNIST had none. Means over {seeds} seeds;
seconds are medians, on one thread of a machine that had other work."""
AVERAGED = ("NMI, chosen", "NMI, known", "difference", "difference, sqrt")


def compared(name):
    runs = [measured("chosen", name, seed=seed) for seed in SEEDS]

    def mean(key):
        return 100 * float(np.mean([run[key] for run in runs]))

    def seconds(key):
        return float(f"{np.median([run[key] for run in runs]):.2g}")

    return {
        "data": NAMES[name], "classes": samples(name).k, "chosen": ", ".join(str(run["parts"]) for run in runs),
        "neighbours": runs[0]["neighbours"], "NMI, chosen": mean("NMI"), "NMI, known": mean("known NMI"),
        "difference": mean("NMI") - mean("known NMI"),
        "difference, sqrt": mean("NMI sqrt") - mean("known NMI sqrt"),
        "seconds to choose": seconds("choosing"), "seconds of a fit": seconds("fitting"),
    }  # fmt: skip


def with_mean(rows):
    """Rows and their mean, as they are shown."""
    mean = dict.fromkeys(rows[0], "") | {"data": "mean"}
    mean |= {name: float(np.mean([row[name] for row in rows])) for name in AVERAGED}
    return [row | {name: round(row[name], 1) for name in AVERAGED} for row in (*rows, mean)]


def main():
    rows = [row for group in (SETS, OTHERS) for row in with_mean([compared(name) for name in group])]
    print(write("selection", "Chosen without labels", NOTE.strip().format(seeds=len(SEEDS)), rows))


if __name__ == "__main__":
    main()
